import type { CheckedWake } from '@ravi/engine-kit';
import { engineUnavailable } from '@ravi/engine-kit';
import type { RunWake, RunWakeReason } from '@ravi/kernel';
import type { Db, PgBoss } from 'pg-boss';
import { queueName, wakePolicy } from './wake-queues.ts';

/** Content of a job: what is not in columns of pg-boss. */
export interface WakeData {
  readonly version: string;
  readonly reason: RunWakeReason;
  /** Failed attempts so far. */
  readonly attempts: number;
}

/** Wake to store, with the attempts that have failed before it. */
export type SentWake = CheckedWake & { readonly attempts: number };

/** Options of {@link sendWakes}. */
export interface SendOptions {
  readonly boss: PgBoss;
  readonly schema: string;
  readonly db: Db;
  readonly takeOver?: boolean;
}

// Each round meets another process that woke or took the same run in between.
const maxRounds = 20;

/**
 * Stores wakes whose queues exist, merged with those that wait. A merge locks the row of the waiting wake until the transaction ends, so that no
 * worker looks at the run before the facts that the wake is about are committed.
 */
export async function sendWakes(wakes: readonly SentWake[], options: SendOptions): Promise<void> {
  // In one order, so that transactions which wake the same runs do not lock each other out.
  const byQueue = [...Map.groupBy(wakes, ({ version }) => queueName(version))];
  for (const [queue, ofQueue] of byQueue.toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    await sendToQueue(queue, ofQueue, options);
  }
}

async function sendToQueue(queue: string, wakes: readonly SentWake[], options: SendOptions): Promise<void> {
  const { boss, schema, db, takeOver = false } = options;
  const runIds = wakes.map(({ runId }) => runId);
  if (takeOver) await db.executeSql(dropTaken(schema), [queue, JSON.stringify(runIds)]);
  for (let round = 0; round < maxRounds; round++) {
    const { rows } = await db.executeSql(mergeWaiting(schema), [queue, JSON.stringify(wakes)]);
    const merged = new Set(rows.map((row: { readonly runId: string }) => row.runId));
    const missing = wakes.filter(({ runId }) => !merged.has(runId));
    if (missing.length === 0) return;
    const jobs = missing.toSorted((one, other) => (one.runId < other.runId ? -1 : 1)).map(jobOf);
    const inserted = await boss.insert(queue, jobs, { db, returnId: true });
    if (inserted?.length === missing.length) return;
  }
  throw engineUnavailable('Other processes keep waking the same runs');
}

function jobOf({ runId, group, version, reason, priority, delayMs, attempts }: SentWake): object {
  const data: WakeData = { version, reason, attempts };
  return { singletonKey: runId, group: { id: group }, priority, startAfter: `${delayMs / 1_000} seconds`, data };
}

/** Returns the wake of a job. */
export function wakeOf(job: {
  readonly singletonKey: string | null;
  readonly groupId?: string | null;
  readonly priority: number;
  readonly data: WakeData;
}): RunWake {
  const { singletonKey, groupId, priority, data } = job;
  const { version, reason } = data;
  return { runId: singletonKey ?? '', group: groupId ?? '', version, reason, priority };
}

// The conditions on state and key are those of the index of waiting jobs by key, job_i17 of pg-boss. Its other index of the key has the
// state before it, so that a search reads each waiting job, and those that are gone but may still be seen by an open snapshot.
const mergeWaiting = (schema: string): string => `
  WITH given AS (
    SELECT "runId", reason, priority, attempts, ${schema}.job_now() + "delayMs" * interval '1 millisecond' AS due
    FROM json_to_recordset($2::text::json)
      AS wake ("runId" text, reason text, priority int, attempts int, "delayMs" double precision)),
  waiting AS (
    SELECT job.id, given.* FROM (SELECT * FROM given ORDER BY "runId") AS given CROSS JOIN LATERAL (
      SELECT id FROM ${schema}.job WHERE name = $1 AND singleton_key = given."runId" AND state < 'active' FOR UPDATE) AS job)
  UPDATE ${schema}.job AS job SET
    priority = greatest(job.priority, waiting.priority),
    start_after = least(job.start_after, waiting.due),
    -- Workers look for old wakes now and then, and for new ones each time.
    created_on = CASE WHEN waiting.due < job.start_after THEN ${schema}.job_now() ELSE job.created_on END,
    data = job.data || jsonb_build_object(
      'reason', CASE WHEN waiting.due < job.start_after THEN waiting.reason ELSE job.data->>'reason' END,
      'attempts', greatest((job.data->>'attempts')::int, waiting.attempts))
  FROM waiting WHERE job.name = $1 AND job.id = waiting.id
  RETURNING waiting."runId"`;

const dropTaken = (schema: string): string => `
  DELETE FROM ${schema}.job
  WHERE name = $1 AND policy = '${wakePolicy}' AND state = 'active'
    AND coalesce(singleton_key, '') IN (SELECT json_array_elements_text($2::text::json))`;
