import type { Clock } from '@ravi/kernel';
import { createOldestWakes, hasLostRace, takeDueWakes } from './due-wakes.ts';
import type { EngineDatabase } from './engine-database.ts';
import type { WakeJob } from './taken-jobs.ts';

/** Options of {@link createWakeSource}. */
export interface WakeSourceOptions {
  readonly database: EngineDatabase;
  readonly schema: string;
  readonly queues: readonly string[];
  readonly groupLimit?: number;
  readonly pollMs: number;
  readonly clock: Clock;
}

/** Takes wakes from the queues of a worker, so that groups take turns. */
export interface WakeSource {
  /** Returns some wakes, not more than `free`; none if nothing is due that may be handled now. */
  take(free: number): Promise<readonly WakeJob[]>;
}

/** Of the free slots, the part that one look fills: more would give them all to the group with the oldest wakes. */
const shareOfSlots = 4;
/** Groups that one round leaves out, at most; then another round begins. */
const maxServed = 500;

/** Creates a source. A round serves each group once; the order within it is by priority and then by age. */
export function createWakeSource(options: WakeSourceOptions): WakeSource {
  const { database, schema, queues, groupLimit, pollMs, clock } = options;
  const oldest = createOldestWakes({ db: database, schema, pollMs, clock });
  const served = new Set<string>();
  let order = queues;

  async function takeFrom(queue: string, max: number): Promise<readonly WakeJob[]> {
    const from = await oldest.of(queue);
    const wanted = { schema, queue, from, max, exceptGroups: [...served] };
    // The statement counts the group and takes, but two processes at once would both count before either takes.
    const taking =
      groupLimit === undefined
        ? takeDueWakes({ db: database, ...wanted })
        : database.transaction((db) => takeDueWakes({ db, ...wanted, groupLimit }), `ravi ${schema} take`);
    return taking.catch((error: unknown) => {
      if (hasLostRace(error)) return [];
      throw error;
    });
  }

  async function takeOnce(batchSize: number): Promise<readonly WakeJob[]> {
    for (const queue of order) {
      const jobs = await takeFrom(queue, batchSize);
      if (jobs.length === 0) continue;
      order = [...order.filter((other) => other !== queue), queue];
      for (const { groupId } of jobs) if (groupId) served.add(groupId);
      if (served.size > maxServed) served.clear();
      return jobs;
    }
    return [];
  }

  return {
    async take(free) {
      const batchSize = Math.max(1, Math.floor(free / shareOfSlots));
      const jobs = await takeOnce(batchSize);
      if (jobs.length > 0 || served.size === 0) return jobs;
      served.clear();
      return takeOnce(batchSize);
    },
  };
}
