import type { BlobStore, Clock, Logger, Timer } from '@ravi/kernel';

/** What a sweeper works with. */
export interface SweeperOptions {
  readonly blobStore: BlobStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Milliseconds between the end of one sweep and the start of the next. */
  readonly intervalMs: number;
}

/**
 * Sweeps the blob store now and then again after each interval, until it is disposed. The first sweep is done when this
 * resolves; one that fails is logged and tried again.
 */
export async function startSweeper({ blobStore, clock, logger, intervalMs }: SweeperOptions): Promise<AsyncDisposable> {
  let timer: Timer | undefined;
  let isStopped = false;
  let sweeping = sweepAndRepeat();

  async function sweepAndRepeat(): Promise<void> {
    try {
      const { removed, freedBytes } = await blobStore.sweep(clock.now());
      if (removed > 0) logger.info('blobs swept', { removed, freedBytes });
    } catch (error) {
      logger.error('the blob store could not be swept', { error });
    }
    if (isStopped) return;
    timer = clock.setTimer(() => void (sweeping = sweepAndRepeat()), intervalMs);
  }

  await sweeping;
  return {
    async [Symbol.asyncDispose]() {
      isStopped = true;
      timer?.cancel();
      await sweeping;
    },
  };
}
