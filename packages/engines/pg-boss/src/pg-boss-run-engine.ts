import { KernelError, silentLogger, systemClock } from '@ravi/kernel';
import type { EngineSupport, RunEngine, RunWorker, WakeOptions } from '@ravi/kernel';
import {
  checkInteger,
  checkLimits,
  checkName,
  checkSignal,
  checkWakes,
  checkWorker,
  defaultMaxAttempts,
  engineDisposed,
  notifyWorkers,
  transactionUnsupported,
} from '@ravi/engine-kit';
import type { CommonEngineOptions } from '@ravi/engine-kit';
import { PgBoss } from 'pg-boss';
import type { Db } from 'pg-boss';
import { findDead, listDead, removeDead } from './dead-letters.ts';
import { openEngineChannel, sendMessage } from './engine-channel.ts';
import type { EngineMessage } from './engine-channel.ts';
import { createEngineDatabase, engineError } from './engine-database.ts';
import { readFigures } from './engine-figures.ts';
import { createJobHandling } from './job-handling.ts';
import { createDatabaseCheck } from './same-database.ts';
import { sendWakes } from './send-wakes.ts';
import type { SentWake } from './send-wakes.ts';
import { createWakeSource } from './take-wakes.ts';
import { createTakenJobs } from './taken-jobs.ts';
import { createWakeQueues } from './wake-queues.ts';
import { startWorkLoop } from './work-loop.ts';
import type { WorkLoop } from './work-loop.ts';

/** Default of `schema`. */
const defaultSchema = 'ravi_engine';

/** Schema names that need no quotes, short enough for pg-boss. */
export const schemaPattern: RegExp = /^[a-z_][a-z0-9_]{0,49}$/;

/** Default of `maxConnections`. */
const defaultMaxConnections = 5;

/** Default of `timeoutMs`. */
const defaultTimeoutMs = 10_000;

/** Default of `pollMs`. */
const defaultPollMs = 1_000;

/** Default of `heartbeatMs`. */
const defaultHeartbeatMs = 30_000;

/** Options of {@link createPgBossRunEngine}. */
export interface PgBossRunEngineOptions extends CommonEngineOptions {
  /** `postgres://user:password@host:port/database`; the environment variables `PGHOST`, `PGUSER`… by default. */
  readonly url?: string;
  /** Schema of the tables of pg-boss, created if missing; `ravi_engine` by default. No other program may use it. */
  readonly schema?: string;
  /** Maximum connections of this process, without the one on which it listens; 5 by default. */
  readonly maxConnections?: number;
  /** Milliseconds to wait for a connection, and for one statement; 10 000 by default. */
  readonly timeoutMs?: number;
  /** Milliseconds between two polls for wakes that have become due; 1 000 by default. */
  readonly pollMs?: number;
  /** Milliseconds without a sign of life after which a process counts as dead; 30 000 by default, at least 10 000. */
  readonly heartbeatMs?: number;
}

const name = 'engine-pg-boss';
const tenYearsMs = 3_650 * 86_400_000;
/** pg-boss looks for dead processes this often. */
const monitorSeconds = 5;

/**
 * Opens an engine in PostgreSQL that any number of processes may share.
 * @throws KernelError `E_CONFIG_INVALID` for a schema with another name, `E_ARGUMENTS_INVALID` for other options out of bounds,
 *   `E_ENGINE_UNAVAILABLE`
 */
export async function createPgBossRunEngine(options: PgBossRunEngineOptions = {}): Promise<RunEngine> {
  const { url, schema = defaultSchema, groupLimit, maxAttempts = defaultMaxAttempts } = options;
  const { maxConnections = defaultMaxConnections, timeoutMs = defaultTimeoutMs, pollMs = defaultPollMs } = options;
  const {
    heartbeatMs = defaultHeartbeatMs,
    clock = systemClock,
    logger = silentLogger,
    random = Math.random,
  } = options;
  if (!schemaPattern.test(schema)) {
    throw new KernelError('E_CONFIG_INVALID', `schema must match ${schemaPattern.source}, got "${schema}"`);
  }
  checkInteger('maxConnections', maxConnections, 2, 1_000);
  checkInteger('timeoutMs', timeoutMs, 1, 3_600_000);
  checkInteger('pollMs', pollMs, 10, 60_000);
  checkInteger('heartbeatMs', heartbeatMs, 10_000, 3_600_000);
  checkLimits(options);

  const heartbeatSeconds = Math.ceil(heartbeatMs / 1_000);
  const supports: EngineSupport = {
    processes: true,
    transactions: true,
    maxDelayMs: tenYearsMs,
    maxAttempts,
    // The monitor runs every few seconds in one of the processes; a second round is for one that has just begun.
    deadAfterMs: (heartbeatSeconds + 2 * monitorSeconds) * 1_000 + pollMs,
    ...(groupLimit === undefined ? {} : { groupLimit }),
  };
  const place = url === undefined ? {} : { url };
  const database = createEngineDatabase({ ...place, maxConnections, timeoutMs, logger });
  const boss = new PgBoss({
    db: database,
    schema,
    schedule: false,
    superviseIntervalSeconds: monitorSeconds,
    monitorIntervalSeconds: monitorSeconds,
    registerInstance: false,
    openTelemetry: { enabled: false },
  });
  boss.on('error', (error) => logger.warn('pg-boss reports an error', { error: error.message }));
  boss.on('warning', ({ message }) => logger.debug('pg-boss reports a warning', { message }));
  const databaseCheck = createDatabaseCheck(database);
  const taken = createTakenJobs({ boss, schema, heartbeatMs, clock, logger });
  const queues = createWakeQueues(boss, heartbeatSeconds);
  const loops = new Map<WorkLoop, RunWorker>();
  let disposed: Promise<void> | undefined;

  const handling = createJobHandling({
    boss,
    database,
    schema,
    taken,
    maxAttempts,
    clock,
    logger,
    random,
    isClosing: () => disposed !== undefined,
    tell: (db, message) => sendMessage(db, schema, message),
  });

  function receive(message: EngineMessage): void {
    if (message.type === 'taken-over') return taken.check();
    if (message.type !== 'ready') notifyWorkers(loops.values(), message, logger);
    if (message.type === 'cancel' || message.type === 'input') return;
    for (const loop of loops.keys()) loop.look();
  }

  /** Runs one method of the port. */
  async function during<Result>(body: () => Promise<Result>): Promise<Result> {
    if (disposed !== undefined) throw engineDisposed(name);
    try {
      return await body();
    } catch (error) {
      throw engineError(error);
    }
  }

  async function send(wakes: readonly SentWake[], db: Db, takeOver: boolean): Promise<void> {
    await sendWakes(wakes, { boss, schema, db, takeOver });
    if (takeOver) await sendMessage(db, schema, { type: 'taken-over' });
    if (wakes.some(({ delayMs }) => delayMs === 0)) await sendMessage(db, schema, { type: 'ready' });
  }

  async function wake(checked: readonly SentWake[], { within, takeOver = false }: WakeOptions): Promise<void> {
    if (within !== undefined) await databaseCheck.check(within);
    for (const version of new Set(checked.map((each) => each.version))) await queues.of(version);
    if (within === undefined) return database.transaction((db) => send(checked, db, takeOver));
    const joined: Db = {
      executeSql: async (text, values) => ({
        rows: [...(await within.run(text, values as (string | number | null)[]))],
      }),
    };
    return send(checked, joined, takeOver);
  }

  const engine: RunEngine = {
    name,
    supports,
    wake: (wakes, given = {}) =>
      during(async () => {
        if (given.within !== undefined && given.within.database !== 'postgres') {
          throw transactionUnsupported(name, given.within.database);
        }
        const checked = checkWakes(wakes, clock.now(), supports);
        if (checked.length > 0)
          await wake(
            checked.map((each) => ({ ...each, attempts: 0 })),
            given,
          );
      }),
    work: (worker) =>
      during(async () => {
        checkWorker(worker);
        const ofWorker = await Promise.all(worker.versions.map((version) => queues.of(version)));
        const source = createWakeSource({
          database,
          schema,
          queues: ofWorker,
          ...(groupLimit === undefined ? {} : { groupLimit }),
          pollMs,
          clock,
        });
        const { slots } = worker;
        const handle = handling.handlerOf(worker);
        const loop = startWorkLoop({ slots, source, pollMs, clock, logger, handle, giveBack: handling.giveBack });
        loops.set(loop, worker);
        return {
          async [Symbol.asyncDispose]() {
            await loop[Symbol.asyncDispose]();
            loops.delete(loop);
          },
        };
      }),
    signal: (signal) =>
      during(async () => {
        checkSignal(signal);
        await sendMessage(database, schema, signal);
      }),
    figures: () => during(() => readFigures(database, schema)),
    listDead: (page) => during(() => listDead(database, schema, page)),
    retryDead: (runId) =>
      during(async () => {
        checkName('runId', runId);
        const found = await findDead(database, schema, runId);
        if (found === undefined) return false;
        await queues.of(found.version);
        return database.transaction(async (db) => {
          if (!(await removeDead(db, schema, runId))) return false;
          const { priority = 0 } = found;
          await send([{ ...found, priority, reason: 'retried', delayMs: 0, attempts: 0 }], db, false);
          return true;
        });
      }),
    removeDead: (runId) =>
      during(async () => {
        checkName('runId', runId);
        return removeDead(database, schema, runId);
      }),
    [Symbol.asyncDispose]() {
      disposed ??= (async () => {
        taken.abortAll();
        await Promise.all([...loops.keys()].map((loop) => loop[Symbol.asyncDispose]()));
        await close();
      })();
      return disposed;
    },
  };

  let channel: AsyncDisposable | undefined;
  async function close(): Promise<void> {
    taken[Symbol.dispose]();
    await channel?.[Symbol.asyncDispose]();
    await boss.stop({ graceful: false });
    await database[Symbol.asyncDispose]();
  }
  try {
    await boss.start();
    await queues.prepare();
    channel = await openEngineChannel({ ...place, channel: schema, timeoutMs, clock, logger, onMessage: receive });
  } catch (error) {
    await close();
    throw engineError(error);
  }
  return engine;
}
