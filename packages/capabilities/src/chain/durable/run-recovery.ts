import { setTimeout as sleep } from 'node:timers/promises';
import { isKernelError, isUndecided } from '@ravi/kernel';
import type {
  ApprovalFeed,
  Clock,
  CompleteStateStore,
  Logger,
  Page,
  PageRequest,
  PausedRun,
  Run,
  Timer,
} from '@ravi/kernel';
import type { DurableChains } from './durable-chains.ts';
import { hasWork } from './recorded-run.ts';
import { createResumeQueue } from './resume-queue.ts';
import { chainKind } from './run-definition.ts';

/** Options of {@link startRunRecovery}. */
export interface RunRecoveryOptions {
  readonly chains: DurableChains;
  readonly store: CompleteStateStore;
  readonly feed: ApprovalFeed;
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * Resumes runs of other kinds: those that no process runs, and paused ones after a decision on one of their approvals. It may
   * be called twice with the same run.
   */
  readonly resumeOther?: (run: Run) => Promise<void>;
  /**
   * Called before a run is resumed. Resolves with false if it must not be resumed now, for example because it may be the cause of
   * crashes. The signal aborts when recovery stops. By default every run is resumed.
   */
  readonly admit?: (run: Run, signal: AbortSignal) => Promise<boolean>;
  /**
   * Returns true for an owner of leases whose process is known to have ended, so that its runs are resumed without waiting for
   * the leases to expire. By default no owner is known.
   */
  readonly isDeadOwner?: (owner: string) => boolean;
  /** Milliseconds between two polls for runs of processes that died and for expired approval requests; 5 000 when absent. */
  readonly intervalMs?: number;
  /** Milliseconds after its time at which a parked request expires, so that its run does not stay for ever; never when absent. */
  readonly maxParkedMs?: number;
  /** Maximum number of runs that are resumed at once; 4 when absent. A run counts for half a second at most. */
  readonly atOnce?: number;
}

/** Recovery of runs in the background. Dispose the durable chains first: disposing this waits for the runs it has resumed. */
export interface RunRecovery extends AsyncDisposable {
  /** Resumes no further run. Runs that it has resumed continue as long as the durable chains do. */
  stop(): void;
  /** Tries runs again, with the next poll, that wait because their tools have changed: tools of this process are other ones now. */
  retryChanged(): void;
}

const runsPerSlice = 200;
const maxQueued = 5_000;
/** Requests that expired longer ago are found at the start, and every ten minutes. */
const lookBackMs = 600_000;
const fullScanMs = 600_000;
/** Rest after a slice of the full scan, in times of what the slice took: scripts that continue need many turns of this thread. */
const restsPerSlice = 3;

/**
 * Resumes runs in the background until it is stopped: at once and at each poll those whose process died, and paused ones
 * when a decision arrives. Answered and released runs go first, in all places but one; the others are those whose lease has
 * expired. Any number of runs is read in slices of one query, between which the process does other work. It also expires
 * approval requests that were not decided in time.
 */
export function startRunRecovery(options: RunRecoveryOptions): RunRecovery {
  const {
    chains,
    store,
    feed,
    clock,
    logger,
    resumeOther,
    admit,
    isDeadOwner,
    maxParkedMs,
    intervalMs = 5_000,
    atOnce = 4,
  } = options;
  const queue = createResumeQueue({ clock, atOnce, resume });
  /** Runs of which a request was withdrawn since the last poll. */
  const withdrawn = new Set<string>();
  const closing = new AbortController();
  /** Owners whose end is in the log. */
  const reported = new Set<string>();
  let isOver = false;
  let isFirst = true;
  let nextScanAt = -Infinity;
  let timer: Timer | undefined;

  async function resume(runId: string): Promise<void> {
    try {
      const run = await runToResume(runId);
      if (run === undefined || run.outcome !== undefined) return;
      const isChain = run.definition.kind === chainKind;
      if (isChain && chains.hasChanged(run.id)) return;
      if (admit !== undefined && !(await admit(run, closing.signal))) return;
      if (!isChain) return await resumeOther?.(run);
      const { status } = await chains.resume(run.id);
      logger.info('resumed a run', { runId, status });
    } catch (error) {
      // Another process was faster, or this one is shutting down.
      if (isKernelError(error, 'E_STATE_CONFLICT') || isKernelError(error, 'E_RUN_SUSPENDED')) return;
      logger.error('could not resume a run', { runId, error });
    }
  }

  // A script or a sub-agent inside another run continues when the outermost run makes its calls again.
  async function runToResume(runId: string): Promise<Run | undefined> {
    let outermost = await chains.get(runId);
    while (outermost?.parentRunId !== undefined) outermost = await chains.get(outermost.parentRunId);
    return outermost;
  }

  async function poll(): Promise<void> {
    try {
      await endLeasesOfDead();
      await findWithdrawn();
      await Promise.all([findAnswered(clock.now() - lookBackMs), findLeft()]);
      const now = clock.now();
      const { items } = await store.approvals.expire(now, maxParkedMs === undefined ? undefined : now - maxParkedMs);
      const expired = items.filter((approval) => !isUndecided(approval));
      if (expired.length > 0) await findAnswered(Math.min(...expired.map(({ request }) => request.expiresAt)));
      if (clock.now() >= nextScanAt) await findReady();
    } catch (error) {
      logger.warn('could not poll runs; will retry', { error });
    }
    if (!isOver) timer = clock.setTimer(() => void (polling = poll()), intervalMs, { isBackground: true });
  }

  async function endLeasesOfDead(): Promise<void> {
    if (isDeadOwner === undefined) return;
    for (const owner of (await store.runs.listOwners()).filter(isDeadOwner)) {
      const leases = await store.runs.expireLeases(owner);
      if (!reported.has(owner)) logger.info('a process has ended', { owner, leases });
      reported.add(owner);
    }
  }

  // Decisions of which no process was notified: the event came before the run was paused, or its reader died.
  async function findAnswered(expiredSince: number): Promise<void> {
    await forEach(
      (page) => store.runs.listAnswered(expiredSince, page),
      (runId) => queue.add(runId, 'urgent'),
    );
  }

  async function findLeft(): Promise<void> {
    await forEach(
      (page) => store.runs.listExpired(page),
      ({ id, lease }) => queue.add(id, lease === undefined ? 'urgent' : 'usual'),
    );
  }

  // Runs whose requests were withdrawn wait for nothing either. No query finds them by their requests.
  async function findReady(): Promise<void> {
    const isComplete = await forEach(
      (page) => store.runs.listPaused(page),
      async (run) => {
        if (run.isAnswered) queue.add(run.id, 'urgent');
        else if (await unlessDamaged(run.id, () => isReady(run))) queue.add(run.id, 'usual');
      },
      restsPerSlice,
    );
    if (!isComplete) return;
    isFirst = false;
    nextScanAt = clock.now() + fullScanMs;
  }

  async function isReady({ id, kind, reason, isPending, hasJustConsumed }: PausedRun): Promise<boolean> {
    // Its script and tools may be the right ones in another process, such as this one after its start.
    if (reason === 'changed' && !isFirst) return false;
    if (kind !== undefined && kind !== chainKind) return reason === 'approval' && !isPending;
    if (kind === chainKind && !hasJustConsumed) return !isPending;
    const run = await store.runs.get(id);
    return run !== undefined && hasWork(store, run);
  }

  /** Returns false if the rest has to wait until fewer runs are in the queue. */
  async function forEach<Item>(
    read: (page: PageRequest) => Promise<Page<Item>>,
    visit: (item: Item) => void | Promise<void>,
    rests = 0,
  ): Promise<boolean> {
    let next: string | undefined;
    do {
      const startedAt = performance.now();
      const page = await read({ limit: runsPerSlice, ...(next === undefined ? {} : { cursor: next }) });
      for (const item of page.items) await visit(item);
      next = page.next;
      // Requests and calls that wait go first.
      await new Promise((resolve) => setImmediate(resolve));
      if (next !== undefined && rests > 0) await sleep(rests * (performance.now() - startedAt));
    } while (next !== undefined && queue.size < maxQueued && !isOver);
    return next === undefined;
  }

  const subscription = feed.subscribe(({ to, runId }) => {
    if (isUndecided({ status: to }) || to === 'consumed') return;
    if (to === 'withdrawn') withdrawn.add(runId);
    // The next poll finds it if the store is unavailable.
    enqueueIfPaused(runId).catch(() => {});
  });

  async function enqueueIfPaused(runId: string): Promise<void> {
    const run = await chains.get(runId);
    if (run?.status === 'paused') queue.add(runId, 'urgent');
    if (run?.parentRunId !== undefined) await enqueueIfPaused(run.parentRunId);
  }

  // Other answers are found by their state. The run may have been about to pause when the feed reported this one.
  async function findWithdrawn(): Promise<void> {
    for (const runId of withdrawn) {
      await unlessDamaged(runId, async () => {
        const run = await runToResume(runId);
        if (run?.status === 'paused' && !(await hasUndecided(run.id))) queue.add(run.id, 'urgent');
      });
      withdrawn.delete(runId);
    }
  }

  // The other runs do not wait for it.
  async function unlessDamaged<Result>(runId: string, work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!isKernelError(error, 'E_STATE_CORRUPT')) throw error;
      logger.error('could not read a run', { runId, error });
      return undefined;
    }
  }

  async function hasUndecided(runId: string): Promise<boolean> {
    const { items } = await store.approvals.list({ runId, status: 'undecided' }, { limit: 1 });
    return items.length > 0;
  }

  function stop(): void {
    isOver = true;
    closing.abort();
    queue.stop();
    subscription.unsubscribe();
    timer?.cancel();
  }

  let polling = poll();
  return {
    stop,
    retryChanged() {
      chains.forgetChanged();
      isFirst = true;
      nextScanAt = -Infinity;
    },
    async [Symbol.asyncDispose]() {
      stop();
      await polling;
      await queue.settled();
    },
  };
}
