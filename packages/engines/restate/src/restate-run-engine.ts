import { KernelError, silentLogger, systemClock } from '@ravi/kernel';
import type { EngineSupport, RunEngine, RunWorker } from '@ravi/kernel';
import {
  checkInteger,
  checkLimits,
  checkName,
  checkSignal,
  checkWakes,
  checkWorker,
  defaultMaxAttempts,
  engineDisposed,
  engineUnavailable,
  failureText,
  nextLook,
  notifyWorkers,
  retryDelayMs,
  transactionUnsupported,
} from '@ravi/engine-kit';
import type { CheckedWake, CommonEngineOptions } from '@ravi/engine-kit';
import { createQueueClient } from './queue-client.ts';
import type { EndedRun, GivenRun } from './queue-protocol.ts';
import { createRestateAdmin } from './restate-server.ts';
import { createStoredWakes } from './stored-wakes.ts';
import { hostFailoverMs, openWakeHost } from './wake-host.ts';
import { defineWakeQueue } from './wake-queue.ts';
import { startWorkLoop } from './work-loop.ts';
import type { WorkLoop } from './work-loop.ts';

/** Names that Restate accepts for a service, short enough for its paths. */
export const servicePattern: RegExp = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** Defaults of the options. */
export const restateDefaults = {
  ingressUrl: 'http://127.0.0.1:8080',
  adminUrl: 'http://127.0.0.1:9070',
  service: 'ravi-engine',
  host: '127.0.0.1',
  port: 0,
  timeoutMs: 10_000,
  maxRuns: 100_000,
  heartbeatMs: 30_000,
} as const;

/** Options of {@link createRestateRunEngine}. */
export interface RestateRunEngineOptions extends CommonEngineOptions {
  /** Address of the ingress of Restate; `http://127.0.0.1:8080` by default. */
  readonly ingressUrl?: string;
  /** Address of the admin API of Restate; `http://127.0.0.1:9070` by default. */
  readonly adminUrl?: string;
  /** Token that is sent to both in the header `Authorization`. */
  readonly apiKey?: string;
  /** Name of the service in Restate; `ravi-engine` by default. Each installation needs a name of its own. */
  readonly service?: string;
  /** Address on which this process listens for requests of Restate; `127.0.0.1` by default. */
  readonly host?: string;
  /** Its port; any free one by default. */
  readonly port?: number;
  /** Address at which Restate and the other processes reach this one; `http://host:port` by default. */
  readonly advertisedUrl?: string;
  /** Public keys of Restate, such as `publickeyv1_…`: requests without a signature of one of them are refused. None by default. */
  readonly identityKeys?: readonly string[];
  /** Milliseconds to wait for a reply of Restate; 10 000 by default. */
  readonly timeoutMs?: number;
  /** Maximum runs that wait, due or not; 100 000 by default. More are refused. */
  readonly maxRuns?: number;
  /** Milliseconds without a sign of life after which a process counts as dead; 30 000 by default, at least 3 000. */
  readonly heartbeatMs?: number;
}

const name = 'engine-restate';
const tenYearsMs = 3_650 * 86_400_000;
const everywhere = new Set(['0.0.0.0', '::']);

/**
 * Opens an engine on a Restate server that any number of processes may share.
 * @throws KernelError `E_CONFIG_INVALID` for addresses, names and keys that cannot be used, `E_ARGUMENTS_INVALID` for other options out of
 *   bounds, `E_ENGINE_UNAVAILABLE`
 */
export async function createRestateRunEngine(options: RestateRunEngineOptions = {}): Promise<RunEngine> {
  const { ingressUrl, adminUrl, service, host, port, timeoutMs, maxRuns, heartbeatMs } = {
    ...restateDefaults,
    ...options,
  };
  const { apiKey, advertisedUrl, identityKeys = [], groupLimit, maxAttempts = defaultMaxAttempts } = options;
  const { clock = systemClock, logger = silentLogger, random = Math.random } = options;
  if (!servicePattern.test(service)) {
    throw new KernelError('E_CONFIG_INVALID', `service must match ${servicePattern.source}, got "${service}"`);
  }
  for (const [field, url] of Object.entries({ ingressUrl, adminUrl, advertisedUrl })) checkUrl(field, url);
  if (everywhere.has(host) && advertisedUrl === undefined) {
    throw new KernelError('E_CONFIG_INVALID', `advertisedUrl is missing: Restate cannot call host "${host}"`);
  }
  checkInteger('port', port, 0, 65_535);
  checkInteger('timeoutMs', timeoutMs, 1, 3_600_000);
  checkInteger('maxRuns', maxRuns, 1, 1_000_000);
  checkInteger('heartbeatMs', heartbeatMs, 3_000, 3_600_000);
  checkLimits(options);

  const limit = groupLimit === undefined ? {} : { groupLimit };
  const supports: EngineSupport = {
    processes: true,
    transactions: false,
    maxDelayMs: tenYearsMs,
    maxAttempts,
    // The dead process may have executed the requests of the others.
    deadAfterMs: heartbeatMs + hostFailoverMs,
    ...limit,
  };
  const server = { ingressUrl, adminUrl, timeoutMs, ...(apiKey === undefined ? {} : { apiKey }) };
  const definition = defineWakeQueue(service);
  const admin = createRestateAdmin(server);
  const queue = createQueueClient(definition, server);
  const stored = createStoredWakes(admin, service);
  const loops = new Map<WorkLoop, RunWorker>();
  let disposed: Promise<void> | undefined;

  /** Runs one method of the port. */
  async function during<Result>(body: () => Promise<Result>): Promise<Result> {
    if (disposed !== undefined) throw engineDisposed(name);
    return body();
  }

  const endOf = ({ wake: { runId }, token }: GivenRun, rest: Omit<EndedRun, 'runId' | 'token'> = {}): EndedRun => ({
    runId,
    token,
    ...rest,
  });

  function giveBack(run: GivenRun): EndedRun {
    const { notBefore: _notBefore, priority = 0, ...wake } = run.wake;
    return endOf(run, { next: { wake: { ...wake, priority, delayMs: 0 }, attempts: run.attempts } });
  }

  function endOfFailed(run: GivenRun, error: unknown): EndedRun {
    if (disposed !== undefined) return giveBack(run);
    const { wake, attempts: before } = run;
    const attempts = before + 1;
    if (attempts < maxAttempts) {
      const delayMs = retryDelayMs(attempts, random);
      const next = { ...wake, priority: wake.priority ?? 0, notBefore: clock.now() + delayMs, delayMs };
      return endOf(run, { next: { wake: next, attempts } });
    }
    const text = failureText(error);
    logger.warn('the engine gave up a run', { runId: wake.runId, attempts, error: text });
    return endOf(run, { dead: { wake, error: text, attempts, diedAt: clock.now() } });
  }

  const handlerOf =
    (worker: RunWorker) =>
    async (run: GivenRun, signal: AbortSignal): Promise<EndedRun> => {
      const { wake } = run;
      try {
        const notBefore = nextLook(await worker.handle(wake, { signal }));
        if (notBefore === undefined) return endOf(run);
        const delayMs = Math.max(0, notBefore - clock.now());
        const priority = wake.priority ?? 0;
        return endOf(run, { next: { wake: { ...wake, priority, reason: 'due', notBefore, delayMs }, attempts: 0 } });
      } catch (error) {
        return endOfFailed(run, error);
      }
    };

  const watched = await openWakeHost({
    queue: definition,
    admin,
    host,
    port,
    ...(advertisedUrl === undefined ? {} : { advertisedUrl }),
    identityKeys,
    clock,
    logger,
  });
  try {
    await queue.ping();
  } catch (error) {
    await watched[Symbol.asyncDispose]();
    throw error;
  }

  return {
    name,
    supports,
    wake: (wakes, { within, takeOver = false } = {}) =>
      during(async () => {
        if (within !== undefined) throw transactionUnsupported(name, within.database);
        const checked = checkWakes(wakes, clock.now(), supports);
        if (checked.length === 0) return;
        const { full } = await queue.wake({
          wakes: checked.map(storedWake),
          takeOver,
          maxRuns,
          at: clock.now(),
          ...limit,
        });
        if (full === undefined) return;
        throw engineUnavailable(`Restate has ${full} waiting runs; the maximum is ${maxRuns} (maxRuns)`);
      }),
    work: (worker) =>
      during(async () => {
        checkWorker(worker);
        const { versions, slots } = worker;
        const loop = startWorkLoop({
          versions,
          slots,
          queue,
          heartbeatMs,
          ...limit,
          clock,
          logger,
          handle: handlerOf(worker),
          giveBack,
          onSignal: (signal) => notifyWorkers([worker], signal, logger),
        });
        loops.set(loop, worker);
        await loop.announced;
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
        await queue.signal(signal);
      }),
    figures: () => during(() => stored.figures(clock.now())),
    listDead: (page) => during(() => stored.listDead(page)),
    retryDead: (runId) =>
      during(async () => {
        checkName('runId', runId);
        return queue.retryDead({ runId, at: clock.now(), ...limit });
      }),
    removeDead: (runId) =>
      during(async () => {
        checkName('runId', runId);
        return queue.removeDead({ runId, at: clock.now(), ...limit });
      }),
    [Symbol.asyncDispose]() {
      disposed ??= (async () => {
        for (const loop of loops.keys()) loop.abortAll();
        await Promise.all([...loops.keys()].map((loop) => loop[Symbol.asyncDispose]()));
        await watched[Symbol.asyncDispose]();
      })();
      return disposed;
    },
  };
}

/** Returns the fields of the port: nothing else may reach Restate. */
function storedWake({ runId, group, version, reason, priority, notBefore, delayMs }: CheckedWake): CheckedWake {
  const wake = { runId, group, version, reason, priority, delayMs };
  return notBefore === undefined ? wake : { ...wake, notBefore };
}

function checkUrl(field: string, value: string | undefined): void {
  if (value === undefined) return;
  const url = URL.parse(value);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return;
  throw new KernelError('E_CONFIG_INVALID', `${field} must be an http:// or https:// address, got "${value}"`);
}
