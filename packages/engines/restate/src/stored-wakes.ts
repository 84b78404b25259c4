import { KernelError } from '@ravi/kernel';
import type { DeadWake, EngineFigures, Page, PageRequest } from '@ravi/kernel';
import { deadPrefix, jsonColumn, runColumns, runPrefix } from './queue-records.ts';
import type { RestateAdmin } from './restate-server.ts';
import { queueKey } from './wake-queue.ts';

/** Reads the state of a queue by SQL, so that a count of all runs does not delay the queue. */
export interface StoredWakes {
  figures(now: number): Promise<EngineFigures>;
  /** Lists dead wakes, the oldest first. @throws KernelError `E_ARGUMENTS_INVALID` for a text that is not a cursor */
  listDead(page?: PageRequest): Promise<Page<DeadWake>>;
}

const maxGroups = 20;
const defaultPageSize = 100;
const maxPageSize = 1_000;
const cursorPattern = /^(\d{1,15})_([A-Za-z0-9_-]+)$/;
const column = (number: number): string => `split_part(value_utf8, chr(9), ${number})`;
const textOf = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** Creates the reader of the queue of a service. */
export function createStoredWakes(admin: RestateAdmin, service: string): StoredWakes {
  const from = (prefix: string): string =>
    `FROM state WHERE service_name = ${textOf(service)} AND service_key = '${queueKey}' AND starts_with(key, ${textOf(prefix)})`;

  return {
    async figures(now) {
      const { status, group, dueAt, takenGroup } = runColumns;
      const counts = (await admin.query(`
        SELECT ${column(status)} AS status, ${column(group)} AS waiting_group, ${column(takenGroup)} AS taken_group,
          count(*) AS number, min(${column(dueAt)}) AS oldest
        ${from(runPrefix)} GROUP BY 1, 2, 3`)) as unknown as readonly Count[];
      const [dead] = (await admin.query(`SELECT count(*) AS number ${from(deadPrefix)}`)) as unknown as Count[];
      return sum(counts, dead?.number ?? 0, now);
    },
    async listDead({ limit = defaultPageSize, cursor } = {}) {
      const size = Math.min(limit, maxPageSize);
      const after = cursor === undefined ? '' : `AND ${placeAfter(cursor)}`;
      const rows = (await admin.query(`
        SELECT key, ${column(jsonColumn.dead)} AS json
        ${from(deadPrefix)} ${after} ORDER BY CAST(${column(1)} AS BIGINT), key LIMIT ${size + 1}`)) as unknown as readonly {
        readonly json: string;
      }[];
      const items = rows.slice(0, size).map(({ json }) => JSON.parse(json) as DeadWake);
      const last = items.at(-1);
      return {
        items,
        corrupt: [],
        ...(last === undefined || rows.length <= size ? {} : { next: cursorOf(last) }),
      };
    },
  };
}

interface Count {
  readonly status: string;
  readonly waiting_group: string;
  readonly taken_group: string;
  readonly number: number;
  readonly oldest: string;
}

function sum(counts: readonly Count[], dead: number, now: number): EngineFigures {
  const groups = new Map<string, { group: string; ready: number; taken: number }>();
  const groupOf = (name: string): { ready: number; taken: number } => {
    const group = groups.get(name) ?? { group: name, ready: 0, taken: 0 };
    groups.set(name, group);
    return group;
  };
  let [ready, delayed, taken, oldest] = [0, 0, 0, Infinity];
  for (const count of counts) {
    if (count.status === 'delayed') delayed += count.number;
    if (count.status === 'ready') {
      ready += count.number;
      oldest = Math.min(oldest, Number(count.oldest));
      groupOf(count.waiting_group).ready += count.number;
    }
    if (count.taken_group === '') continue;
    taken += count.number;
    groupOf(count.taken_group).taken += count.number;
  }
  return {
    ready,
    delayed,
    taken,
    dead,
    ...(ready === 0 ? {} : { oldestReadyMs: Math.max(0, now - oldest) }),
    groups: [...groups.values()]
      .toSorted((one, other) => other.ready + other.taken - one.ready - one.taken)
      .slice(0, maxGroups),
  };
}

function cursorOf({ diedAt, wake }: DeadWake): string {
  return `${diedAt}_${Buffer.from(wake.runId).toString('base64url')}`;
}

function placeAfter(cursor: string): string {
  const [, diedAt, id] = cursorPattern.exec(cursor) ?? [];
  if (diedAt === undefined || id === undefined) {
    const text = JSON.stringify(cursor.slice(0, 100));
    throw new KernelError('E_ARGUMENTS_INVALID', `${text} is not a cursor of this list`);
  }
  const key = textOf(`${deadPrefix}${Buffer.from(id, 'base64url').toString()}`);
  const place = `CAST(${column(1)} AS BIGINT)`;
  return `(${place} > ${diedAt} OR (${place} = ${diedAt} AND key > ${key}))`;
}
