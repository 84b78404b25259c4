import type { InvocationError, Job, JobChange, JobStatus, JobStore, JsonValue, Logger, NewJob } from '@ravi/kernel';
import { isKernelError } from '@ravi/kernel';
import { errorText } from '@ravi/support';
import { waitForStore } from '../conversation/wait-for-store.ts';
import type { StoreUser } from '../conversation/wait-for-store.ts';

/** Store of jobs, if the agent has one. */
export interface JobStorage {
  readonly jobs: JobStore | undefined;
  readonly logger: Logger;
}

/** Run that records its jobs. */
export interface JobRecorder extends StoreUser {
  readonly definition: StoreUser['definition'] & JobStorage;
  now(): number;
}

/** Record of a job in the job store. The job does not wait for it. */
export interface JobRecord {
  /** Stores how the job ended. */
  end(status: JobStatus, result: JsonValue, error: InvocationError | undefined): void;
  /** Resolves when the last change is stored. Never rejects: a store that fails is logged and stops no job. */
  readonly saved: Promise<unknown>;
}

/**
 * Stores that a job runs. Returns `undefined` without a job store. A run with a lease waits while the store is unavailable.
 * `row` is the record of a job that an earlier process began.
 */
export function createJobRecord(run: JobRecorder, job: Omit<NewJob, 'createdAt'>, row?: Job): JobRecord | undefined {
  const { jobs: store, logger } = run.definition;
  if (store === undefined) return undefined;
  const now = (): number => run.now();

  // An attempt that failed without a reply may have been written, here and in `change`. Ids of jobs are random.
  const create = (): Promise<Job> =>
    waitForStore(run, async () => {
      try {
        return await store.create({ ...job, createdAt: now() }, run.lease?.writer);
      } catch (error) {
        const created = isKernelError(error, 'E_STATE_CONFLICT') ? await store.get(job.id) : undefined;
        if (created === undefined) throw error;
        return created;
      }
    });

  const change = ({ id, version }: Job, next: JobChange): Promise<Job | undefined> =>
    waitForStore(run, async () => {
      const { lease } = run;
      const changed = await store.update(id, version, lease === undefined ? next : { ...next, writer: lease.writer });
      if (changed !== undefined) return changed;
      const current = await store.get(id);
      return current?.version === version + 1 && current.status === next.status ? current : undefined;
    });

  const begin = async (): Promise<Job | undefined> => {
    if (row?.status === 'running') return row;
    return change(row ?? (await create()), { status: 'running', now: now() });
  };

  const finish = async (next: JobChange): Promise<Job | undefined> => {
    const current = await last;
    return current === undefined ? undefined : change(current, next);
  };

  const guarded = (saving: Promise<Job | undefined>): Promise<Job | undefined> =>
    saving.catch((error: unknown) => {
      logger.error('a job was not stored', { jobId: job.id, error: errorText(error) });
      return undefined;
    });

  let last = guarded(begin());
  return {
    get saved() {
      return last;
    },
    end(status, result, error) {
      const outcome = { status, result, now: now(), ...(error === undefined ? {} : { error }) };
      last = guarded(finish(outcome));
    },
  };
}
