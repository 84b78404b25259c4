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
  RunBlock,
  Timer,
} from '@ravi/kernel';
import { createBlockedRuns } from './blocked-runs.ts';
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
   * Returns what this process lacks to resume a run of another kind; `undefined` if it lacks nothing, or the run is none of its
   * concern. By default nothing is lacking.
   */
  readonly blockOfOther?: (run: Run) => RunBlock | undefined;
  /**
   * Milliseconds that other processes have for a run that this one cannot resume, before it becomes blocked. The time of a lease
   * and of a poll; 15 000 when absent.
   */
  readonly blockAfterMs?: number;
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
  /** Tries blocked runs again with the next poll: tools of this process are other ones now. */
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
    blockOfOther = () => undefined,
    blockAfterMs = 15_000,
    admit,
    isDeadOwner,
    maxParkedMs,
    intervalMs = 5_000,
    atOnce = 4,
  } = options;
  const queue = createResumeQueue({ clock, atOnce, resume });
  const isChain = (run: Run): boolean => run.definition.kind === chainKind;
  const blockOf = (run: Run): RunBlock | undefined => (isChain(run) ? chains.blockOf(run) : blockOfOther(run));
  const blocked = createBlockedRuns({
    runs: store.runs,
    blockOf,
    onServable: (runId) => queue.add(runId, 'usual'),
    graceMs: blockAfterMs,
    clock,
    logger,
  });
  /** Runs of which a request was withdrawn since the last poll. */
  const withdrawn = new Set<string>();
  const closing = new AbortController();
  /** Owners whose end is in the log. */
  const reported = new Set<string>();
  let isOver = false;
  let nextScanAt = -Infinity;
  let timer: Timer | undefined;

  async function resume(runId: string): Promise<void> {
    try {
      const found = await runToResume(runId);
      if (found === undefined || found.outcome !== undefined) return;
      if ((isChain(found) && chains.hasChanged(found.id)) || blocked.defer(found)) return;
      if (admit !== undefined && !(await admit(found, closing.signal))) return;
      if (!isChain(found)) return await resumeFreed(found);
      const { status } = await chains.resume(found.id);
      logger.info('resumed a run', { runId, status });
    } catch (error) {
      // Another process was faster, or this one is shutting down.
      if (isKernelError(error, 'E_STATE_CONFLICT') || isKernelError(error, 'E_RUN_SUSPENDED')) return;
      logger.error('could not resume a run', { runId, error });
    }
  }

  // This process has what a blocked run needs. Without a lease any process finds it, if this one ends now.
  async function resumeFreed(found: Run): Promise<void> {
    const { id, epoch, status } = found;
    const change = { from: ['blocked'], to: 'running', epoch, now: clock.now() } as const;
    if (status === 'blocked' && !(await store.runs.transition(id, change))) return;
    const run = status === 'blocked' ? await chains.get(id) : found;
    if (run !== undefined) await resumeOther?.(run);
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
        if (run.isBlocked) await unlessDamaged(run.id, () => addIfServable(run.id));
        else if (run.isAnswered) queue.add(run.id, 'urgent');
        else if (await unlessDamaged(run.id, () => isReady(run))) queue.add(run.id, 'usual');
      },
      restsPerSlice,
    );
    if (!isComplete) return;
    nextScanAt = clock.now() + fullScanMs;
  }

  // What it needs may be there now, or in this process only.
  async function addIfServable(runId: string): Promise<void> {
    const run = await store.runs.get(runId);
    if (run !== undefined && blockOf(run) === undefined) queue.add(runId, 'usual');
  }

  async function isReady({ id, kind, reason, isPending, hasJustConsumed }: PausedRun): Promise<boolean> {
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
    if (run?.status === 'paused' || run?.status === 'blocked') queue.add(runId, 'urgent');
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
    blocked.stop();
    subscription.unsubscribe();
    timer?.cancel();
  }

  let polling = poll();
  return {
    stop,
    retryChanged() {
      chains.forgetChanged();
      nextScanAt = -Infinity;
    },
    async [Symbol.asyncDispose]() {
      stop();
      await polling;
      await queue.settled();
    },
  };
}
