import type { Cancellation, CancellationStore } from '@ravi/kernel';
import type { Database, SqlRow } from './database.ts';
import { jobs } from './job-store.ts';
import { checkId } from './keys.ts';
import { numberIn, textIn } from './rows.ts';
import { isLive, runs } from './run-rows.ts';
import { selectRow } from './select.ts';

const table = 'ravi_cancellations';
const maxPerList = 100;
const isLiveJob = "status IN ('queued', 'running')";

/** Creates a store of recorded cancellations in a table, which is empty most of the time. A cancellation of a run has an empty job id. */
export function createCancellationStore(database: Database): CancellationStore {
  const insert = (condition: string): string =>
    `INSERT INTO ${table} (run_id, job_id, requested_at) SELECT id, CAST($2 AS TEXT), CAST($3 AS BIGINT) FROM ${runs.table}
     WHERE id = $1 AND ${isLive}${condition} ON CONFLICT (run_id, job_id) DO UPDATE SET requested_at = ${table}.requested_at
     RETURNING run_id`;
  const ofRun = insert('');
  const ofJob = insert(` AND EXISTS (SELECT 1 FROM ${jobs.table} WHERE id = $2 AND run_id = $1 AND ${isLiveJob})`);

  return {
    async request({ runId, jobId, requestedAt }) {
      const ids = [checkId(runId, 'The id of a run'), jobId === undefined ? '' : checkId(jobId, 'The id of a job')];
      const rows = await database.all(jobId === undefined ? ofRun : ofJob, [...ids, requestedAt]);
      return rows.length > 0;
    },
    async list(owner) {
      const rows = await database.all(
        `SELECT request.* FROM ${table} request JOIN ${runs.table} run ON run.id = request.run_id
         WHERE (run.status = 'running' AND run.lease_owner = $1) OR run.status = 'paused'
         ORDER BY request.requested_at, request.run_id, request.job_id LIMIT ${maxPerList}`,
        [owner],
      );
      return rows.map(cancellationIn);
    },
    has: async (runId) => (await selectRow(database, table, { run_id: runId, job_id: '' })) !== undefined,
    removeEnded: () => removeEndedCancellations(database),
  };
}

/** Removes the cancellations of runs and jobs that have ended, and returns how many these were. */
export async function removeEndedCancellations(database: Database): Promise<number> {
  const rows = await database.all(
    `DELETE FROM ${table} WHERE NOT EXISTS (SELECT 1 FROM ${runs.table} run WHERE run.id = ${table}.run_id AND run.${isLive})
       OR (job_id <> '' AND NOT EXISTS (SELECT 1 FROM ${jobs.table} job WHERE job.id = ${table}.job_id AND job.${isLiveJob}))
     RETURNING run_id`,
  );
  return rows.length;
}

function cancellationIn(row: SqlRow): Cancellation {
  const jobId = textIn(row, 'job_id');
  return {
    runId: textIn(row, 'run_id'),
    ...(jobId === '' ? {} : { jobId }),
    requestedAt: numberIn(row, 'requested_at'),
  };
}
