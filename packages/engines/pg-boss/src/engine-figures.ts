import type { EngineFigures } from '@ravi/kernel';
import type { Db } from 'pg-boss';
import { deadQueue, wakeQueuePattern } from './wake-queues.ts';

interface Totals {
  readonly ready: number;
  readonly delayed: number;
  readonly taken: number;
  readonly dead: number;
  readonly oldestReadyMs: number | null;
}

const maxGroups = 20;
const isReady = (schema: string): string => `state < 'active' AND start_after <= ${schema}.job_now()`;

/** Counts the wakes of an engine, in one statement that reads each of them once. */
export async function readFigures(db: Db, schema: string): Promise<EngineFigures> {
  const ready = isReady(schema);
  const { rows } = (await db.executeSql(
    `WITH counted AS MATERIALIZED (
      SELECT group_id, name = $1 AS is_dead,
        count(*) FILTER (WHERE ${ready})::int AS ready,
        count(*) FILTER (WHERE state < 'active')::int AS waiting,
        count(*) FILTER (WHERE state = 'active')::int AS taken,
        min(start_after) FILTER (WHERE ${ready}) AS oldest
      FROM ${schema}.job WHERE (name = $1 OR name LIKE $2) AND state <= 'active' GROUP BY 1, 2),
    wakes AS (SELECT * FROM counted WHERE NOT is_dead)
    SELECT coalesce(sum(ready), 0)::int AS ready, coalesce(sum(waiting - ready), 0)::int AS delayed,
      coalesce(sum(taken), 0)::int AS taken,
      (SELECT coalesce(sum(waiting), 0)::int FROM counted WHERE is_dead) AS dead,
      (extract(epoch FROM ${schema}.job_now() - min(oldest)) * 1000)::float8 AS "oldestReadyMs",
      (SELECT coalesce(json_agg(busiest), '[]') FROM (
        SELECT group_id AS "group", ready, taken FROM wakes WHERE ready + taken > 0
        ORDER BY ready + taken DESC, group_id LIMIT ${maxGroups}) AS busiest) AS groups
    FROM wakes`,
    [deadQueue, wakeQueuePattern],
  )) as { readonly rows: readonly (Totals & Pick<EngineFigures, 'groups'>)[] };
  const [row] = rows;
  if (row === undefined) throw new TypeError('A statement that aggregates returns one row');
  const { oldestReadyMs, ...totals } = row;
  return { ...totals, ...(oldestReadyMs === null ? {} : { oldestReadyMs }) };
}
