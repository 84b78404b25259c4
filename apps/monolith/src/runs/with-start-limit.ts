import { isKernelError, KernelError } from '@ravi/kernel';
import type { Clock, NewRun, Run, RunHolder, RunStore } from '@ravi/kernel';

/** Options of {@link withStartLimit}. */
export interface StartLimitOptions {
  readonly startTimeoutMs: number;
  readonly clock: Clock;
}

interface Start {
  /** Monotonic time after which the start is given up. */
  readonly until: number;
  /** True while an attempt without a reply may have been written. */
  isUncertain: boolean;
}

const retryAfterMs = 5_000;

/**
 * Limits the time for which the start of a run is repeated while the store is unavailable. A read comes before each attempt, so that
 * nothing is written to a store that does not answer, and it shows whether the attempt before was written. Runs below another run
 * wait with it, without a limit of their own.
 *
 * `create` then also throws KernelError `E_NOT_STARTED`: the run is not stored, and never will be; `E_CALL_UNKNOWN`: the store fell
 * silent during the write, and may have the run
 */
export function withStartLimit(runs: RunStore, { startTimeoutMs, clock }: StartLimitOptions): RunStore {
  /** By the run that an attempt names, which is the same object each time. */
  const starts = new WeakMap<NewRun, Start>();

  function startOf(run: NewRun): Start {
    const known = starts.get(run);
    if (known !== undefined) return known;
    const start = { until: clock.monotonic() + startTimeoutMs, isUncertain: false };
    starts.set(run, start);
    return start;
  }

  async function attempt(run: NewRun, holder: RunHolder | undefined, start: Start): Promise<Run> {
    // A run that is stored has started: its creation continues.
    if ((await runs.get(run.id)) === undefined) start.isUncertain = false;
    const wasUncertain = start.isUncertain;
    try {
      start.isUncertain = true;
      return await runs.create(run, holder);
    } catch (error) {
      // The store has answered.
      if (!isKernelError(error, 'E_STATE_UNAVAILABLE')) start.isUncertain = wasUncertain;
      throw error;
    }
  }

  async function isStored({ id }: NewRun): Promise<boolean | undefined> {
    try {
      return (await runs.get(id)) !== undefined;
    } catch {
      return undefined;
    }
  }

  return {
    ...runs,
    async create(run, holder) {
      if (holder?.above !== undefined) return runs.create(run, holder);
      const start = startOf(run);
      try {
        return await attempt(run, holder, start);
      } catch (error) {
        if (!isKernelError(error, 'E_STATE_UNAVAILABLE') || clock.monotonic() < start.until) throw error;
        const found = start.isUncertain ? await isStored(run) : false;
        if (found === false) {
          const limit = `${startTimeoutMs} ms (runs.startTimeoutMs)`;
          throw notStarted(`The state store did not store the run within ${limit}. Nothing was started`);
        }
        // It is stored, and the next attempt finds it.
        if (found === true) throw error;
        throw new KernelError(
          'E_CALL_UNKNOWN',
          `The state store fell silent while it stored run ${run.id}. Read this run before you send the request again`,
        );
      }
    },
  };
}

/** Returns the error of a start that was given up, with the time after which a client may repeat it. */
export function notStarted(message: string): KernelError {
  return new KernelError('E_NOT_STARTED', message, { retryable: true, retryAfterMs });
}
