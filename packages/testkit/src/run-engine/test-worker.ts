import assert from 'node:assert/strict';
import type { RunEngine, RunSignal, RunWake, WakeOutcome } from '@ravi/kernel';
import { version } from './run-engine-suite.ts';

/** One handler call of a {@link TestWorker}. */
export interface Delivery {
  readonly wake: RunWake;
  readonly signal: AbortSignal;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** Ends the call. Deliveries of a worker that holds wait for it. */
  end(outcome?: WakeOutcome): void;
  fail(error: unknown): void;
}

/** Worker of a test, which records what it receives. */
export interface TestWorker extends AsyncDisposable {
  readonly deliveries: readonly Delivery[];
  readonly signals: readonly RunSignal[];
  /** Most handlers that ran at once. */
  readonly mostAtOnce: number;
  /** Run ids of the deliveries, in their order. */
  readonly runIds: readonly string[];
  /** Waits until a condition holds; it is checked after each delivery, end and signal. @throws AssertionError after the limit */
  until(what: string, condition: () => boolean): Promise<void>;
  /** Waits for the next delivery of a run after the first `after` ones. */
  delivery(runId: string, after?: number): Promise<Delivery>;
}

/** Options of {@link startWorker}. */
export interface TestWorkerOptions {
  readonly slots?: number;
  readonly versions?: readonly string[];
  readonly waitMs: number;
  /**
   * Ends a delivery, or decides that a test does so (`hold`). Default: every delivery ends at once.
   */
  readonly behave?: (delivery: Delivery) => void;
}

/** Behaviour of a worker whose deliveries a test ends. */
export function hold(): void {}

/** Starts a worker of an engine. */
export async function startWorker(
  engine: RunEngine,
  { slots = 4, versions = [version], waitMs, behave = ({ end }) => end() }: TestWorkerOptions,
): Promise<TestWorker> {
  const deliveries: Delivery[] = [];
  const signals: RunSignal[] = [];
  const checks = new Set<() => void>();
  let atOnce = 0;
  let mostAtOnce = 0;
  const check = (): void => {
    for (const each of checks) each();
  };

  const working = await engine.work({
    versions,
    slots,
    async handle(wake, { signal }) {
      atOnce += 1;
      mostAtOnce = Math.max(mostAtOnce, atOnce);
      const { promise, resolve, reject } = Promise.withResolvers<WakeOutcome>();
      const end = (outcome: WakeOutcome = { status: 'done' }): void => resolve(outcome);
      const delivery: Delivery = { wake, signal, at: Date.now(), end, fail: reject };
      signal.addEventListener('abort', check);
      deliveries.push(delivery);
      behave(delivery);
      check();
      try {
        return await promise;
      } finally {
        atOnce -= 1;
      }
    },
    onSignal(signal) {
      signals.push(signal);
      check();
    },
  });

  function until(what: string, condition: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        checks.delete(look);
        clearTimeout(limit);
      };
      const look = (): void => {
        if (!condition()) return;
        settle();
        resolve();
      };
      const limit = setTimeout(() => {
        settle();
        const got = deliveries.map(({ wake }) => wake.runId).slice(-20);
        reject(
          new assert.AssertionError({ message: `did not happen: ${what}; deliveries end with ${got.join(', ')}` }),
        );
      }, waitMs);
      checks.add(look);
      look();
    });
  }

  return {
    deliveries,
    signals,
    get mostAtOnce() {
      return mostAtOnce;
    },
    get runIds() {
      return deliveries.map(({ wake }) => wake.runId);
    },
    until,
    async delivery(runId, after = 0) {
      let found: Delivery | undefined;
      await until(`delivery ${after + 1} of ${runId}`, () => {
        found = deliveries.filter(({ wake }) => wake.runId === runId)[after];
        return found !== undefined;
      });
      if (found === undefined) throw new TypeError('`until` resolves only after the delivery');
      return found;
    },
    async [Symbol.asyncDispose]() {
      for (const { end } of deliveries) end();
      const stopped = working[Symbol.asyncDispose]();
      // A delivery may begin until the worker has stopped.
      const ending = setInterval(() => deliveries.forEach(({ end }) => end()), 20);
      await stopped;
      clearInterval(ending);
    },
  };
}
