import type { NewRun, Run, RunBlock, RunOutcome, RunStatus, RunWriter } from '@ravi/kernel';
import { conflict } from './errors.ts';
import { choiceIn, numberIn, objectIn, optionalObjectIn, textIn } from './rows.ts';
import type { SqlRow, SqlRunner } from './database.ts';
import type { PagedList, ValueCondition } from './select.ts';

// A blocked run is a paused one with a block.
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
    const status = choiceIn(row, 'status', statuses);
    const block = status === 'paused' ? optionalObjectIn<RunBlock>(row, 'block', ['message', 'needs']) : undefined;
    return {
      ...objectIn<NewRun>(row, 'record', ['id', 'principal', 'sessionId', 'definition', 'createdAt']),
      status: block === undefined ? status : 'blocked',
      updatedAt: numberIn(row, 'updated_at'),
      ...(row['lease_owner'] === null ? {} : { owner: textIn(row, 'lease_owner') }),
      epoch: numberIn(row, 'epoch'),
      ...(block === undefined ? {} : { block }),
      ...(outcome === undefined ? {} : { outcome }),
    };
  },
};

/** Returns the condition for rows with one of the statuses. */
export function hasStatus(accepted: readonly RunStatus[]): string {
  const plain = statuses.filter((status) => status !== 'paused' && accepted.includes(status));
  const conditions = [
    ...plain.map((status) => `status = '${status}'`),
    ...(accepted.includes('paused') ? ["(status = 'paused' AND block IS NULL)"] : []),
    ...(accepted.includes('blocked') ? ["(status = 'paused' AND block IS NOT NULL)"] : []),
  ];
  return conditions.length === 0 ? '1 = 0' : `(${conditions.join(' OR ')})`;
}

/** Returns the condition for rows of a run and of every run below it, by a column with the id of the run. */
export function ofRunAndBelow(runId: string, column: 'run_id' | 'id' = 'run_id'): ValueCondition {
  return {
    // PostgreSQL requires both terms of the recursion to have the collation of the column, which a parameter does not have.
    text: `${column} IN (WITH RECURSIVE top (id) AS (SELECT CAST(`,
    value: runId,
    after:
      ` AS TEXT)), below (id) AS (SELECT id FROM ${runs.table} WHERE parent_run_id = (SELECT id FROM top) ` +
      `UNION SELECT child.id FROM ${runs.table} child JOIN below ON child.parent_run_id = below.id) ` +
      'SELECT id FROM below UNION SELECT id FROM top)',
  };
}

/** Owners and epochs of runs, by the id of the run. */
export type Owners = ReadonlyMap<string, SqlRow>;

/** Returns the owners of runs. No process can claim the runs until the transaction ends. */
export async function ownersOf(sql: SqlRunner, lockRows: string, runIds: ReadonlySet<string>): Promise<Owners> {
  if (runIds.size === 0) return new Map();
  const places = [...runIds].map((_, index) => `$${index + 1}`).join(', ');
  const found = await sql.all(
    `SELECT id, lease_owner, epoch FROM ${runs.table} WHERE id IN (${places}) ORDER BY id${lockRows}`,
    [...runIds],
  );
  return new Map(found.map((row) => [String(row['id']), row]));
}

/** Returns the error for a writer that does not execute its run; `undefined` for one that does, and for no writer. */
export function problemOf(writer: RunWriter | undefined, owners: Owners): Error | undefined {
  if (writer === undefined) return undefined;
  const { runId, owner, epoch } = writer;
  const run = owners.get(runId);
  if (run?.['lease_owner'] === owner && run['epoch'] === epoch) return undefined;
  return conflict(`"${owner}" does not execute epoch ${epoch} of run "${runId}"`);
}

/**
 * Checks that a writer executes its run. No process can claim the run until the transaction ends, so the next owner sees what
 * the transaction writes.
 * @throws KernelError `E_STATE_CONFLICT`
 */
export async function checkWriter(sql: SqlRunner, lockRows: string, writer: RunWriter | undefined): Promise<void> {
  if (writer === undefined) return;
  const problem = problemOf(writer, await ownersOf(sql, lockRows, new Set([writer.runId])));
  if (problem !== undefined) throw problem;
}
