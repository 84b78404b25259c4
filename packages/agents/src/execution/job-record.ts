import type { InvocationError, Job, JobChange, JobStatus, JsonValue, NewJob } from '@ravi/kernel';
import { errorText } from '@ravi/support';
import type { AgentRun } from '../loop/agent-run.ts';

/** A job in the job store, written behind the job itself. */
export interface JobRecord {
  end(status: JobStatus, result: JsonValue, error: InvocationError | undefined): void;
}

/** `undefined` without a store. A store that fails is logged and stops no job. */
export function createJobRecord(run: AgentRun, job: Omit<NewJob, 'createdAt'>): JobRecord | undefined {
  const store = run.definition.jobs;
  if (store === undefined) return undefined;
  const now = (): number => run.now();

  async function begin(): Promise<Job | undefined> {
    const created = await store?.create({ ...job, createdAt: now() });
    return created === undefined ? undefined : change(created, { status: 'running', now: now() });
  }

  async function change(current: Job, next: JobChange): Promise<Job | undefined> {
    return store?.update(current.id, current.version, next);
  }

  async function finish(next: JobChange): Promise<Job | undefined> {
    const current = await last;
    return current === undefined ? undefined : change(current, next);
  }

  const guarded = (saving: Promise<Job | undefined>): Promise<Job | undefined> =>
    saving.catch((error: unknown) => {
      run.definition.logger.error('a job was not stored', { jobId: job.id, error: errorText(error) });
      return undefined;
    });

  let last = guarded(begin());
  return {
    end(status, result, error) {
      const outcome = { status, result, now: now(), ...(error === undefined ? {} : { error }) };
      last = guarded(finish(outcome));
      run.writing(last);
    },
  };
}
