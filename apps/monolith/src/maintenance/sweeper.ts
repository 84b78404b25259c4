import type { BlobStore, Clock, Logger, SweepOptions } from '@ravi/kernel';
import { repeat } from './repeat.ts';
import type { Repeated } from './repeat.ts';

/** Options of {@link startSweeper}. */
export interface SweeperOptions {
  readonly blobStore: BlobStore;
  /** Returns the options of the next sweep; none by default. */
  readonly sweepOptions?: () => SweepOptions;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Milliseconds between the end of one sweep and the start of the next. */
  readonly intervalMs: number;
}

/**
 * Sweeps the blob store now and after each interval, until disposed. A failure is logged and tried again.
 */
export function startSweeper({ blobStore, sweepOptions, ...options }: SweeperOptions): Repeated {
  const { clock, logger } = options;
  const work = async (): Promise<void> => {
    const { removed, freedBytes } = await blobStore.sweep(clock.now(), sweepOptions?.());
    if (removed > 0) logger.info('blobs swept', { removed, freedBytes });
  };
  return repeat({ ...options, work, failure: 'the blob store could not be swept' });
}
