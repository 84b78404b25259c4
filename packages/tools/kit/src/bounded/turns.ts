import { KernelError } from '@ravi/kernel';

/** Places for work of which only a few pieces run at once. */
export interface Turns {
  /**
   * Waits for a place. Dispose it after the work.
   * @throws KernelError `E_CANCELLED` if the signal aborts before
   */
  take(signal: AbortSignal): Promise<Disposable>;
}

/** Creates a number of places, which are given in the order in which they are asked for. */
export function createTurns(places: number): Turns {
  let free = places;
  const waiting = new Set<() => void>();
  const release = (): void => {
    const [next] = waiting;
    if (next === undefined) free++;
    else next();
  };
  return {
    async take(signal) {
      if (free > 0) free--;
      else await wait(waiting, signal);
      let isHeld = true;
      return {
        [Symbol.dispose]() {
          if (isHeld) release();
          isHeld = false;
        },
      };
    },
  };
}

function wait(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      waiting.delete(begin);
      signal.removeEventListener('abort', abort);
    };
    const begin = (): void => {
      stop();
      resolve();
    };
    const abort = (): void => {
      stop();
      reject(new KernelError('E_CANCELLED', 'The work was cancelled before it began'));
    };
    waiting.add(begin);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
}
