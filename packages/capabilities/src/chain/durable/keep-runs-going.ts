import type { ApprovalFeed } from '@ravi/agents';
import { isKernelError } from '@ravi/kernel';
import type { Approval, Clock, Logger, Run, StateStore, Timer } from '@ravi/kernel';
import type { DurableChains } from './durable-chains.ts';
import { hasWork } from './read-approvals.ts';
import { chainKind } from './run-definition.ts';

/** What runs are kept going with. */
export interface KeepRunsGoingOptions {
  readonly chains: DurableChains;
  readonly store: StateStore;
  readonly feed: ApprovalFeed;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Takes on live runs that are no chains and that nobody runs; it must bear to be given one twice. */
  readonly goOnWithOther?: (run: Run) => Promise<void>;
  /** Milliseconds between two looks for runs of processes that died and for questions that nobody answered; 5 000 when absent. */
  readonly intervalMs?: number;
  /** Runs that are gone on with at once; 4 when absent. */
  readonly atOnce?: number;
}

/** What keeps runs going. */
export interface RunKeeper extends AsyncDisposable {
  /** Takes no further run on. Those that it has taken on go on as long as the chains do. */
  stop(): void;
}

/**
 * Goes on with runs without anybody's doing, until it is stopped: with those of processes that died, at once and then
 * again and again, and with paused ones when an answer is there. Questions that nobody answered in time end.
 */
export function keepRunsGoing(options: KeepRunsGoingOptions): RunKeeper {
  const { chains, store, feed, clock, logger, goOnWithOther, intervalMs = 5_000, atOnce = 4 } = options;
  const queue = new Set<string>();
  const underWay = new Set<Promise<void>>();
  let isOver = false;
  let timer: Timer | undefined;

  function enqueue(runId: string): void {
    queue.add(runId);
    work();
  }

  function work(): void {
    for (const runId of queue) {
      if (isOver || underWay.size >= atOnce) return;
      queue.delete(runId);
      const task: Promise<void> = goOn(runId).finally(() => {
        underWay.delete(task);
        work();
      });
      underWay.add(task);
    }
  }

  async function goOn(runId: string): Promise<void> {
    try {
      const run = await chains.get(runId);
      if (run === undefined || run.outcome !== undefined) return;
      if (run.definition.kind !== chainKind) return await goOnWithOther?.(run);
      const { status } = await chains.resume(runId);
      logger.info('a run went on', { runId, status });
    } catch (error) {
      // Another process was faster, or this one is ending.
      if (isKernelError(error, 'E_STATE_CONFLICT') || isKernelError(error, 'E_RUN_SUSPENDED')) return;
      logger.error('a run could not go on', { runId, error });
    }
  }

  async function look(findPaused: boolean): Promise<void> {
    try {
      const { items: expired } = await store.approvals.expire(clock.now());
      await wakeAll(expired);
      await findUntaken();
      for (const { id } of (await store.runs.listExpired(clock.now())).items) enqueue(id);
      if (findPaused) await findAnswered();
    } catch (error) {
      logger.warn('runs could not be looked after at present', { error });
      return again(findPaused);
    }
    again(false);
  }

  function again(findPaused: boolean): void {
    if (!isOver) timer = clock.setTimer(() => void (looking = look(findPaused)), intervalMs);
  }

  // Answers that nobody was told of: what told of them came too early, or its reader died.
  async function findUntaken(): Promise<void> {
    for (const status of ['approved', 'denied'] as const) await wakeAll((await store.approvals.list({ status })).items);
  }

  async function wakeAll(approvals: readonly Approval[]): Promise<void> {
    for (const runId of new Set(approvals.map(({ request }) => request.runId))) await wake(runId);
  }

  // The same for questions that ended without an answer; there may be many, so once is enough.
  async function findAnswered(): Promise<void> {
    let cursor: string | undefined;
    do {
      const page = await store.runs.list({ status: 'paused' }, cursor === undefined ? {} : { cursor });
      for (const { id } of page.items) if (await hasWork(store, id)) enqueue(id);
      cursor = page.next;
    } while (cursor !== undefined && !isOver);
  }

  const unsubscribe = feed.subscribe(({ to, runId }) => {
    if (to !== 'pending' && to !== 'consumed') void wake(runId);
  });

  async function wake(runId: string): Promise<void> {
    const run = await chains.get(runId).catch(() => undefined);
    if (run?.status === 'paused') enqueue(runId);
  }

  function stop(): void {
    isOver = true;
    unsubscribe();
    timer?.cancel();
  }

  let looking = look(true);
  return {
    stop,
    // Dispose the chains first: this waits for the runs that it has taken on.
    async [Symbol.asyncDispose]() {
      stop();
      await looking;
      await Promise.all(underWay);
    },
  };
}
