import type { Clock, Logger, CompleteStateStore } from '@ravi/kernel';
import { repeat } from './repeat.ts';
import type { Repeated } from './repeat.ts';
import type { RunRecorder } from '../runs/run-recorder.ts';

/** Options of {@link startRetention}. */
export interface RetentionOptions {
  readonly store: Pick<CompleteStateStore, 'runs' | 'retention'>;
  readonly recorder: Pick<RunRecorder, 'release'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Runs that ended earlier are removed. */
  readonly maxAgeDays: number;
}

const dayMs = 86_400_000;

/**
 * Removes old runs, and calls and approvals without a run, now and then once a day until disposed. The artifacts of a run
 * are unpinned first, so that none stays pinned. A failure is logged and tried again. Several processes may do this at once.
 */
export function startRetention({ store, recorder, maxAgeDays, ...reporting }: RetentionOptions): Repeated {
  const { clock, logger } = reporting;

  async function work(signal: AbortSignal): Promise<void> {
    const before = clock.now() - maxAgeDays * dayMs;
    let runs = 0;
    let cursor: string | undefined;
    do {
      const page = await store.runs.list({ endedBefore: before }, cursor === undefined ? {} : { cursor });
      for (const { id } of page.items) {
        if (signal.aborted) return;
        if (await remove(id)) runs += 1;
      }
      for (const error of page.corrupt) logger.warn('an old run is corrupt and is kept', { error });
      cursor = page.next;
    } while (cursor !== undefined);
    const orphans = await store.retention.removeOrphans(before);
    if (runs + orphans > 0) logger.info('old runs removed', { runs, orphans });
  }

  async function remove(runId: string): Promise<boolean> {
    try {
      await recorder.release(runId);
      return await store.retention.removeRun(runId);
    } catch (error) {
      logger.warn('an old run could not be removed', { runId, error });
      return false;
    }
  }

  return repeat({ ...reporting, work, failure: 'old runs could not be removed', intervalMs: dayMs });
}
