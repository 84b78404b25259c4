import assert from 'node:assert/strict';
import { createFakeClock } from '@ravi/testkit';
import fc from 'fast-check';
import { test } from 'vitest';
import { Cancellation } from '../../src/timing/cancellation.ts';
import { Deadlines } from '../../src/timing/deadlines.ts';
import { KeyedLocks } from '../../src/timing/keyed-locks.ts';

test('locks: no two calls that share a key run at once, and all get their turn', async () => {
  const keys = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.array(keys, { maxLength: 12 }), fc.scheduler(), async (calls, scheduler) => {
      const locks = new KeyedLocks();
      const held = new Set<string>();
      const cancellation = new Cancellation(new AbortController().signal);
      const run = async (wanted: readonly string[], index: number): Promise<void> => {
        const release = locks.tryAcquire(wanted) ?? (await locks.acquire(wanted, cancellation));
        for (const key of new Set(wanted)) {
          assert.ok(!held.has(key), `${key} is held twice`);
          held.add(key);
        }
        await scheduler.schedule(Promise.resolve(), `call ${index}`);
        for (const key of wanted) held.delete(key);
        release();
        release();
      };
      const running = calls.map(run);
      await scheduler.waitFor(Promise.all(running));
      assert.equal(held.size, 0);
      assert.ok(locks.tryAcquire(['a', 'b', 'c', 'd']) !== undefined, 'all are free again');
    }),
    { numRuns: 100 },
  );
});

test('deadlines keep a process alive as long as one is pending', () => {
  const clock = createFakeClock();
  const deadlines = new Deadlines(clock);
  const first = deadlines.set(100, () => {});
  const second = deadlines.set(100, () => {});
  first.cancel();
  assert.equal(clock.awaitedTimers, 1);
  second.cancel();
  assert.equal(clock.awaitedTimers, 0);
  deadlines.set(100, () => {});
  assert.equal(clock.awaitedTimers, 1);
  clock.advance(1_000);
  assert.equal(clock.pendingTimers, 0);
});

test('deadlines expire in order, each at its time, and cancelled ones never', () => {
  const due = fc.record({
    setAt: fc.nat({ max: 50 }),
    delayMs: fc.constantFrom(10, 20, 35),
    isCancelled: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(due, { maxLength: 20 }), (entries) => {
      const clock = createFakeClock();
      const deadlines = new Deadlines(clock);
      const expired: number[] = [];
      const byTime = entries.toSorted((left, right) => left.setAt - right.setAt);
      for (const { setAt, delayMs, isCancelled } of byTime) {
        clock.advance(setAt - clock.monotonic());
        const deadline = deadlines.set(delayMs, () => {
          assert.equal(clock.monotonic(), setAt + delayMs);
          expired.push(setAt + delayMs);
        });
        if (isCancelled) {
          deadline.cancel();
          deadline.cancel();
        }
      }
      clock.advance(1_000);
      const expected = byTime.filter((entry) => !entry.isCancelled).map((entry) => entry.setAt + entry.delayMs);
      assert.deepEqual(
        expired,
        expected.toSorted((left, right) => left - right),
      );
      assert.equal(clock.pendingTimers, 0);
    }),
  );
});

test('a deadline that is set while another expires works too', () => {
  const clock = createFakeClock();
  const deadlines = new Deadlines(clock);
  const fired: number[] = [];
  deadlines.set(10, () => {
    fired.push(clock.monotonic());
    deadlines.set(10, () => void fired.push(clock.monotonic()));
  });
  clock.advance(100);
  assert.deepEqual(fired, [10, 20]);
});

test('a thousand deadlines of one duration need one timer', () => {
  const clock = createFakeClock();
  const deadlines = new Deadlines(clock);
  let expired = 0;
  for (let index = 0; index < 1_000; index++) deadlines.set(10, () => void expired++);
  assert.equal(clock.pendingTimers, 1);
  clock.advance(10);
  assert.equal(expired, 1_000);
});
