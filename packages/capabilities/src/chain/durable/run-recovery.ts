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
  RunEngine,
  RunWakeReason,
  Timer,
} from '@ravi/kernel';
import { readPages } from '@ravi/support';
import type { DurableChains } from './durable-chains.ts';
import { hasWork } from './recorded-run.ts';
import { chainKind } from './run-definition.ts';
import { createRunWorker } from './run-worker.ts';
import type { RunSlots } from './run-worker.ts';

/** Options of {@link startRunRecovery}. */
export interface RunRecoveryOptions {
  /** Engine that wakes runs, which {@link connectEngine} has connected to the store. */
  readonly engine: RunEngine;
  readonly chains: DurableChains;
  readonly store: CompleteStateStore;
  /** Decisions of other processes, for an engine that has no wakes of theirs. */
  readonly feed: ApprovalFeed;
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * Resumes runs of other kinds: those that no process runs, and paused ones after a decision on one of their approvals. It may
   * be called twice with the same run. A run has its slot until the promise settles.
   */
  readonly resumeOther?: (run: Run) => Promise<void>;
  /**
   * Returns what this process lacks to resume a run of another kind; `undefined` if it lacks nothing, or the run is none of its
   * concern. By default nothing is lacking.
   */
  readonly blockOfOther?: (run: Run) => RunBlock | undefined;
  /**
   * Milliseconds that other processes have for a run that this one cannot resume, before it becomes blocked; four times as long while one of
   * them lives. The time after which a silent process is dead, and that of two polls; 15 000 when absent.
   */
  readonly blockAfterMs?: number;
  /**
   * Called before a run is resumed. Resolves with false if it must not be resumed now, for example because it may be the cause of
   * crashes. The signal aborts when recovery stops. By default every run is resumed.
   */
  readonly admit?: (run: Run, signal: AbortSignal) => Promise<boolean>;
  /**
   * Returns true for the id of a process that is known to have ended, so that its runs are resumed before it counts as dead. By default
   * no process is known.
   */
  readonly hasEnded?: (processId: string) => boolean;
  /** Milliseconds between two polls for runs of processes that died and for expired approval requests; 2 500 when absent. */
  readonly intervalMs?: number;
  /** Milliseconds after its time at which a parked request expires, so that its run does not stay for ever; never when absent. */
  readonly maxParkedMs?: number;
  /** Maximum number of runs that are resumed at once; 200 of agents and 100 scripts when absent. */
  readonly slots?: RunSlots;
}

/** Recovery of runs in the background. Dispose the durable chains first: disposing this waits for the runs it has resumed. */
export interface RunRecovery extends AsyncDisposable {
  /** Resumes no further run. Runs that it has resumed continue as long as the durable chains do. */
  stop(): void;
  /** Tries blocked runs again with the next poll: tools of this process are other ones now. */
  retryChanged(): void;
}

const runsPerSlice = 200;
/** Requests that expired longer ago are found at the start, and every ten minutes. */
const lookBackMs = 600_000;
const fullScanMs = 600_000;
/** Time between two looks for answers, if an engine wakes runs in the transactions that answer. */
const safetyScanMs = 60_000;
/** Rest after a slice of the full scan, in times of what the slice took: scripts that continue need many turns of this thread. */
const restsPerSlice = 3;
/** A run that cannot continue yet is looked at less often than runs of dead processes are searched: each look reads it. */
const pollsPerLook = 2;
const defaultSlots: RunSlots = { agents: 200, scripts: 100 };

/**
 * Resumes runs in the background until it is stopped: those for which the engine wakes this process. Looks at the store find runs whose
 * process died, and those whose wake was lost; at the start they find every run that can continue. Any number of runs is read in slices of
 * one query, between which the process does other work. It also expires approval requests that were not decided in time.
 */
export function startRunRecovery(options: RunRecoveryOptions): RunRecovery {
  const {
    engine,
    chains,
    store,
    feed,
    clock,
    logger,
    resumeOther,
    blockOfOther = () => undefined,
    blockAfterMs = 15_000,
    admit,
    hasEnded,
    maxParkedMs,
    intervalMs = 2_500,
    slots = defaultSlots,
  } = options;
  const blockOf = (run: Run): RunBlock | undefined =>
    run.definition.kind === chainKind ? chains.blockOf(run) : blockOfOther(run);
  const workers = createRunWorker({
    engine,
    slots,
    chains,
    store,
    resumeOther,
    blockOf,
    blockAfterMs,
    admit,
    intervalMs: pollsPerLook * intervalMs,
    clock,
    logger,
  });
  /** Runs of which a request was withdrawn since the last poll. */
  const withdrawn = new Set<string>();
  /** Processes that this one has removed, which woke their runs, unless the wake was lost on the way to an engine. */
  const removed = new Set<string>();
  /** Runs that no process executed at the last look, and when they were woken. */
  let leftAt: ReadonlyMap<string, number> = new Map();
  let isOver = false;
  let nextScanAt = -Infinity;
  let nextAnsweredAt = -Infinity;
  let nextQueuedAt = -Infinity;
  let timer: Timer | undefined;

  const wake = (runIds: readonly string[], reason: RunWakeReason): Promise<void> => store.wakes.send(runIds, reason);

  async function poll(): Promise<void> {
    try {
      await workers.start();
      await findWithdrawn();
      if (clock.now() >= nextAnsweredAt) await findAnswered();
      await removeEnded();
      await findLeft();
      await workers.blockGivenUp();
      const now = clock.now();
      await store.approvals.expire(now, maxParkedMs === undefined ? undefined : now - maxParkedMs);
      if (clock.now() >= nextScanAt) await findReady();
    } catch (error) {
      logger.warn('could not poll runs; will retry', { error });
    }
    if (!isOver) timer = clock.setTimer(() => void (polling = poll()), intervalMs, { isBackground: true });
  }

  async function removeEnded(): Promise<void> {
    if (hasEnded === undefined) return;
    const ended: string[] = [];
    await inSlices(
      (page) => store.processes.list(page),
      async (processes) => {
        ended.push(...idsOf(processes.filter(({ id, isAlive }) => isAlive && hasEnded(id))));
      },
    );
    for (const processId of ended) {
      if (!(await store.processes.remove(processId))) continue;
      if (engine.supports.transactions || !engine.supports.processes) removed.add(processId);
      logger.info('a process has ended', { processId });
    }
  }

  // Decisions whose wake was lost, or for which another process has none.
  async function findAnswered(): Promise<void> {
    await inSlices(
      (page) => store.runs.listAnswered(clock.now() - lookBackMs, page),
      (runIds) => wake(runIds, 'answered'),
    );
    if (engine.supports.processes) nextAnsweredAt = clock.now() + safetyScanMs;
  }

  async function findLeft(): Promise<void> {
    const found = new Map<string, number>();
    const now = clock.now();
    // Queued runs were woken when they were stored. This finds those whose wake was lost.
    const isBegun = now < nextQueuedAt;
    await inSlices(
      (page) => store.runs.listFree({ ...page, isBegun }),
      async (runs) => {
        const isNew = ({ id }: Run): boolean => !leftAt.has(id);
        // One that fails to continue waits longer with each attempt.
        const isDue = (run: Run): boolean => isNew(run) || now - (leftAt.get(run.id) ?? now) >= safetyScanMs;
        // A second wake would take the slot from the worker that has begun with the first.
        const isWoken = (run: Run): boolean => isNew(run) && run.owner !== undefined && removed.has(run.owner);
        const due = runs.filter((run) => isDue(run) && !isWoken(run));
        for (const run of runs) found.set(run.id, isDue(run) ? now : (leftAt.get(run.id) ?? now));
        // Their process is dead, so the engine need not wait for its sign of life. Once, because another process may have them by now.
        const isTaken = (run: Run): boolean => run.owner !== undefined && isNew(run);
        await store.wakes.send(idsOf(due.filter(isTaken)), 'orphaned', { takeOver: true });
        await wake(idsOf(due.filter((run) => !isTaken(run))), 'orphaned');
      },
    );
    leftAt = found;
    if (!isBegun) nextQueuedAt = now + (engine.supports.transactions ? fullScanMs : safetyScanMs);
  }

  // Runs whose requests were withdrawn wait for nothing either. No query finds them by their requests.
  async function findReady(): Promise<void> {
    const isComplete = await inSlices(
      (page) => store.runs.listPaused(page),
      async (runs) => {
        const answered: string[] = [];
        const ready: string[] = [];
        for (const run of runs) {
          if (!run.isBlocked && run.isAnswered) answered.push(run.id);
          else if (await unlessDamaged(run.id, () => (run.isBlocked ? isServable(run.id) : isReady(run))))
            ready.push(run.id);
        }
        await wake(answered, 'answered');
        await wake(ready, 'retried');
      },
      restsPerSlice,
    );
    if (!isComplete) return;
    nextScanAt = clock.now() + fullScanMs;
  }

  // What it needs may be there now, or in this process only.
  async function isServable(runId: string): Promise<boolean> {
    const run = await store.runs.get(runId);
    return run !== undefined && blockOf(run) === undefined;
  }

  async function isReady({ id, kind, reason, isPending, hasJustConsumed }: PausedRun): Promise<boolean> {
    if (kind !== undefined && kind !== chainKind) return reason === 'approval' && !isPending;
    if (kind === chainKind && !hasJustConsumed) return !isPending;
    const run = await store.runs.get(id);
    return run !== undefined && hasWork(store, run);
  }

  /** Returns false if it was stopped before the last slice. */
  async function inSlices<Item>(
    read: (page: PageRequest) => Promise<Page<Item>>,
    visit: (items: readonly Item[]) => Promise<void>,
    rests = 0,
  ): Promise<boolean> {
    let startedAt = performance.now();
    for await (const { items, next } of readPages(read, runsPerSlice)) {
      await visit(items);
      // Requests and calls that wait go first.
      await new Promise((resolve) => setImmediate(resolve));
      if (next === undefined) return true;
      if (rests > 0) await sleep(rests * (performance.now() - startedAt));
      if (isOver) return false;
      startedAt = performance.now();
    }
    return true;
  }

  const subscription = engine.supports.processes
    ? undefined
    : feed.subscribe(({ to, runId }) => {
        if (isUndecided({ status: to }) || to === 'consumed') return;
        if (to === 'withdrawn') withdrawn.add(runId);
        // The next poll finds it if the store is unavailable.
        else wakeIfAnswered(runId).catch(() => {});
      });

  // The transaction of this process has woken it already, and it may have taken the answer.
  async function wakeIfAnswered(runId: string): Promise<void> {
    const run = await outermostOf(runId);
    const isWaiting = run?.status === 'paused' || run?.status === 'blocked';
    if (run !== undefined && isWaiting && (await hasWork(store, run))) await wake([run.id], 'answered');
  }

  async function outermostOf(runId: string): Promise<Run | undefined> {
    let outermost = await chains.get(runId);
    while (outermost?.parentRunId !== undefined) outermost = await chains.get(outermost.parentRunId);
    return outermost;
  }

  // Other answers are found by their state. The run may have been about to pause when the feed reported this one.
  async function findWithdrawn(): Promise<void> {
    for (const runId of withdrawn) {
      await unlessDamaged(runId, async () => {
        const run = await outermostOf(runId);
        if (run?.status === 'paused' && !(await hasUndecided(run.id))) await wake([run.id], 'cancelled');
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
    workers.stop();
    subscription?.unsubscribe();
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
      await workers.settled();
    },
  };
}

function idsOf(items: readonly { readonly id: string }[]): readonly string[] {
  return items.map(({ id }) => id);
}
