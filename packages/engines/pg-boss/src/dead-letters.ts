import { KernelError } from '@ravi/kernel';
import type { DeadWake, Page, PageRequest, RunWake } from '@ravi/kernel';
import type { Db, PgBoss } from 'pg-boss';
import { wakeOf } from './send-wakes.ts';
import type { WakeData } from './send-wakes.ts';
import { deadQueue } from './wake-queues.ts';

/** Content of a dead letter that the engine wrote; pg-boss writes one without `error` after many deaths of workers. */
interface DeadData extends WakeData {
  readonly error?: string;
}

interface DeadRow {
  readonly id: string;
  readonly singletonKey: string | null;
  readonly groupId: string | null;
  readonly priority: number;
  readonly data: DeadData;
  readonly deaths: number | null;
  readonly place: string;
  readonly diedAt: string;
}

const columns = `id, singleton_key AS "singletonKey", group_id AS "groupId", priority, data, source_retry_count AS deaths,
  created_on::text AS place, (extract(epoch FROM created_on) * 1000)::bigint AS "diedAt"`;
const cursorPattern = /^(\d{4}-[\d .:+-]{10,40})_([0-9a-f-]{36})$/;
const defaultPageSize = 100;
const maxPageSize = 1_000;

/** Stores a wake that was given up. */
export async function addDead(boss: PgBoss, wake: RunWake, error: string, attempts: number, db: Db): Promise<void> {
  const { runId, group, version, reason, priority = 0 } = wake;
  const data: DeadData = { version, reason, attempts, error };
  await boss.insert(deadQueue, [{ singletonKey: runId, group: { id: group }, priority, data }], { db });
}

/** Lists dead wakes, the oldest first. @throws KernelError `E_ARGUMENTS_INVALID` for a text that is not a cursor */
export async function listDead(db: Db, schema: string, page: PageRequest = {}): Promise<Page<DeadWake>> {
  const limit = Math.min(page.limit ?? defaultPageSize, maxPageSize);
  const [at, id] = page.cursor === undefined ? [null, null] : placeOf(page.cursor);
  const { rows } = (await db.executeSql(
    `SELECT ${columns} FROM ${schema}.job WHERE name = $1 AND state < 'active'
      AND ($2::timestamptz IS NULL OR (created_on, id) > ($2::timestamptz, $3::uuid))
      ORDER BY created_on, id LIMIT $4`,
    [deadQueue, at, id, limit + 1],
  )) as { readonly rows: readonly DeadRow[] };
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return {
    items: items.map(deadOf),
    corrupt: [],
    ...(last === undefined || rows.length <= limit ? {} : { next: `${last.place}_${last.id}` }),
  };
}

/** Returns the newest dead wake of a run. */
export async function findDead(db: Db, schema: string, runId: string): Promise<RunWake | undefined> {
  const { rows } = (await db.executeSql(
    `SELECT ${columns} FROM ${schema}.job WHERE name = $1 AND state < 'active' AND singleton_key = $2
      ORDER BY created_on DESC LIMIT 1`,
    [deadQueue, runId],
  )) as { readonly rows: readonly DeadRow[] };
  return rows[0] && wakeOf(rows[0]);
}

/** Removes all dead wakes of a run. Returns false if it has none. */
export async function removeDead(db: Db, schema: string, runId: string): Promise<boolean> {
  const { rows } = await db.executeSql(
    `DELETE FROM ${schema}.job WHERE name = $1 AND state < 'active' AND singleton_key = $2 RETURNING id`,
    [deadQueue, runId],
  );
  return rows.length > 0;
}

function deadOf(row: DeadRow): DeadWake {
  const { data, deaths, diedAt } = row;
  const error = data.error ?? 'Every process that handled the run died';
  const attempts = data.error === undefined ? (deaths ?? 0) + 1 : data.attempts;
  return { wake: wakeOf(row), error, attempts, diedAt: Number(diedAt) };
}

function placeOf(cursor: string): readonly [at: string, id: string] {
  const [, at, id] = cursorPattern.exec(cursor) ?? [];
  if (at !== undefined && id !== undefined) return [at, id];
  throw new KernelError('E_ARGUMENTS_INVALID', `${JSON.stringify(cursor.slice(0, 100))} is not a cursor of this list`);
}
