import { isKernelError } from '@ravi/kernel';
import type { Clock } from '@ravi/kernel';

const firstDelayMs = 25;
const maxDelayMs = 1_000;

/**
 * Repeats an operation while the store is unavailable (`E_STATE_UNAVAILABLE`), with a random delay whose bound doubles
 * from 25 ms to 1 s.
 * A failed attempt may have had its effect, so `operation` must be idempotent.
 * @throws any other error of `operation`, and its last error once `signal` aborts
 */
export async function retryWhileUnavailable<Value>(
  operation: () => Promise<Value>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Value> {
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
    try {
      return await operation();
    } catch (error) {
      if (!isKernelError(error, 'E_STATE_UNAVAILABLE') || signal.aborted) throw error;
      // Random, so that the runs of a process do not all return at once.
      await pause(delayMs * (0.5 + Math.random() / 2), clock, signal);
    }
  }
}

function pause(delayMs: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = clock.setTimer(resolve, delayMs);
  const stop = (): void => resolve();
  signal.addEventListener('abort', stop, { once: true });
  return promise.finally(() => {
    timer.cancel();
    signal.removeEventListener('abort', stop);
  });
}
