import { isKernelError } from '@ravi/kernel';
import type { Approval, ApprovalFeed, Clock, Logger, Run, CompleteStateStore, Timer } from '@ravi/kernel';
import type { DurableChains } from './durable-chains.ts';
import { hasWork } from './recorded-run.ts';
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
   * Returns true for an owner of leases whose process is known to have ended, so that its runs are resumed without waiting for
   * the leases to expire. By default no owner is known.
   */
  readonly isDeadOwner?: (owner: string) => boolean;
  /** Milliseconds between two polls for runs of processes that died and for expired approval requests; 5 000 when absent. */
  readonly intervalMs?: number;
  /** Maximum number of runs that are resumed at once; 4 when absent. */
  readonly atOnce?: number;
}

/** Recovery of runs in the background. Dispose the durable chains first: disposing this waits for the runs it has resumed. */
export interface RunRecovery extends AsyncDisposable {
  /** Resumes no further run. Runs that it has resumed continue as long as the durable chains do. */
  stop(): void;
}

/**
 * Resumes runs in the background until it is stopped: at once and at each poll those whose process died, and paused ones
 * when a decision arrives. It also expires approval requests that were not decided in time.
 */
export function startRunRecovery(options: RunRecoveryOptions): RunRecovery {
  const { chains, store, feed, clock, logger, resumeOther, isDeadOwner, intervalMs = 5_000, atOnce = 4 } = options;
  const queue = new Set<string>();
  const inFlight = new Set<Promise<void>>();
  let isOver = false;
  let timer: Timer | undefined;

  function enqueue(runId: string): void {
    queue.add(runId);
    work();
  }

  function work(): void {
    for (const runId of queue) {
      if (isOver || inFlight.size >= atOnce) return;
      queue.delete(runId);
      const task: Promise<void> = resume(runId).finally(() => {
        inFlight.delete(task);
        work();
      });
      inFlight.add(task);
    }
  }

  async function resume(runId: string): Promise<void> {
    try {
      const run = await runToResume(runId);
      if (run === undefined || run.outcome !== undefined) return;
      if (run.definition.kind !== chainKind) return await resumeOther?.(run);
      if (chains.hasChanged(run.id)) return;
      const { status } = await chains.resume(run.id);
      logger.info('resumed a run', { runId, status });
    } catch (error) {
      // Another process was faster, or this one is shutting down.
      if (isKernelError(error, 'E_STATE_CONFLICT') || isKernelError(error, 'E_RUN_SUSPENDED')) return;
      logger.error('could not resume a run', { runId, error });
    }
  }

  // The run of a script inside another run continues when the outermost run makes its calls again.
  async function runToResume(runId: string): Promise<Run | undefined> {
    const run = await chains.get(runId);
    let outermost = run;
    while (run?.definition.kind === chainKind && outermost?.parentRunId !== undefined) {
      outermost = await chains.get(outermost.parentRunId);
    }
    return outermost;
  }

  async function poll(findPaused: boolean): Promise<void> {
    try {
      await endLeasesOfDead();
      for (const { id } of (await store.runs.listExpired()).items) enqueue(id);
      await findUnconsumed();
      const { items: expired } = await store.approvals.expire(clock.now());
      await enqueuePausedRunsOf(expired);
      if (findPaused) await findReady();
    } catch (error) {
      logger.warn('could not poll runs; will retry', { error });
      return schedule(findPaused);
    }
    schedule(false);
  }

  async function endLeasesOfDead(): Promise<void> {
    if (isDeadOwner === undefined) return;
    for (const owner of (await store.runs.listOwners()).filter(isDeadOwner)) {
      const leases = await store.runs.expireLeases(owner);
      logger.info('a process has ended', { owner, leases });
    }
  }

  function schedule(findPaused: boolean): void {
    if (isOver) return;
    timer = clock.setTimer(() => void (polling = poll(findPaused)), intervalMs, { isBackground: true });
  }

  // Decisions of which no process was notified: the event came before the run was paused, or its reader died.
  async function findUnconsumed(): Promise<void> {
    for (const status of ['approved', 'denied', 'expired'] as const) {
      await enqueuePausedRunsOf((await store.approvals.list({ status })).items);
    }
  }

  async function enqueuePausedRunsOf(approvals: readonly Approval[]): Promise<void> {
    for (const runId of new Set(approvals.map(({ request }) => request.runId))) await enqueueIfPaused(runId);
  }

  // The same for requests that ended without a decision. There may be many, so this runs once.
  async function findReady(): Promise<void> {
    let cursor: string | undefined;
    do {
      const page = await store.runs.list({ status: 'paused' }, cursor === undefined ? {} : { cursor });
      for (const run of page.items) if (await hasWork(store, run)) enqueue(run.id);
      cursor = page.next;
    } while (cursor !== undefined && !isOver);
  }

  const subscription = feed.subscribe(({ to, runId }) => {
    if (to !== 'pending' && to !== 'consumed') void enqueueIfPaused(runId);
  });

  async function enqueueIfPaused(runId: string): Promise<void> {
    const run = await chains.get(runId).catch(() => undefined);
    if (run?.status === 'paused') enqueue(runId);
    if (run?.parentRunId !== undefined) await enqueueIfPaused(run.parentRunId);
  }

  function stop(): void {
    isOver = true;
    subscription.unsubscribe();
    timer?.cancel();
  }

  let polling = poll(true);
  return {
    stop,
    async [Symbol.asyncDispose]() {
      stop();
      await polling;
      await Promise.all(inFlight);
    },
  };
}
