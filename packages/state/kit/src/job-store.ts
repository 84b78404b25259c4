import type { Job, JobChange, JobStatus, JobStore, NewJob, RunWriter } from '@ravi/kernel';
import { conflict } from './errors.ts';
import { jsonText } from './json-text.ts';
import { checkId, checkOptionalId, optionalPrincipalKey, principalKey } from './keys.ts';
import { choiceIn, numberIn, objectIn, readRow, readRows } from './rows.ts';
import { checkWriter } from './run-rows.ts';
import { insertRow, selectPage, selectRow } from './select.ts';
import type { Database, Dialect, SqlRunner } from './database.ts';
import type { PagedList } from './select.ts';

type JobState = Pick<Job, 'progress' | 'result' | 'error'>;

const statuses: readonly JobStatus[] = ['queued', 'running', 'completed', 'failed', 'cancelled'];

/** Reader of jobs. */
export const jobs: PagedList<Job> = {
  table: 'ravi_jobs',
  orderedBy: 'sequence',
  newestFirst: true,
  key: (row) => String(row['id']),
  decode: (row) => ({
    ...objectIn<NewJob>(row, 'record', ['id', 'principal', 'sessionId', 'kind', 'createdAt']),
    ...objectIn<JobState>(row, 'state', []),
    status: choiceIn(row, 'status', statuses),
    version: numberIn(row, 'version'),
    updatedAt: numberIn(row, 'updated_at'),
  }),
};

/** Creates a store of jobs in a table, without their cancellation. */
export function createJobStore(database: Database): Omit<JobStore, 'cancel'> {
  async function get(id: string): Promise<Job | undefined> {
    const row = await selectRow(database, jobs.table, { id });
    return row && readRow(jobs, row);
  }

  // A single statement needs no transaction.
  function writeAs<Result>(writer: RunWriter | undefined, write: (sql: SqlRunner) => Promise<Result>): Promise<Result> {
    if (writer === undefined) return write(database);
    return database.transaction(async (sql) => {
      await checkWriter(sql, database.dialect.lockRows, writer);
      return write(sql);
    });
  }

  return {
    get,
    async create(job, writer) {
      const row = {
        id: checkId(job.id, 'The id of a job'),
        principal_key: principalKey(job.principal),
        session_id: checkId(job.sessionId, 'The session of a job'),
        run_id: checkOptionalId(job.runId, 'The run of a job'),
        status: 'queued',
        version: 1,
        updated_at: job.createdAt,
        record: jsonText(job, 'A job'),
        state: '{}',
      };
      const isNew = await writeAs(writer, (sql) => insertRow(sql, jobs.table, row));
      if (!isNew) throw conflict(`Job "${job.id}" already exists`);
      return readRow(jobs, row);
    },
    list: ({ principal, sessionId, runId, status }, page) =>
      selectPage(
        database,
        jobs,
        { principal_key: optionalPrincipalKey(principal), session_id: sessionId, run_id: runId, status },
        page,
      ),
    // A stale writer is refused even if the job has changed.
    update: (id, expectedVersion, change) =>
      writeAs(change.writer, async (sql) => {
        const found = await selectRow(sql, jobs.table, { id });
        const job = found && readRow(jobs, found);
        if (job?.version !== expectedVersion) return undefined;
        const [row] = await sql.all(
          `UPDATE ${jobs.table} SET status = $3, updated_at = $4, state = $5, version = version + 1
           WHERE id = $1 AND version = $2 AND status IN ('queued', 'running') RETURNING *`,
          [id, expectedVersion, change.status ?? job.status, change.now, jsonText(stateAfter(job, change), 'A job')],
        );
        return row && readRow(jobs, row);
      }),
  };
}

/** Cancels the live jobs of a run that has just ended: no process works on them any more. */
export async function endJobsOf(
  sql: SqlRunner,
  { takeRows }: Dialect,
  runId: string,
  { now, message }: { readonly now: number; readonly message: string },
): Promise<void> {
  // Taken, because a change of a job that names no writer does not wait for the run.
  const live = `SELECT * FROM ${jobs.table} WHERE run_id = $1 AND status IN ('queued', 'running') ORDER BY sequence${takeRows}`;
  // A damaged row does not keep the run from its end.
  for (const job of readRows(jobs, await sql.all(live, [runId])).items) await cancelLiveJob(sql, job, message, now);
}

/** Cancels a job and returns it; `undefined` if it has ended or has another version. */
export async function cancelLiveJob(sql: SqlRunner, job: Job, message: string, now: number): Promise<Job | undefined> {
  const error = { code: 'E_CANCELLED', message, retryable: false };
  const [row] = await sql.all(
    `UPDATE ${jobs.table} SET status = 'cancelled', updated_at = $3, state = $4, version = version + 1
     WHERE id = $1 AND version = $2 AND status IN ('queued', 'running') RETURNING *`,
    [job.id, job.version, now, jsonText(stateAfter(job, { error, now }), 'A job')],
  );
  return row && readRow(jobs, row);
}

function stateAfter(job: Job, change: JobChange): JobState {
  const { progress = job.progress, result = job.result, error = job.error } = change;
  return {
    ...(progress === undefined ? {} : { progress }),
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
  };
}
