import type { BlobStore, Clock, Logger, CompleteStateStore } from '@ravi/kernel';
import { readAllPages, readPages } from '@ravi/support';
import { pinsOfRuns } from './abandoned-pins.ts';
import { repeat } from './repeat.ts';
import type { Repeated } from './repeat.ts';
import type { RunRecorder } from '../runs/run-recorder.ts';

/** Options of {@link startRetention}. */
export interface RetentionOptions {
  readonly store: Pick<CompleteStateStore, 'runs' | 'retention'>;
  readonly blobStore: Pick<BlobStore, 'sweep'>;
  readonly recorder: Pick<RunRecorder, 'release'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Runs that ended earlier are removed. */
  readonly maxAgeDays: number;
  /** Milliseconds until the first removal, in which an operator can read the log and change the configuration. */
  readonly startDelayMs: number;
}

const dayMs = 86_400_000;
// A server that removes runs daily has no older ones, unless it was down.
const usualDelayDays = 2;
const runsPerSlice = 200;

/**
 * Logs which old runs will be removed; after the start delay, and then once a day until disposed, removes them, and calls
 * and approvals without a run. The artifacts of a run are unpinned first, so that none stays pinned. A failure is logged and
 * tried again. A run below another one is removed with it, and not before. Several processes may do this at once.
 */
export function startRetention({
  store,
  blobStore,
  recorder,
  maxAgeDays,
  startDelayMs,
  ...reporting
}: RetentionOptions): Repeated {
  const { clock, logger } = reporting;
  const endedBefore = (): number => clock.now() - maxAgeDays * dayMs;

  async function announce(): Promise<void> {
    const before = endedBefore();
    const { items, next } = await store.runs.list(
      { endedBefore: before - usualDelayDays * dayMs },
      { limit: runsPerSlice },
    );
    if (items.length === 0) return;
    const runs = next === undefined ? items.length : `more than ${items.length}`;
    const facts = {
      runs,
      endedBefore: new Date(before).toISOString(),
      at: new Date(clock.now() + startDelayMs).toISOString(),
    };
    logger.warn('old runs will be removed; "retention": { "enabled": false } keeps them', facts);
  }

  async function work(signal: AbortSignal): Promise<void> {
    const before = endedBefore();
    let runs = 0;
    const old = readPages((page) => store.runs.list({ endedBefore: before }, page), runsPerSlice);
    for await (const page of old) {
      const trees: (readonly string[])[] = [];
      for (const { id } of page.items) trees.push(await treeOf(id));
      const ids = new Set(trees.flat());
      // Before the runs, so that a kill in between leaves no pin without a run.
      if (ids.size > 0) await blobStore.sweep(clock.now(), pinsOfRuns(ids));
      for (const tree of trees) {
        for (const id of tree) {
          if (signal.aborted) return;
          // The runs above are found again tomorrow, with the rest of the tree.
          if (!(await remove(id))) break;
          runs += 1;
          await turn();
        }
      }
      for (const error of page.corrupt) logger.warn('an old run is corrupt and is kept', { error });
    }
    const orphans = await store.retention.removeOrphans(before);
    if (runs + orphans > 0) logger.info('old runs removed', { runs, orphans });
    while (!signal.aborted && (await store.retention.reclaim())) await turn();
  }

  /** Returns the ids of a run and of the runs below it, each after those below it. */
  async function treeOf(runId: string): Promise<readonly string[]> {
    const below: string[] = [];
    for (const { id } of await readAllPages((page) => store.runs.list({ parentRunId: runId }, page))) {
      below.push(...(await treeOf(id)));
    }
    return [...below, runId];
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

  announce().catch((error: unknown) => logger.error('old runs could not be counted', { error }));
  const failure = 'old runs could not be removed';
  return repeat({ ...reporting, work, failure, intervalMs: dayMs, startDelayMs });
}

// Requests and calls that wait go first.
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
