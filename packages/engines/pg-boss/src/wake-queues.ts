import { createHash } from 'node:crypto';
import type { PgBoss, QueueOptions } from 'pg-boss';

/** Queue of the wakes that were given up. */
export const deadQueue = 'dead';

const prefix = 'wake-';

/** Pattern of SQL `LIKE` for the names of all queues of wakes. */
export const wakeQueuePattern: string = `${prefix}%`;

/** Policy of the queues: one wake of a run that waits, and one that is being handled. */
export const wakePolicy = 'stately';

const farFutureSeconds = 10 * 365 * 86_400;
const daySeconds = 86_400;
/** Deaths of workers that one wake survives. Ravi finds calls that kill their process by its journal, so this is only a backstop. */
const maxDeaths = 100;

/** Queues of one installation, created when they are first used. */
export interface WakeQueues {
  /** Returns the queue of a version, after it was created. Must not be called inside a transaction that creates it. */
  of(version: string): Promise<string>;
  /** Creates what every process needs. */
  prepare(): Promise<void>;
}

/** Returns the name of the queue of a version. Versions have characters that a name cannot have. */
export function queueName(version: string): string {
  return `${prefix}${createHash('sha256').update(version).digest('hex').slice(0, 32)}`;
}

/** Creates the queues of an engine. */
export function createWakeQueues(boss: PgBoss, heartbeatSeconds: number): WakeQueues {
  const created = new Map<string, Promise<string>>();
  // pg-boss removes what waits longer than its retention; a wake waits as long as it must.
  const kept: QueueOptions = { retentionSeconds: farFutureSeconds, deleteAfterSeconds: daySeconds };
  const settings: QueueOptions = {
    ...kept,
    heartbeatSeconds,
    expireInSeconds: daySeconds,
    // After the death of a worker. Failed handlers are repeated by the engine itself.
    retryLimit: maxDeaths,
    retryDelay: 0,
    retryBackoff: false,
  };

  async function create(queue: string): Promise<string> {
    await boss.createQueue(queue, { ...settings, policy: wakePolicy, deadLetter: deadQueue });
    // An earlier process may have created it with other settings.
    await boss.updateQueue(queue, settings);
    return queue;
  }

  return {
    of(version) {
      const queue = queueName(version);
      const found = created.get(queue);
      if (found !== undefined) return found;
      const creating = create(queue);
      created.set(queue, creating);
      creating.catch(() => created.delete(queue));
      return creating;
    },
    prepare: () => boss.createQueue(deadQueue, kept),
  };
}
