import { isKernelError } from '@ravi/kernel';
import type {
  Clock,
  CompleteStateStore,
  Logger,
  Run,
  RunBlock,
  RunEngine,
  RunWake,
  RunWakeReason,
  WakeOutcome,
} from '@ravi/kernel';
import { createBlockedRuns } from './blocked-runs.ts';
import { wakeVersions } from './connect-engine.ts';
import { blockGivenUp } from './dead-wakes.ts';
import type { DurableChains } from './durable-chains.ts';
import { hasWork } from './recorded-run.ts';
import { chainKind } from './run-definition.ts';

/** Runs that one process continues at once, by their kind. */
export interface RunSlots {
  /** Runs of agents, with the scripts and sub-agents inside them; 1–1 000. */
  readonly agents: number;
  /** Scripts that are part of no other run; 1–1 000. */
  readonly scripts: number;
}

/** Options of {@link createRunWorker}. */
export interface RunWorkerOptions {
  readonly engine: RunEngine;
  readonly slots: RunSlots;
  readonly chains: DurableChains;
  readonly store: CompleteStateStore;
  readonly resumeOther?: ((run: Run) => Promise<void>) | undefined;
  readonly blockOf: (run: Run) => RunBlock | undefined;
  readonly blockAfterMs: number;
  readonly admit?: ((run: Run, signal: AbortSignal) => Promise<boolean>) | undefined;
  /** Milliseconds until another look at a run that cannot continue now. */
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Continues the runs for which an engine wakes this process. */
export interface RunWorkers {
  /** Takes wakes from now on. Again after a failure; otherwise it does nothing. @throws KernelError `E_ENGINE_UNAVAILABLE` */
  start(): Promise<void>;
  /** Makes the runs blocked whose wakes the engine gave up. */
  blockGivenUp(): Promise<void>;
  /** Takes no further wake. */
  stop(): void;
  /** Resolves when the runs that it continued have ended or are paused. */
  settled(): Promise<void>;
}

// A run that waits for its turn among suspects does not keep a slot longer.
const admissionMs = 500;
/** Time after which a run that was answered while it was working is looked at again: it may have been about to pause. */
const pauseMs = 1_000;
/** Another process may have what a run needs, and takes it in between. */
const leastDeferMs = 500;

/** Creates the workers of a process, one for each kind of run. They take nothing yet. */
export function createRunWorker(options: RunWorkerOptions): RunWorkers {
  const { engine, slots, chains, store, resumeOther, blockOf, admit, intervalMs, clock, logger } = options;
  const blocked = createBlockedRuns({
    runs: store.runs,
    processes: store.processes,
    blockOf,
    onServable: (runId) => void wakeAgain(runId),
    graceMs: options.blockAfterMs,
    clock,
    logger,
  });
  const closing = new AbortController();
  const looks = new Map<string, Promise<number | undefined>>();
  const working: { [version: string]: AsyncDisposable } = {};
  const ended: Promise<void>[] = [];

  async function wakeAgain(runId: string): Promise<void> {
    await store.wakes.send([runId], 'retried').catch((error: unknown) => {
      logger.warn('a run could not be woken; a look at the store finds it', { runId, error });
    });
  }

  async function handle({ runId, reason }: RunWake): Promise<WakeOutcome> {
    // A store in this process may answer without a turn, so that many runs in a row would stop the server.
    await new Promise((resolve) => setImmediate(resolve));
    const afterMs = closing.signal.aborted || looks.has(runId) ? intervalMs : await lookOnce(runId, reason);
    return afterMs === undefined ? { status: 'done' } : { status: 'again', notBefore: clock.now() + afterMs };
  }

  function lookOnce(runId: string, reason: RunWakeReason): Promise<number | undefined> {
    const { promise: waits, resolve: onWaits } = Promise.withResolvers<number>();
    const look = lookAt(runId, reason, () => onWaits(intervalMs)).finally(() => looks.delete(runId));
    looks.set(runId, look);
    // It may fail after the engine has agreed to come again, and has been logged.
    look.catch(() => {});
    return Promise.race([look, waits]);
  }

  /** Returns the milliseconds until another look; `undefined` if the next wake is enough. */
  async function lookAt(runId: string, reason: RunWakeReason, onWaits: () => void): Promise<number | undefined> {
    try {
      const run = await chains.get(runId);
      if (run === undefined || run.outcome !== undefined || run.parentRunId !== undefined) return undefined;
      if (run.status === 'running' && run.owner !== undefined && isAboutPauses(reason)) {
        if (reason === 'answered' || reason === 'cancelled') return pauseMs;
        // If its process is dead, the store wakes it for that reason.
        await store.wakes.send([run.id], 'orphaned');
        return undefined;
      }
      if (run.status === 'paused' && isAboutPauses(reason) && !(await isReady(run, reason))) return undefined;
      if (isChain(run) && chains.hasChanged(run.id)) return intervalMs;
      if (blocked.defer(run)) return run.status === 'blocked' ? undefined : deferMs();
      if (!(await isAdmitted(run, onWaits))) return intervalMs;
      await (isChain(run) ? resumeChain(run) : resumeFreed(run));
      return undefined;
    } catch (error) {
      // Another process was faster, or this one is shutting down.
      if (isKernelError(error, 'E_STATE_CONFLICT') || isKernelError(error, 'E_RUN_SUSPENDED')) return undefined;
      logger.error('could not resume a run', { runId, error });
      throw error;
    }
  }

  // An answer that a call has taken, and a wake that comes twice, give it nothing to do. A run that waits for an answer of its user has no
  // request that is undecided, so only a withdrawn request or an ended run below it make such a run ready.
  async function isReady(run: Run, reason: RunWakeReason): Promise<boolean> {
    if (await hasWork(store, run)) return true;
    if (reason === 'answered' || reason === 'due') return false;
    const { items } = await store.approvals.list({ runId: run.id, status: 'undecided' }, { limit: 1 });
    return items.length === 0;
  }

  async function isAdmitted(run: Run, onWaits: () => void): Promise<boolean> {
    if (admit === undefined) return true;
    const timer = clock.setTimer(onWaits, admissionMs, { isBackground: true });
    try {
      return await admit(run, closing.signal);
    } finally {
      timer.cancel();
    }
  }

  async function resumeChain({ id: runId }: Run): Promise<void> {
    const { status } = await chains.resume(runId);
    logger.info('resumed a run', { runId, status });
  }

  // This process has what a blocked run needs. Without an owner any process finds it, if this one ends now.
  async function resumeFreed(found: Run): Promise<void> {
    const { id, epoch, status } = found;
    const change = { from: ['blocked'], to: 'running', epoch, now: clock.now() } as const;
    if (status === 'blocked' && !(await store.runs.transition(id, change))) return;
    const run = status === 'blocked' ? await chains.get(id) : found;
    if (run !== undefined) await resumeOther?.(run);
  }

  function deferMs(): number {
    return Math.round(leastDeferMs * (1 + 2 * Math.random()));
  }

  return {
    async start() {
      const startKind = async (kind: keyof RunSlots): Promise<void> => {
        const version = wakeVersions[kind];
        if (working[version] !== undefined || closing.signal.aborted) return;
        working[version] = await engine.work({ versions: [version], slots: slots[kind], handle });
        if (closing.signal.aborted) stopWorking();
      };
      // Each may wait until the engine responds.
      await Promise.all([startKind('agents'), startKind('scripts')]);
    },
    blockGivenUp: () => blockGivenUp({ engine, runs: store.runs, block: blocked.block, logger }),
    stop() {
      closing.abort();
      blocked.stop();
      stopWorking();
    },
    async settled() {
      await Promise.all([...ended, ...[...looks.values()].map((look) => look.catch(() => {}))]);
    },
  };

  function stopWorking(): void {
    for (const [version, worker] of Object.entries(working)) {
      delete working[version];
      ended.push(Promise.resolve(worker[Symbol.asyncDispose]()));
    }
  }
}

function isChain(run: Run): boolean {
  return run.definition.kind === chainKind;
}

/** True for reasons that are about a paused run. */
function isAboutPauses(reason: RunWakeReason): boolean {
  return reason === 'answered' || reason === 'cancelled' || reason === 'child-ended' || reason === 'due';
}
