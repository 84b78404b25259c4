import type { Clock, Logger, Timer } from '@ravi/kernel';
import { failureText } from '@ravi/engine-kit';
import type { WakeJob } from './taken-jobs.ts';
import type { WakeSource } from './take-wakes.ts';

/** Options of {@link startWorkLoop}. */
export interface WorkLoopOptions {
  readonly slots: number;
  readonly source: WakeSource;
  /** Longest time between two polls, in which wakes become due without a message. */
  readonly pollMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Handles a wake to its end. It never rejects. */
  handle(job: WakeJob): Promise<void>;
  /** Gives a wake back that was taken while the loop was stopped. It never rejects. */
  giveBack(job: WakeJob): Promise<void>;
}

/** Loop that fills the slots of a worker. Disposing it waits for its handlers. */
export interface WorkLoop extends AsyncDisposable {
  /** Looks at once: wakes may be due. */
  look(): void;
}

/** Starts to take wakes. */
export function startWorkLoop({ slots, source, pollMs, clock, logger, handle, giveBack }: WorkLoopOptions): WorkLoop {
  const handlers = new Set<Promise<void>>();
  let isStopped = false;
  let mayHaveMore = true;
  let isFailing = false;
  let proceed: (() => void) | undefined;

  function look(): void {
    mayHaveMore = true;
    proceed?.();
  }

  async function run(): Promise<void> {
    while (!isStopped) {
      const free = slots - handlers.size;
      if (free === 0 || !mayHaveMore) {
        await pause();
        continue;
      }
      mayHaveMore = false;
      const jobs = await takeSome(free);
      if (jobs.length > 0) mayHaveMore = true;
      if (isStopped) await Promise.all(jobs.map(giveBack));
      else jobs.forEach(begin);
    }
  }

  async function takeSome(free: number): Promise<readonly WakeJob[]> {
    try {
      const jobs = await source.take(free);
      isFailing = false;
      return jobs;
    } catch (error) {
      if (!isFailing && !isStopped)
        logger.warn('the engine cannot take runs; it tries again', { error: failureText(error) });
      isFailing = true;
      return [];
    }
  }

  function begin(job: WakeJob): void {
    const handler = handle(job).then(() => {
      handlers.delete(handler);
      look();
    });
    handlers.add(handler);
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        timer.cancel();
        proceed = undefined;
        mayHaveMore = true;
        resolve();
      };
      const timer: Timer = clock.setTimer(go, pollMs, { isBackground: true });
      proceed = go;
    });
  }

  const running = run();
  return {
    look,
    async [Symbol.asyncDispose]() {
      isStopped = true;
      proceed?.();
      await running;
      await Promise.all(handlers);
    },
  };
}
