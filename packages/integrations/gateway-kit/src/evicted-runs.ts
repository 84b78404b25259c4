import type { Logger } from '@ravi/kernel';
import type { CallRecords } from './call-records.ts';
import type { FrameworkRun } from './gateway-types.ts';
import { keyOfRun } from './runs.ts';

/** Evicted runs whose calls are remembered, for each run that may be in memory. */
const rememberedPerRun = 20;

/** Options of {@link createEvictedRuns}. */
export interface EvictedRunsOptions {
  readonly records: CallRecords;
  readonly maxRuns: number;
  readonly logger: Logger;
}

/** Runs that left the memory of a gateway without stored values. */
export interface EvictedRuns {
  /**
   * Drops the results and the open requests of a run that leaves. Its calls that began stay known, so that one with the same id
   * gets `E_CALL_UNKNOWN` instead of a second effect.
   */
  add(run: FrameworkRun): Promise<void>;
  /** The run is in memory again, or has ended. */
  delete(run: FrameworkRun): void;
}

/** Creates {@link EvictedRuns}. The oldest of more than {@link rememberedPerRun} times `maxRuns` is forgotten, which is logged. */
export function createEvictedRuns({ records, maxRuns, logger }: EvictedRunsOptions): EvictedRuns {
  const evicted = new Map<string, FrameworkRun>();
  const limit = rememberedPerRun * maxRuns;
  return {
    async add(run) {
      evicted.set(keyOfRun(run), run);
      const [oldest] = evicted;
      if (evicted.size > limit && oldest !== undefined) {
        const [key, { runId }] = oldest;
        evicted.delete(key);
        logger.warn('calls of an old run are forgotten, and are made again if the framework repeats them', { runId });
        await records.removeAll(oldest[1]);
      }
      await records.condense(run);
    },
    delete: (run) => void evicted.delete(keyOfRun(run)),
  };
}
