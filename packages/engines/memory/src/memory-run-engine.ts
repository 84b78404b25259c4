import { silentLogger, systemClock } from '@ravi/kernel';
import type { EngineGroupFigures, EngineSupport, RunEngine, RunWake, RunWorker } from '@ravi/kernel';
import {
  checkInteger,
  checkLimits,
  checkName,
  checkSignal,
  checkWakes,
  checkWorker,
  defaultMaxAttempts,
  engineDisposed,
  failureText,
  nextLook,
  notifyWorkers,
  retryDelayMs,
  transactionUnsupported,
} from '@ravi/engine-kit';
import type { CommonEngineOptions } from '@ravi/engine-kit';
import { createDeadWakes } from './dead-wakes.ts';
import { createTakenRuns } from './taken-runs.ts';
import type { TakenRun } from './taken-runs.ts';
import { createWaitingRuns } from './waiting-runs.ts';
import type { WaitingRun } from './waiting-runs.ts';

/** Default of `maxRuns`. */
const defaultMaxRuns = 100_000;

/** Options of {@link createMemoryRunEngine}. */
export interface MemoryRunEngineOptions extends CommonEngineOptions {
  /** Maximum runs that wait, due or not; 100 000 by default. More are refused. */
  readonly maxRuns?: number;
}

/** Part of an engine that takes wakes for one worker. */
interface Taker {
  readonly worker: RunWorker;
  /** Versions of the worker; the one that was served last is the last one. */
  versions: readonly string[];
  readonly handlers: Set<Promise<void>>;
}

const name = 'engine-memory';
const tenYearsMs = 3_650 * 86_400_000;
const maxDead = 1_000;
const maxGroups = 20;

/**
 * Creates an engine whose wakes are in the memory of this process and end with it. At a start the server wakes its runs again.
 * @throws KernelError `E_ARGUMENTS_INVALID` for options out of bounds
 */
export function createMemoryRunEngine(options: MemoryRunEngineOptions = {}): RunEngine {
  const { maxRuns = defaultMaxRuns, maxAttempts = defaultMaxAttempts, groupLimit } = options;
  const { clock = systemClock, logger = silentLogger, random = Math.random } = options;
  checkInteger('maxRuns', maxRuns, 1, 10_000_000);
  checkLimits(options);

  const supports: EngineSupport = {
    processes: false,
    transactions: false,
    maxDelayMs: tenYearsMs,
    maxAttempts,
    ...(groupLimit === undefined ? {} : { groupLimit }),
  };
  const taken = createTakenRuns();
  const dead = createDeadWakes(maxDead);
  const waiting = createWaitingRuns({ clock, taken, maxRuns, groupLimit: groupLimit ?? Infinity, onDue: serve });
  const takers = new Set<Taker>();
  let disposed: Promise<void> | undefined;

  function requireOpen(): void {
    if (disposed !== undefined) throw engineDisposed(name);
  }

  /** Gives due runs to workers, one after the other, until none has a free slot or nothing is due. */
  function serve(): void {
    let hasServed = true;
    while (hasServed) {
      hasServed = false;
      for (const taker of takers) {
        if (taker.handlers.size >= taker.worker.slots) continue;
        const run = waiting.take(taker.versions);
        if (run === undefined) continue;
        hasServed = true;
        give(run, taker);
      }
    }
  }

  function give({ wake, attempts }: WaitingRun, taker: Taker): void {
    taker.versions = [...taker.versions.filter((version) => version !== wake.version), wake.version];
    const run: TakenRun = { wake, attempts, controller: new AbortController() };
    taken.add(run);
    const handler = handle(run, taker.worker).then(() => {
      taker.handlers.delete(handler);
      serve();
    });
    taker.handlers.add(handler);
  }

  async function handle(run: TakenRun, worker: RunWorker): Promise<void> {
    const { wake, controller } = run;
    try {
      // In a later turn, so that no handler begins inside a call of `wake`.
      await Promise.resolve();
      const notBefore = nextLook(await worker.handle(wake, { signal: controller.signal }));
      if (!taken.remove(run)) return;
      if (notBefore !== undefined && disposed === undefined) waiting.add({ ...wake, reason: 'due', notBefore }, 0);
    } catch (error) {
      if (!taken.remove(run)) return;
      keepFailed(run, error);
    }
    waiting.release(wake.runId);
  }

  function keepFailed({ wake, attempts: before }: TakenRun, error: unknown): void {
    if (disposed !== undefined) return;
    const attempts = before + 1;
    if (attempts < maxAttempts) {
      waiting.add({ ...wake, notBefore: clock.now() + retryDelayMs(attempts, random) }, attempts);
      return;
    }
    const { runId } = wake;
    logger.warn('the engine gave up a run', { runId, attempts, error: failureText(error) });
    const removed = dead.add({ wake, error: failureText(error), attempts, diedAt: clock.now() });
    if (removed !== undefined) logger.warn('the engine forgot a run that it gave up', { runId: removed.wake.runId });
  }

  async function stop(taker: Taker): Promise<void> {
    takers.delete(taker);
    await Promise.all(taker.handlers);
  }

  return {
    name,
    supports,
    async wake(wakes, { within, takeOver = false } = {}) {
      requireOpen();
      if (within !== undefined) throw transactionUnsupported(name, within.database);
      const checked = checkWakes(wakes, clock.now(), supports);
      waiting.requireRoom(checked.map(({ runId }) => runId));
      for (const { delayMs: _delayMs, ...wake } of checked) {
        if (takeOver) {
          taken.takeAway(wake.runId);
          waiting.release(wake.runId);
        }
        waiting.add(wake, 0);
      }
      serve();
    },
    async work(worker) {
      requireOpen();
      checkWorker(worker);
      const taker: Taker = { worker, versions: worker.versions, handlers: new Set() };
      takers.add(taker);
      serve();
      return { [Symbol.asyncDispose]: () => stop(taker) };
    },
    async signal(signal) {
      requireOpen();
      checkSignal(signal);
      notifyWorkers(
        [...takers].map(({ worker }) => worker),
        signal,
        logger,
      );
    },
    async figures() {
      requireOpen();
      const { groups, ...counts } = waiting.count();
      return { ...counts, taken: taken.size, dead: dead.size, groups: busiestGroups(groups, taken.groups()) };
    },
    async listDead(page) {
      requireOpen();
      return dead.list(page);
    },
    async retryDead(runId) {
      requireOpen();
      checkName('runId', runId);
      const found = dead.remove(runId);
      if (found === undefined) return false;
      const { notBefore: _notBefore, ...wake } = found.wake;
      waiting.add({ ...wake, reason: 'retried' } satisfies RunWake, 0);
      serve();
      return true;
    },
    async removeDead(runId) {
      requireOpen();
      checkName('runId', runId);
      return dead.remove(runId) !== undefined;
    },
    [Symbol.asyncDispose]() {
      disposed ??= (async () => {
        waiting.dispose();
        taken.abortAll();
        await Promise.all([...takers].map(stop));
      })();
      return disposed;
    },
  };
}

/** Returns the groups with the most due and taken runs, those first. */
function busiestGroups(
  ready: ReadonlyMap<string, number>,
  taken: ReadonlyMap<string, number>,
): readonly EngineGroupFigures[] {
  return [...new Set([...ready.keys(), ...taken.keys()])]
    .map((group) => ({ group, ready: ready.get(group) ?? 0, taken: taken.get(group) ?? 0 }))
    .toSorted((left, right) => right.ready + right.taken - left.ready - left.taken)
    .slice(0, maxGroups);
}
