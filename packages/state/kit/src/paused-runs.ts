import { answeredApprovalStatuses, undecidedStatuses } from '@ravi/kernel';
import type { NewRunEvent, Page, PageRequest, PausedRun, Principal } from '@ravi/kernel';
import { approvals } from './approval-rows.ts';
import { listOf } from './approval-steps.ts';
import type { SqlRow, SqlRunner, SqlValue } from './database.ts';
import { principalKey } from './keys.ts';
import { numberIn, textIn } from './rows.ts';
import { runEventsTable } from './run-events.ts';
import { runs } from './run-rows.ts';
import { pageSize, positionOf } from './select.ts';

const reasons = ['question', 'approval', 'changed'] as const;
const answered = listOf(answeredApprovalStatuses);
const undecided = listOf(undecidedStatuses);
// An expired request of a run that has ended stays expired, so these are as many as the store has seen.
const answeredByPeople = listOf(answeredApprovalStatuses.filter((status) => status !== 'expired'));

/** Returns one page of paused runs with the state of the approvals of each and of the runs below it, by one query. */
export function selectPaused(sql: SqlRunner, page: PageRequest = {}): Promise<Page<PausedRun>> {
  const query = `WITH RECURSIVE
    slice (id, sequence, kind, blocked) AS (
      SELECT id, sequence, kind, CASE WHEN block IS NULL THEN 0 ELSE 1 END FROM ${runs.table} WHERE status = 'paused' AND sequence < $1 ORDER BY sequence DESC LIMIT $2),
    tree (top, id) AS (
      SELECT id, id FROM slice
      UNION SELECT tree.top, child.id FROM ${runs.table} child JOIN tree ON child.parent_run_id = tree.id)
    SELECT slice.id, slice.sequence, slice.kind, slice.blocked,
      (SELECT record FROM ${runEventsTable} event WHERE event.run_id = slice.id AND event.type = 'run-paused'
        ORDER BY event.epoch DESC, event.n DESC LIMIT 1) AS pause,
      max(CASE WHEN asked.status IN (${answered}) THEN 1 ELSE 0 END) AS answered,
      max(CASE WHEN asked.status IN (${undecided}) THEN asked.created_sequence ELSE 0 END) AS pending,
      max(CASE WHEN asked.status = 'consumed' THEN asked.sequence ELSE 0 END) AS consumed
    FROM slice JOIN tree ON tree.top = slice.id LEFT JOIN ${approvals.table} asked ON asked.run_id = tree.id
    GROUP BY slice.id, slice.sequence, slice.kind, slice.blocked ORDER BY slice.sequence DESC`;
  const read = (row: SqlRow): PausedRun => ({
    id: textIn(row, 'id'),
    ...(row['kind'] === null ? {} : { kind: textIn(row, 'kind') }),
    ...reasonOf(row['pause']),
    isBlocked: numberIn(row, 'blocked') > 0,
    isAnswered: numberIn(row, 'answered') > 0,
    isPending: numberIn(row, 'pending') > 0,
    hasJustConsumed: numberIn(row, 'consumed') > numberIn(row, 'pending'),
  });
  return pageOf(sql, query, page, { start: Number.MAX_SAFE_INTEGER, read });
}

/** Returns one page of the ids of paused runs with an answer that no call has taken, found by the answers. */
export function selectAnswered(sql: SqlRunner, expiredSince: number, page: PageRequest = {}): Promise<Page<string>> {
  const query = `WITH RECURSIVE up (id) AS (
      SELECT run_id FROM ${approvals.table}
      WHERE status IN (${answeredByPeople}) OR (status = 'expired' AND expires_at >= $3)
      UNION SELECT child.parent_run_id FROM ${runs.table} child JOIN up ON child.id = up.id
      WHERE child.parent_run_id IS NOT NULL)
    SELECT run.id, run.sequence FROM up JOIN ${runs.table} run ON run.id = up.id
    WHERE run.status = 'paused' AND run.sequence > $1 ORDER BY run.sequence LIMIT $2`;
  return pageOf(sql, query, page, { start: 0, read: (row) => textIn(row, 'id'), values: [expiredSince] });
}

// A damaged event has no reason; the reader of the events reports it.
function reasonOf(record: unknown): Pick<PausedRun, 'reason'> {
  try {
    const { data } = JSON.parse(String(record)) as Pick<NewRunEvent, 'data'>;
    const reason = reasons.find((each) => each === data['reason']);
    return reason === undefined ? {} : { reason };
  } catch {
    return {};
  }
}

/** Returns the number of paused runs of a principal that are not below another one; it stops counting at `atMost`. */
export async function countPaused(sql: SqlRunner, principal: Principal, atMost: number): Promise<number> {
  const query = `SELECT count(*) AS paused FROM (
      SELECT 1 FROM ${runs.table} WHERE status = 'paused' AND principal_key = $1 AND parent_run_id IS NULL LIMIT $2) found`;
  const [row] = await sql.all(query, [principalKey(principal), atMost]);
  return numberIn(row ?? {}, 'paused');
}

interface PagedQuery<Item> {
  /** Position before the first row. */
  readonly start: number;
  readonly read: (row: SqlRow) => Item;
  /** Values of the parameters after the position and the number of rows. */
  readonly values?: readonly SqlValue[];
}

// These columns are never part of the JSON of a run, so a damaged run is found like any other and reported by its reader.
async function pageOf<Item>(
  sql: SqlRunner,
  query: string,
  { limit, cursor }: PageRequest,
  { start, read, values = [] }: PagedQuery<Item>,
): Promise<Page<Item>> {
  const size = pageSize(limit);
  const rows = await sql.all(query, [cursor === undefined ? start : positionOf(cursor), size + 1, ...values]);
  const page = rows.slice(0, size);
  const last = page.at(-1);
  const next = rows.length > size && last !== undefined ? { next: String(numberIn(last, 'sequence')) } : {};
  return { items: page.map(read), corrupt: [], ...next };
}
