import { KernelError } from '@ravi/kernel';
import type { Clock, EngineFigures, Logger, Principal, RunEngine } from '@ravi/kernel';

/** Limit of the runs of one principal that wait for a server to continue them. */
export interface WaitingRunLimit {
  /** Call it before a run starts. @throws KernelError `E_BUSY` if more runs of the principal wait */
  check(principal: Principal): Promise<void>;
}

/** Options of {@link createWaitingRunLimit}. */
export interface WaitingRunLimitOptions {
  readonly engine: Pick<RunEngine, 'figures'>;
  readonly maxWaitingRuns: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

const countMs = 5_000;

/**
 * Creates the limit of a process. The runs are counted at most once in five seconds, for the twenty principals with the most. While the
 * engine cannot count them, nothing is refused.
 */
export function createWaitingRunLimit(options: WaitingRunLimitOptions): WaitingRunLimit {
  const { engine, maxWaitingRuns, clock, logger } = options;
  let counted: { readonly at: number; readonly groups: Promise<EngineFigures['groups']> } | undefined;

  async function count(): Promise<EngineFigures['groups']> {
    try {
      return (await engine.figures()).groups;
    } catch (error) {
      logger.warn('the waiting runs could not be counted', { error });
      return [];
    }
  }

  return {
    async check(principal) {
      const now = clock.monotonic();
      if (counted === undefined || now - counted.at >= countMs) counted = { at: now, groups: count() };
      const waiting = (await counted.groups).find(({ group }) => group === principal)?.ready ?? 0;
      if (waiting <= maxWaitingRuns) return;
      const message = `${waiting} runs of ${principal} wait for a server; the limit of runs.maxWaitingRuns is ${maxWaitingRuns}`;
      throw new KernelError('E_BUSY', message, { retryable: true, retryAfterMs: countMs });
    },
  };
}
