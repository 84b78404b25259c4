import type { Clock } from '@ravi/kernel';
import pg from 'pg';
import type { Db } from 'pg-boss';
import type { WakeJob } from './taken-jobs.ts';
import { wakePolicy } from './wake-queues.ts';

/** Options of {@link createOldestWakes}. */
export interface OldestWakesOptions {
  readonly db: Db;
  readonly schema: string;
  /** Time between two polls of the worker. A look is made twice in it, unless it takes long. */
  readonly pollMs: number;
  readonly clock: Clock;
}

/** Knows from which time on queues have wakes. */
export interface OldestWakes {
  /**
   * Returns a time, as text of PostgreSQL: wakes that were due at the last look at the queue are not older. One that has become due since, or whose
   * transaction was long, may be older, until the next look.
   */
  of(queue: string): Promise<string>;
}

/** Options of {@link takeDueWakes}. */
export interface TakeOptions {
  readonly db: Db;
  readonly schema: string;
  readonly queue: string;
  /** Result of {@link OldestWakes.of}. */
  readonly from: string;
  readonly max: number;
  readonly exceptGroups: readonly string[];
  /** Maximum wakes of one group that are handled at once. */
  readonly groupLimit?: number;
}

/** A transaction may commit its wakes this long after it has begun, and they are still found at once. */
const marginMs = 1_000;
/** Looks at a queue take one of this many parts of the time, unless they are very slow. */
const partsOfTime = 20;
/** Longest time between two looks, in times of `pollMs`. */
const maxPolls = 5;
const uniqueViolation = '23505';

/**
 * Creates the times of all queues. PostgreSQL keeps removed rows as long as a transaction has a snapshot from before, and a search in the
 * order of age reads all of them. A search from the oldest wake on does not, so only one in a while has to find that one.
 */
export function createOldestWakes({ db, schema, pollMs, clock }: OldestWakesOptions): OldestWakes {
  const known = new Map<string, { readonly from: string; readonly until: number }>();

  async function look(queue: string): Promise<string> {
    const begun = clock.monotonic();
    const { rows } = (await db.executeSql(
      `SELECT least(min(created_on), ${schema}.job_now() - interval '${marginMs} milliseconds')::text AS "from"
       FROM ${schema}.job WHERE ${isDue(schema)}`,
      [queue],
    )) as { readonly rows: readonly { readonly from: string }[] };
    const [{ from } = { from: '-infinity' }] = rows;
    const took = clock.monotonic() - begun;
    const restMs = Math.min(Math.max(pollMs / 2, partsOfTime * took), maxPolls * pollMs);
    known.set(queue, { from, until: clock.monotonic() + restMs });
    return from;
  }

  return {
    async of(queue) {
      const found = known.get(queue);
      return found !== undefined && clock.monotonic() < found.until ? found.from : look(queue);
    },
  };
}

/** Takes due wakes, the highest priority and then the oldest first, for this process. The columns that it sets are those of `fetch` of pg-boss. */
export async function takeDueWakes(options: TakeOptions): Promise<readonly WakeJob[]> {
  const { db, schema, queue, from, max, exceptGroups, groupLimit } = options;
  const values = [queue, from, exceptGroups, max, ...(groupLimit === undefined ? [] : [groupLimit])];
  const { rows } = await db.executeSql(takeStatement(schema, groupLimit !== undefined), values);
  return rows as readonly WakeJob[];
}

/** True for the error of {@link takeDueWakes} if another process has taken the same run at that moment: none was taken then. */
export function hasLostRace(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === uniqueViolation;
}

const isDue = (schema: string): string =>
  `name = $1 AND state < 'active' AND NOT blocked AND start_after <= ${schema}.job_now()`;

// Only the index of the runs that are handled suits this, job_i3 of pg-boss: a subquery hides the state from the conditions of other
// indexes. With the statistics of a table that is mostly empty, PostgreSQL would else choose one that has all wakes that were taken.
const isHandled = (schema: string): string =>
  `handled.state = (SELECT 'active'::${schema}.job_state) AND handled.state <= 'active' AND handled.policy = '${wakePolicy}'`;

// A run that is being handled stays where it is. Of one whose worker died, and that was woken since, two rows wait: the second one stays too.
function takeStatement(schema: string, isLimited: boolean): string {
  const activeOfGroup = `(SELECT count(*) FROM ${schema}.job AS active
    WHERE active.name = $1 AND active.state = 'active' AND active.group_id = first.group_id)`;
  const limited = `SELECT id FROM (
      SELECT first.*, row_number() OVER (PARTITION BY group_id ORDER BY priority DESC, created_on) + ${activeOfGroup} AS number FROM first
    ) AS numbered WHERE number <= $5`;
  const hasRoom = ` AND NOT EXISTS (SELECT FROM full_groups WHERE full_groups.group_id = job.group_id)`;
  return `
    WITH ${isLimited ? fullGroups(schema) : ''} next AS (
      SELECT id, singleton_key, group_id, priority, created_on FROM ${schema}.job AS job
      WHERE ${isDue(schema)} AND created_on >= $2::timestamptz AND group_id <> ALL($3::text[])${isLimited ? hasRoom : ''}
        AND (SELECT count(*) FROM ${schema}.job AS handled WHERE handled.name = $1 AND ${isHandled(schema)}
          AND coalesce(handled.singleton_key, '') = coalesce(job.singleton_key, '')) = 0
      ORDER BY priority DESC, created_on LIMIT $4 FOR UPDATE OF job SKIP LOCKED),
    first AS (SELECT DISTINCT ON (singleton_key) * FROM next ORDER BY singleton_key, created_on)
    UPDATE ${schema}.job AS job SET state = 'active', started_on = ${schema}.job_now(), heartbeat_on = ${schema}.job_now(),
      retry_count = CASE WHEN started_on IS NOT NULL THEN retry_count + 1 ELSE retry_count END
    FROM ${isLimited ? `(${limited})` : 'first'} AS found WHERE job.name = $1 AND job.id = found.id
    RETURNING job.id, job.name, job.retry_count AS "retryCount", job.singleton_key AS "singletonKey", job.group_id AS "groupId",
      job.priority, job.data`;
}

const fullGroups = (schema: string): string => `full_groups AS MATERIALIZED (
      SELECT group_id FROM ${schema}.job WHERE name = $1 AND state = 'active' AND group_id IS NOT NULL
      GROUP BY group_id HAVING count(*) >= $5),`;
