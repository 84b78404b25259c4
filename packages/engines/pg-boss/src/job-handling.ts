import { failureText, nextLook, retryDelayMs } from '@ravi/engine-kit';
import type { Clock, Logger, RunWorker } from '@ravi/kernel';
import type { Db, PgBoss } from 'pg-boss';
import { addDead } from './dead-letters.ts';
import type { EngineMessage } from './engine-channel.ts';
import type { EngineDatabase } from './engine-database.ts';
import { sendWakes, wakeOf } from './send-wakes.ts';
import type { SentWake } from './send-wakes.ts';
import type { TakenJobs, WakeJob } from './taken-jobs.ts';

/** Options of {@link createJobHandling}. */
export interface JobHandlingOptions {
  readonly boss: PgBoss;
  readonly database: EngineDatabase;
  readonly schema: string;
  readonly taken: TakenJobs;
  readonly maxAttempts: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly random: () => number;
  /** True once the engine is being disposed: handlers that fail then have handed their runs over. */
  isClosing(): boolean;
  tell(db: Db, message: EngineMessage): Promise<void>;
}

/** Handles taken wakes and records what comes of them. Nothing here rejects: what cannot be recorded is delivered again. */
export interface JobHandling {
  handlerOf(worker: RunWorker): (job: WakeJob) => Promise<void>;
  /** Lets another worker have the wake at once. */
  giveBack(job: WakeJob): Promise<void>;
}

/** Creates the handling of an engine. */
export function createJobHandling(options: JobHandlingOptions): JobHandling {
  const { boss, database, schema, taken, maxAttempts, clock, logger, random, isClosing, tell } = options;

  /** Ends the claim on a wake, and in the same transaction does what follows, unless another process has the wake by now. */
  async function settle(job: WakeJob, follow: (db: Db) => Promise<void> = async () => {}): Promise<void> {
    try {
      await database.transaction(async (db) => {
        if (await taken.end(job, db)) await follow(db);
      });
    } catch (error) {
      logger.warn('the engine could not record the end of a handler; the run is delivered again', {
        runId: job.singletonKey,
        error: failureText(error),
      });
    }
  }

  async function sendAgain(job: WakeJob, changes: Partial<SentWake>, db: Db): Promise<void> {
    const wake: SentWake = { ...wakeOf(job), priority: job.priority, delayMs: 0, attempts: 0, ...changes };
    await sendWakes([wake], { boss, schema, db });
    if (wake.delayMs === 0) await tell(db, { type: 'ready' });
  }

  const giveBack = (job: WakeJob): Promise<void> =>
    settle(job, (db) => sendAgain(job, { attempts: job.data.attempts }, db));

  async function recordFailure(job: WakeJob, error: unknown): Promise<void> {
    if (isClosing()) return giveBack(job);
    const attempts = job.data.attempts + 1;
    if (attempts < maxAttempts) {
      return settle(job, (db) => sendAgain(job, { attempts, delayMs: retryDelayMs(attempts, random) }, db));
    }
    const text = failureText(error);
    logger.warn('the engine gave up a run', { runId: job.singletonKey, attempts, error: text });
    return settle(job, (db) => addDead(boss, wakeOf(job), text, attempts, db));
  }

  return {
    handlerOf: (worker) => async (job) => {
      const signal = taken.add(job);
      try {
        const notBefore = nextLook(await worker.handle(wakeOf(job), { signal }));
        if (notBefore === undefined) await settle(job);
        else {
          const delayMs = Math.max(0, notBefore - clock.now());
          await settle(job, (db) => sendAgain(job, { reason: 'due', delayMs }, db));
        }
      } catch (error) {
        await recordFailure(job, error);
      } finally {
        taken.remove(job);
      }
    },
    giveBack,
  };
}
