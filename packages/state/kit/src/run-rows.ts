import type { NewRun, Run, RunOutcome, RunStatus } from '@ravi/kernel';
import { choiceIn, numberIn, objectIn, optionalObjectIn, textIn } from './rows.ts';
import type { SqlRow, SqlRunner } from './database.ts';
import type { PagedList } from './select.ts';

const statuses: readonly RunStatus[] = ['running', 'paused', 'completed', 'failed', 'cancelled'];
/** Condition for runs that can continue. */
export const isLive = "status IN ('running', 'paused')";

/** Reader of runs. */
export const runs: PagedList<Run> = {
  table: 'ravi_runs',
  orderedBy: 'sequence',
  newestFirst: true,
  key: (row) => String(row['id']),
  decode(row) {
    const outcome = optionalObjectIn<RunOutcome>(row, 'outcome', []);
    return {
      ...objectIn<NewRun>(row, 'record', ['id', 'principal', 'sessionId', 'definition', 'createdAt']),
      status: choiceIn(row, 'status', statuses),
      updatedAt: numberIn(row, 'updated_at'),
      ...(row['lease_owner'] === null ? {} : { lease: leaseIn(row) }),
      epoch: numberIn(row, 'epoch'),
      ...(outcome === undefined ? {} : { outcome }),
    };
  },
};

function leaseIn(row: SqlRow): NonNullable<Run['lease']> {
  return { owner: textIn(row, 'lease_owner'), expiresAt: numberIn(row, 'lease_expires_at') };
}

/** Returns the rows of runs with their leases, by id. No process can claim them until the transaction ends. */
export async function leasesOf(
  sql: SqlRunner,
  lockRows: string,
  runIds: ReadonlySet<string>,
): Promise<ReadonlyMap<string, SqlRow>> {
  if (runIds.size === 0) return new Map();
  const places = [...runIds].map((_, index) => `$${index + 1}`).join(', ');
  const found = await sql.all(
    `SELECT id, lease_owner, epoch FROM ${runs.table} WHERE id IN (${places}) ORDER BY id${lockRows}`,
    [...runIds],
  );
  return new Map(found.map((row) => [String(row['id']), row]));
}
