import type { Clock, Logger, StateStore } from '@ravi/kernel';
import { repeat } from './repeat.ts';
import type { Repeated } from './repeat.ts';
import type { RunRecorder } from '../runs/run-recorder.ts';

/** What old runs are removed with. */
export interface RetentionOptions {
  readonly store: Pick<StateStore, 'runs' | 'retention'>;
  readonly recorder: Pick<RunRecorder, 'release'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Runs that have been over for longer go. */
  readonly maxAgeDays: number;
}

const dayMs = 86_400_000;

/**
 * Removes runs that were over long ago, and calls and approvals that belong to none, now and then once a day until it is
 * disposed. A run goes once its artifacts are given back, so none of them stays pinned; what cannot be removed is logged
 * and tried again. Other processes may do the same at once.
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
      for (const error of page.corrupt) logger.warn('an old run cannot be read and stays', { error });
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
