import assert from 'node:assert/strict';
import { test } from 'vitest';
import { createFakeClock } from '../src/index.ts';

test('time stands still until it is advanced, and both times move together', () => {
  const clock = createFakeClock(1_000);
  assert.deepEqual([clock.now(), clock.monotonic()], [1_000, 0]);
  clock.advance(250.5);
  assert.deepEqual([clock.now(), clock.monotonic()], [1_250.5, 250.5]);
});

test('timers fire by due time, equal ones by creation, and see the time they were due at', () => {
  const clock = createFakeClock(0);
  const fired: string[] = [];
  for (const [name, delay] of [
    ['late', 30],
    ['first', 10],
    ['second', 10],
  ] as const) {
    clock.setTimer(() => fired.push(`${name}@${clock.now()}`), delay);
  }
  clock.advance(29);
  assert.deepEqual(fired, ['first@10', 'second@10']);
  assert.equal(clock.pendingTimers, 1);
  clock.advance(1);
  assert.deepEqual(fired.at(-1), 'late@30');
  assert.equal(clock.pendingTimers, 0);
});

test('a timer that a callback sets fires in the same span when it falls due', () => {
  const clock = createFakeClock(0);
  const fired: number[] = [];
  const tick = (): void => {
    fired.push(clock.now());
    clock.setTimer(tick, 10);
  };
  clock.setTimer(tick, 10);
  clock.advance(35);
  assert.deepEqual(fired, [10, 20, 30]);
});

test('a cancelled timer never fires, also when another callback of the same span cancels it', () => {
  const clock = createFakeClock();
  const fired: string[] = [];
  const victim = clock.setTimer(() => fired.push('victim'), 20);
  clock.setTimer(() => victim.cancel(), 10);
  clock.advance(100);
  victim.cancel();
  assert.deepEqual(fired, []);
  assert.equal(clock.pendingTimers, 0);
});

test('a negative span is refused', () => {
  assert.throws(() => createFakeClock().advance(-1), RangeError);
  assert.throws(() => createFakeClock().advance(Number.NaN), RangeError);
});
