import assert from 'node:assert/strict';
import { KernelError, silentLogger } from '@ravi/kernel';
import type { LeaseStore } from '@ravi/kernel';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { createFakeClock, createMemoryLogger } from '@ravi/testkit';
import { test } from 'vitest';
import { whileLeased } from '../src/maintenance/while-leased.ts';
import type { WhileLeasedOptions } from '../src/maintenance/while-leased.ts';

/** Some processes over one store, all with one clock. */
async function createWorld() {
  const clock = createFakeClock();
  const logger = createMemoryLogger();
  const store = await createSqliteStateStore({ file: ':memory:', clock });
  const log: string[] = [];
  let isUnavailable = false;
  let asked = 0;
  let answered = 0;
  const leases: LeaseStore = {
    async acquire(name, claim) {
      asked++;
      try {
        if (isUnavailable) throw new KernelError('E_STATE_UNAVAILABLE', 'The store does not answer');
        return await store.leases.acquire(name, claim);
      } finally {
        answered++;
      }
    },
    release: (name, owner) => store.leases.release(name, owner),
  };
  /** Lets every question to the store be answered and its answer be acted on. */
  async function settle(): Promise<void> {
    do for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    while (answered < asked);
  }
  return {
    clock,
    logger,
    log,
    settle,
    setUnavailable: (value: boolean) => void (isUnavailable = value),
    start(owner: string, options: Partial<WhileLeasedOptions> = {}) {
      const start = (): AsyncDisposable => {
        log.push(`${owner} begins`);
        return { [Symbol.asyncDispose]: async () => void log.push(`${owner} stops`) };
      };
      return whileLeased({ leases, name: 'work', owner, start, clock, logger: silentLogger, ...options });
    },
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 1_000) {
        clock.advance(1_000);
        await settle();
      }
    },
  };
}

test('one of two processes does the work, and the other one when it has ended', async () => {
  const { log, start, settle, pass } = await createWorld();
  const one = start('one');
  await settle();
  await using _two = start('two');
  await pass(600_000);
  assert.deepEqual(log, ['one begins']);
  await one[Symbol.asyncDispose]();
  await pass(20_000);
  assert.deepEqual(log, ['one begins', 'one stops', 'two begins']);
});

test('another process takes over from a killed one, 60 to 80 seconds after its last sign of life', async () => {
  const { clock, log, start, settle, pass } = await createWorld();
  // The timers of a killed process do not fire.
  const stillClock = { ...clock, setTimer: () => ({ cancel() {}, setBackground() {} }) };
  start('killed', { clock: stillClock });
  await settle();
  await using _two = start('two');
  await pass(59_000);
  assert.deepEqual(log, ['killed begins']);
  await pass(21_000);
  assert.deepEqual(log, ['killed begins', 'two begins']);
});

test('a process that cannot renew its lease stops its work when the time is over, and begins again later', async () => {
  const { clock, logger, log, start, settle, setUnavailable, pass } = await createWorld();
  const one = start('one', { logger });
  await settle();
  setUnavailable(true);
  await pass(59_000);
  assert.deepEqual(log, ['one begins']);
  await pass(1_000);
  assert.deepEqual(log, ['one begins', 'one stops']);
  await pass(600_000);
  assert.equal(logger.records.filter(({ level }) => level === 'warn').length, 1);
  setUnavailable(false);
  await pass(20_000);
  assert.deepEqual(log, ['one begins', 'one stops', 'one begins']);
  await one[Symbol.asyncDispose]();
  assert.equal(clock.pendingTimers, 0);
});

test('work whose last part has not ended is not begun twice', async () => {
  const { start, settle, setUnavailable, pass } = await createWorld();
  const lastPart = Promise.withResolvers<void>();
  let begun = 0;
  await using _one = start('one', {
    start() {
      begun += 1;
      return { [Symbol.asyncDispose]: () => lastPart.promise };
    },
  });
  await settle();
  setUnavailable(true);
  await pass(60_000);
  setUnavailable(false);
  await pass(60_000);
  assert.equal(begun, 1);
  lastPart.resolve();
  await pass(20_000);
  assert.equal(begun, 2);
});

test('a process that is disposed before its first answer does no work and keeps no lease', async () => {
  const { log, start, settle } = await createWorld();
  await start('one')[Symbol.asyncDispose]();
  await using _two = start('two');
  await settle();
  assert.deepEqual(log, ['two begins']);
});
