import { isKernelError } from '@ravi/kernel';
import type { Cancellation, Clock, CompleteStateStore, Logger, Timer } from '@ravi/kernel';
import type { RunService } from './run-service.ts';

/** Options of {@link startCancellationWatch}. */
export interface CancellationWatchOptions {
  readonly store: Pick<CompleteStateStore, 'cancellations' | 'jobs' | 'runs'>;
  readonly service: Pick<RunService, 'cancelHere' | 'cancelJobHere'>;
  /** Name under which this process executes runs. */
  readonly owner: string;
  /** Returns true while this process executes runs. */
  readonly isBusy: () => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

const intervalMs = 400;
// A paused run may have a request that its last process did not see.
const pollsPerIdleRead = 12;
// Work that is still live then is cancelled again: it may have been about to pause.
const pollsPerAttempt = 12;

/**
 * Looks for cancellations that other processes have recorded for the runs and jobs of this one, and carries them out, until it is
 * disposed. A process that executes nothing polls for those of paused runs, less often.
 */
export function startCancellationWatch(options: CancellationWatchOptions): AsyncDisposable {
  const { store, service, owner, isBusy, clock, logger } = options;
  /** Requests whose work is ending, or could not be ended, and the poll of the last attempt. */
  const tried = new Map<string, number>();
  let isOver = false;
  let polls = 0;
  let isUnavailable = false;
  let timer: Timer | undefined;
  let polling = Promise.resolve();
  schedule();

  function schedule(): void {
    if (!isOver) timer = clock.setTimer(() => void (polling = poll()), intervalMs, { isBackground: true });
  }

  async function poll(): Promise<void> {
    const isDue = polls++ % pollsPerIdleRead === 0;
    try {
      if (isDue || isBusy() || tried.size > 0) await carryOut(await store.cancellations.list(owner));
      isUnavailable = false;
    } catch (error) {
      if (!isUnavailable) logger.warn('cancellations could not be read; will retry', { error });
      isUnavailable = true;
    }
    schedule();
  }

  async function carryOut(requests: readonly Cancellation[]): Promise<void> {
    const open = new Set(requests.map(keyOf));
    const ended = [...tried.keys()].filter((key) => !open.has(key));
    for (const key of ended) tried.delete(key);
    for (const request of requests) {
      const isDue = polls - (tried.get(keyOf(request)) ?? -Infinity) >= pollsPerAttempt;
      if (isDue && (await attempt(request))) tried.set(keyOf(request), polls);
    }
    if (ended.length + requests.length > 0) await store.cancellations.removeEnded();
  }

  /** Like {@link cancel}. Work that cannot be cancelled, such as a damaged run, is reported once and does not hold up the others. */
  async function attempt(request: Cancellation): Promise<boolean> {
    try {
      return await cancel(request);
    } catch (error) {
      if (isKernelError(error, 'E_STATE_UNAVAILABLE')) throw error;
      if (!tried.has(keyOf(request))) logger.error('a cancellation failed; will retry', { ...request, error });
      return true;
    }
  }

  /** Returns false if the work is not this process's yet, or no longer. */
  async function cancel({ runId, jobId }: Cancellation): Promise<boolean> {
    if (jobId !== undefined) {
      const job = await store.jobs.get(jobId);
      return job !== undefined && service.cancelJobHere(job);
    }
    const run = await store.runs.get(runId);
    return run !== undefined && service.cancelHere(run);
  }

  return {
    async [Symbol.asyncDispose]() {
      isOver = true;
      timer?.cancel();
      await polling;
    },
  };
}

function keyOf({ runId, jobId = '' }: Cancellation): string {
  return `${runId}\0${jobId}`;
}
