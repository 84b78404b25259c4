import type { Clock, Logger, ProcessStore, Run, RunBlock, RunStore, Timer } from '@ravi/kernel';
import { livingProcesses } from '@ravi/support';
import { blockedBy } from './end-run.ts';

/** Options of {@link createBlockedRuns}. */
export interface BlockedRunsOptions {
  readonly runs: Pick<RunStore, 'claim' | 'get' | 'transition'>;
  readonly processes: Pick<ProcessStore, 'list'>;
  /** Returns what this process lacks to continue a run. */
  readonly blockOf: (run: Run) => RunBlock | undefined;
  /** Called with a run that this process can continue after all. */
  readonly onServable: (runId: string) => void;
  /** Time that other processes have to continue a run before it becomes blocked; four times as long while one of them lives. */
  readonly graceMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** An engine gives a run to one process at a time, so the one that can continue it may get its turn late. */
const gracesOfOthers = 4;

/** Runs that wait for a process that can continue them. */
export interface BlockedRuns {
  /**
   * Returns true for a run that this process cannot continue. It is left to others, and becomes blocked if none has taken it when
   * the grace is over. A blocked one stays as it is.
   */
  defer(run: Run): boolean;
  /** Makes a live run blocked. Resolves with false if a living process executes it, or it has changed. */
  block(run: Run, block: RunBlock): Promise<boolean>;
  stop(): void;
}

/** Creates the register of the runs that this process cannot continue. */
export function createBlockedRuns(options: BlockedRunsOptions): BlockedRuns {
  const { runs, processes, blockOf, onServable, graceMs, clock, logger } = options;
  /** Last timer of each run that was deferred. */
  const timers = new Map<string, Timer>();
  let isStopped = false;
  const owner = `blocking_${crypto.randomUUID()}`;

  function blockLater(run: Run, grace: number): void {
    if (isStopped) return;
    const timer = clock.setTimer(() => void endGrace(run, grace), graceMs, { isBackground: true });
    timers.set(run.id, timer);
  }

  async function endGrace(run: Run, grace: number): Promise<void> {
    try {
      if (!(await blockIfLeft(run, grace))) return blockLater(run, grace + 1);
    } catch (error) {
      logger.error('a run could not be blocked; it will be tried again', { runId: run.id, error });
    }
    timers.delete(run.id);
  }

  /** Blocks a run, unless another process has taken it or this one can continue it. Returns false if it has another grace. */
  async function blockIfLeft({ id: runId, epoch }: Run, grace: number): Promise<boolean> {
    const run = await runs.get(runId);
    if (run === undefined || run.epoch !== epoch || (run.status !== 'running' && run.status !== 'paused')) return true;
    const block = blockOf(run);
    if (block !== undefined && grace < gracesOfOthers && (await doOthersLive())) return false;
    if (isStopped) return true;
    if (block === undefined) onServable(runId);
    else if (await becomesBlocked(run, block)) logger.warn('a run is blocked', { runId, reason: block.message });
    return true;
  }

  async function doOthersLive(): Promise<boolean> {
    // This process is one of them.
    return (await livingProcesses(processes)).length > 1;
  }

  async function becomesBlocked(run: Run, block: RunBlock): Promise<boolean> {
    const change = { now: clock.now(), ...blockedBy(run, block) };
    if (run.status === 'paused') return runs.transition(run.id, { ...change, from: ['paused'], epoch: run.epoch });
    // Nothing of a queued run has begun, and a claim would be its beginning.
    if (run.epoch === 0) return runs.transition(run.id, { ...change, from: ['running'], epoch: 0 });
    // Its process may live after all. From one that does not, any other may take it before it is blocked: this owner has no record.
    const claimed = await runs.claim(run.id, { owner });
    if (claimed === undefined) return false;
    return runs.transition(run.id, { ...change, from: ['running'], owner, epoch: claimed.epoch });
  }

  return {
    defer(run) {
      if (blockOf(run) === undefined) return false;
      if (run.status === 'blocked' || timers.has(run.id)) return true;
      blockLater(run, 1);
      return true;
    },
    block: becomesBlocked,
    stop() {
      isStopped = true;
      for (const timer of timers.values()) timer.cancel();
      timers.clear();
    },
  };
}
