import type { RunWakeReason, RunWakes, StateTransaction, WakeSink, WorkableRun } from '@ravi/kernel';
import type { Database, SqlRow, SqlRunner, TransactionOptions } from './database.ts';
import { invalid } from './errors.ts';
import { checkId } from './keys.ts';
import { textIn } from './rows.ts';

/** Database that tells sinks about the runs that its transactions make workable, and the part of the store that connects them. */
export interface DatabaseWithWakes {
  readonly database: Database;
  readonly wakes: RunWakes;
}

/** Runs that a transaction may have made workable, with the reason. */
interface Noted {
  readonly runs: Map<string, RunWakeReason>;
  takeOver: boolean;
}

type CommitOptions = { readonly takeOver?: true };

const maxRuns = 500;
const noted = new WeakMap<SqlRunner, Noted>();
const attempt: readonly WorkableRun[] = ['agent', 'chain'].map((kind) => ({
  runId: `engine-check-${kind}`,
  group: 'engine-check',
  kind,
  reason: 'due',
}));

/**
 * Notes that a transaction may have made a run workable. At its end the outermost run is woken if it is live; with `child-ended` only
 * if it is paused, and with `begun`, `orphaned` and `retried` only if no process executes it. Nothing happens without a sink.
 * @param takeOver true if the processes that have the noted runs are known to be dead
 */
export function noteRun(sql: SqlRunner, runId: string, reason: RunWakeReason, takeOver = false): void {
  const found = noted.get(sql);
  if (found === undefined) return;
  if (!found.runs.has(runId)) found.runs.set(runId, reason);
  found.takeOver ||= takeOver;
}

/** Wraps a database. What its transactions note reaches each sink once, at the end or after the commit. */
export function withWakes(inner: Database): DatabaseWithWakes {
  const sinks = new Set<WakeSink>();
  const sinksOf = (when: WakeSink['when']): readonly WakeSink[] => [...sinks].filter((sink) => sink.when === when);

  async function transaction<Result>(
    body: (sql: SqlRunner) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result> {
    if (sinks.size === 0) return inner.transaction(body, options);
    let workable: readonly WorkableRun[] = [];
    let how: CommitOptions = {};
    const result = await inner.transaction(async (sql) => {
      const found: Noted = { runs: new Map(), takeOver: false };
      noted.set(sql, found);
      const value = await body(sql);
      workable = await workableOf(sql, inner, found.runs);
      how = found.takeOver ? { takeOver: true } : {};
      const within = transactionOf(sql, inner);
      for (const sink of sinksOf('within')) await inSlices(workable, (slice) => sink.wake(slice, { ...how, within }));
      return value;
    }, options);
    for (const sink of sinksOf('after')) await inSlices(workable, (slice) => sink.wake(slice, how).catch(() => {}));
    return result;
  }

  const database: Database = { ...inner, transaction };
  return {
    database,
    wakes: {
      async attach(sink) {
        if (sink.when === 'within') await tryWithin(inner, sink);
        sinks.add(sink);
        return { [Symbol.dispose]: () => void sinks.delete(sink) };
      },
      async send(runIds, reason, { takeOver = false } = {}) {
        if (runIds.length > maxRuns)
          throw invalid(`At most ${maxRuns} runs can be woken at once, got ${runIds.length}`);
        for (const runId of runIds) checkId(runId, 'The id of a run');
        if (runIds.length === 0 || sinks.size === 0) return;
        const note = async (sql: SqlRunner): Promise<void> =>
          runIds.forEach((runId) => noteRun(sql, runId, reason, takeOver));
        await transaction(note, { durability: 'process' });
      },
    },
  };
}

// A transaction that fails later would fail a decision of a person.
async function tryWithin(database: Database, sink: WakeSink): Promise<void> {
  const rolledBack = new Error('The transaction was an attempt');
  const attempted = database.transaction(async (sql) => {
    // A first query may be sent before the transaction has begun, and that of an engine may be one that writes.
    await sql.all('SELECT 1');
    await sink.wake(attempt, { within: transactionOf(sql, database) });
    throw rolledBack;
  });
  await attempted.catch((error: unknown) => {
    if (error !== rolledBack) throw error;
  });
}

function transactionOf(sql: SqlRunner, { dialect }: Database): StateTransaction {
  return { database: dialect.name, run: (statement, values) => sql.all(statement, values) };
}

async function workableOf(
  sql: SqlRunner,
  database: Database,
  runs: ReadonlyMap<string, RunWakeReason>,
): Promise<readonly WorkableRun[]> {
  const found = new Map<string, WorkableRun>();
  for (const [runId, reason] of runs) {
    const [row] = await sql.all(outermostOf(database), [runId]);
    if (row === undefined || !isWorkable(row, runId, reason)) continue;
    const id = textIn(row, 'id');
    const kind = row['kind'];
    if (found.has(id)) continue;
    found.set(id, {
      runId: id,
      group: textIn(row, 'principal_key'),
      kind: typeof kind === 'string' ? kind : 'agent',
      reason,
    });
  }
  return [...found.values()];
}

function isWorkable(row: SqlRow, runId: string, reason: RunWakeReason): boolean {
  if (reason === 'child-ended') return row['status'] === 'paused' && row['id'] !== runId;
  if (reason === 'begun' || reason === 'orphaned' || reason === 'retried') return Number(row['is_held']) === 0;
  return true;
}

// The text is the same for each run, so that the database prepares it once.
function outermostOf({ dialect: { leaseNow } }: Database): string {
  return `WITH RECURSIVE up (id, parent) AS (
      SELECT id, parent_run_id FROM ravi_runs WHERE id = $1
      UNION SELECT above.id, above.parent_run_id FROM ravi_runs above JOIN up ON above.id = up.parent)
    SELECT run.id, run.principal_key, run.kind, run.status,
      CASE WHEN EXISTS (SELECT 1 FROM ravi_processes process WHERE process.id = run.lease_owner AND process.dead_at > ${leaseNow})
        THEN 1 ELSE 0 END AS is_held
    FROM up JOIN ravi_runs run ON run.id = up.id WHERE up.parent IS NULL AND run.status IN ('running', 'paused')`;
}

async function inSlices<Item>(items: readonly Item[], use: (slice: readonly Item[]) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += maxRuns) await use(items.slice(at, at + maxRuns));
}
