import type { Clock, Logger, Timer } from '@ravi/kernel';
import { failureText } from '@ravi/engine-kit';
import type { Db, JobWithMetadata, PgBoss } from 'pg-boss';
import type { WakeData } from './send-wakes.ts';

/** Wake that this process has taken. */
export type WakeJob = Pick<
  JobWithMetadata<WakeData>,
  'id' | 'name' | 'retryCount' | 'singletonKey' | 'groupId' | 'priority' | 'data'
>;

/** Options of {@link createTakenJobs}. */
export interface TakenJobsOptions {
  readonly boss: PgBoss;
  readonly schema: string;
  readonly heartbeatMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Wakes that this process handles. It shows pg-boss that it is alive, and aborts the handlers of those that were given to another. */
export interface TakenJobs extends Disposable {
  /** Returns the signal for the handler. */
  add(job: WakeJob): AbortSignal;
  remove(job: WakeJob): void;
  /** Ends the claim on a wake, in the transaction of `db`. Returns false if another process has it by now. */
  end(job: WakeJob, db: Db): Promise<boolean>;
  /** Looks at once which wakes were given to others. */
  check(): void;
  abortAll(): void;
}

/** Heartbeats within the time after which pg-boss gives up a process. */
const beatsPerDeath = 4;

/** Creates an empty set of taken wakes. */
export function createTakenJobs({ boss, schema, heartbeatMs, clock, logger }: TakenJobsOptions): TakenJobs {
  const taken = new Map<string, { readonly job: WakeJob; readonly controller: AbortController }>();
  let isClosed = false;
  let timer: Timer | undefined;
  let checking: Promise<void> | undefined;

  async function beat(): Promise<void> {
    const jobs = [...taken.values()].map(({ job }) => job);
    for (const [queue, ofQueue] of Map.groupBy(jobs, ({ name }) => name)) {
      // pg-boss types no fields of its result.
      const { settled } = (await boss.touch(queue, ofQueue)) as { readonly settled?: readonly string[] };
      const alive = new Set(settled);
      for (const job of ofQueue) if (!alive.has(job.id)) taken.get(keyOf(job))?.controller.abort();
    }
  }

  function check(): void {
    if (isClosed) return;
    timer?.cancel();
    checking ??= beat()
      .catch((error: unknown) =>
        logger.warn('the engine could not show that it is alive', { error: failureText(error) }),
      )
      .finally(() => {
        checking = undefined;
        beatLater();
      });
  }

  function beatLater(): void {
    if (isClosed) return;
    timer = clock.setTimer(check, heartbeatMs / beatsPerDeath, { isBackground: true });
  }

  beatLater();
  return {
    add(job) {
      const controller = new AbortController();
      taken.set(keyOf(job), { job, controller });
      return controller.signal;
    },
    remove: (job) => void taken.delete(keyOf(job)),
    async end(job, db) {
      const { rows } = await db.executeSql(deleteTaken(schema), [job.name, job.id, job.retryCount]);
      return rows.length === 1;
    },
    check,
    abortAll() {
      for (const { controller } of taken.values()) controller.abort();
    },
    [Symbol.dispose]() {
      isClosed = true;
      timer?.cancel();
    },
  };
}

// After a gap, a process may take a wake again that it still handles.
function keyOf({ id, retryCount }: WakeJob): string {
  return `${id}:${retryCount}`;
}

// The retry count tells this claim from a later one. Written with bounds, the state suits no index but that of the ids: with the
// statistics of a table that is mostly empty, PostgreSQL would else read all wakes that were taken.
const deleteTaken = (schema: string): string =>
  `DELETE FROM ${schema}.job WHERE name = $1 AND id = $2 AND retry_count = $3 AND state > 'retry' AND state < 'completed' RETURNING id`;
