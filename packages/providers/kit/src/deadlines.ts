import type { Clock, ModelError } from '@ravi/kernel';
import { modelError } from './http-error.ts';

/** Time limits of one attempt, in milliseconds; `Infinity` for no limit. */
export interface TimeLimits {
  /** From sending the request to the first part of the response that the model wrote. */
  readonly firstTokenTimeoutMs: number;
  /** Between two parts of the response. Comments and pings are not parts. */
  readonly idleTimeoutMs: number;
  /** From sending the request to the end of the response. */
  readonly totalTimeoutMs: number;
}

/** Deadlines of one attempt, from its creation on. */
export interface Deadlines {
  /** Notes a part of the response, which restarts the idle timeout. */
  progress(): void;
  /** Notes the first part that the model wrote: from now on the idle timeout applies. */
  begin(): void;
  /** Calls `onExceeded` with the error once a limit is reached, until it is cancelled. */
  watch(onExceeded: (error: ModelError) => void): { cancel(): void };
}

/** Creates the deadlines of an attempt that starts now. */
export function createDeadlines(clock: Clock, limits: TimeLimits): Deadlines {
  const startedAt = clock.monotonic();
  let progressedAt = startedAt;
  let hasBegun = false;

  const next = (): { readonly at: number; readonly error: ModelError } => {
    const { firstTokenTimeoutMs, idleTimeoutMs, totalTimeoutMs } = limits;
    const total = startedAt + totalTimeoutMs;
    const part = hasBegun ? progressedAt + idleTimeoutMs : startedAt + firstTokenTimeoutMs;
    if (total <= part) {
      const message = `The response took longer than ${totalTimeoutMs} ms (totalTimeoutMs)`;
      return { at: total, error: modelError('E_MODEL_TIMEOUT', message, false) };
    }
    const message = hasBegun
      ? `The response stalled for ${idleTimeoutMs} ms (idleTimeoutMs)`
      : `The model provider did not respond within ${firstTokenTimeoutMs} ms (firstTokenTimeoutMs)`;
    return { at: part, error: modelError('E_MODEL_TIMEOUT', message, true) };
  };

  return {
    progress() {
      progressedAt = clock.monotonic();
    },
    begin() {
      hasBegun = true;
    },
    watch(onExceeded) {
      const { at, error } = next();
      return clock.setTimer(() => onExceeded(error), Math.max(0, at - clock.monotonic()));
    },
  };
}
