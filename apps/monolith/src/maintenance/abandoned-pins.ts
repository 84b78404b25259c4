import { storedRunOfPin } from '@ravi/invoker';
import { isLiveRun } from '@ravi/kernel';
import type { Clock, Logger, RunStore, SweepOptions } from '@ravi/kernel';
import { runOfKeeper } from '../runs/run-recorder.ts';

/** Options of {@link createAbandonedPins}. */
export interface AbandonedPinsOptions {
  readonly runs: Pick<RunStore, 'get'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

// The process that ends a run unpins shortly after.
const settlingMs = 60_000;

/**
 * Creates a check for one sweep that finds the pins of runs that have ended, whose process was killed before it could unpin.
 * A run that this store does not know may belong to another installation that uses the same blob store: its pins stay.
 */
export function createAbandonedPins({ runs, clock, logger }: AbandonedPinsOptions): SweepOptions {
  const known = new Map<string, Promise<boolean>>();

  async function isOver(runId: string): Promise<boolean> {
    try {
      const run = await runs.get(runId);
      if (run === undefined || isLiveRun(run.status)) return false;
      return run.updatedAt + settlingMs < clock.now();
    } catch (error) {
      logger.warn('the run of a pin could not be read; the pin is kept', { runId, error });
      return false;
    }
  }

  return {
    isAbandoned(owner) {
      const runId = storedRunOfPin(owner);
      if (runId === undefined) return false;
      const result = known.get(runId) ?? isOver(runId);
      known.set(runId, result);
      return result;
    },
  };
}

/** Returns options of a sweep that removes every pin of runs that are about to be removed. */
export function pinsOfRuns(runIds: ReadonlySet<string>): SweepOptions {
  return {
    // A durable script pins with the id of its run.
    isAbandoned: (owner) => runIds.has(storedRunOfPin(owner) ?? runOfKeeper(owner) ?? owner),
  };
}
