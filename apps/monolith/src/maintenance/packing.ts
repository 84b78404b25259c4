import type { Clock, Logger, RetentionStore } from '@ravi/kernel';
import { repeat } from './repeat.ts';
import type { Repeated } from './repeat.ts';

/** Options of {@link startPacking}. */
export interface PackingOptions {
  readonly retention: Pick<RetentionStore, 'packNext'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const intervalMs = 60_000;
// The last records of a run arrive shortly after its end.
const settlingMs = 60_000;

/** Packs the records of ended runs, one after the other, a minute after the start and after each minute until disposed. */
export function startPacking({ retention, clock, logger }: PackingOptions): Repeated {
  async function work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await retention.packNext(clock.now() - settlingMs))) {
      // Requests and calls that wait go first.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  const failure = 'the records of ended runs could not be packed';
  return repeat({ work, failure, intervalMs, startDelayMs: intervalMs, clock, logger });
}
