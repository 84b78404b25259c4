import type { InvocationError, Job, JobChange, JobStatus, JobStore, JsonValue, Logger, NewJob } from '@ravi/kernel';
import { errorText } from '@ravi/support';

/** Store of jobs, if the agent has one. */
export interface JobStorage {
  readonly jobs: JobStore | undefined;
  readonly logger: Logger;
}

/** Record of a job in the job store. The job does not wait for it. */
export interface JobRecord {
  /** Stores how the job ended. */
  end(status: JobStatus, result: JsonValue, error: InvocationError | undefined): void;
  /** Resolves when the last change is stored. Never rejects: a store that fails is logged and stops no job. */
  readonly saved: Promise<unknown>;
}

/** Stores that a job runs. Returns `undefined` without a job store. */
export function createJobRecord(
  { jobs: store, logger }: JobStorage,
  job: Omit<NewJob, 'createdAt'>,
  now: () => number,
): JobRecord | undefined {
  if (store === undefined) return undefined;
  const change = (current: Job, next: JobChange): Promise<Job | undefined> =>
    store.update(current.id, current.version, next);

  const begin = async (): Promise<Job | undefined> =>
    change(await store.create({ ...job, createdAt: now() }), { status: 'running', now: now() });

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
