import type { DeadWake, Logger, Run, RunBlock, RunEngine, RunStore } from '@ravi/kernel';

/** Options of {@link blockGivenUp}. */
export interface DeadWakesOptions {
  readonly engine: Pick<RunEngine, 'listDead' | 'removeDead'>;
  readonly runs: Pick<RunStore, 'get'>;
  /** Makes a run blocked. Resolves with false if another process has it by now. */
  readonly block: (run: Run, block: RunBlock) => Promise<boolean>;
  readonly logger: Logger;
}

const perLook = 100;

/**
 * Makes the runs blocked whose wakes the engine gave up, with the reason, and removes the wakes. A retry of the run wakes it again.
 */
export async function blockGivenUp({ engine, runs, block, logger }: DeadWakesOptions): Promise<void> {
  const { items } = await engine.listDead({ limit: perLook });
  for (const dead of items) {
    const { runId } = dead.wake;
    const run = await runs.get(runId);
    if (run?.status === 'running' || run?.status === 'paused') {
      if (!(await block(run, blockOf(dead)))) continue;
      logger.warn('a run that could not continue is blocked', { runId, attempts: dead.attempts, error: dead.error });
    }
    await engine.removeDead(runId);
  }
}

// Causes of errors may name what only operators know; the log has them.
function blockOf({ attempts }: DeadWake): RunBlock {
  return { message: `No server could continue the run in ${attempts} attempts; the log has the reason`, needs: [] };
}
