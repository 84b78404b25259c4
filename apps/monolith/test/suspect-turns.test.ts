import assert from 'node:assert/strict';
import { createFakeClock, settle } from '@ravi/testkit';
import { test } from 'vitest';
import { createSuspectTurns } from '../src/runs/suspect-turns.ts';

/** Creates turns, and a log of what happened to runs: that they started, were left out or were accompanied. */
function createWorld() {
  const clock = createFakeClock();
  const turns = createSuspectTurns(clock);
  const log: string[] = [];
  const changed = new Set<string>();
  const closing = new AbortController();
  const take = (runId: string, crashes = 0, principal = 'alice'): void => {
    const accompany = async (other: string): Promise<void> => void log.push(`${other} accompanied`);
    const isCurrent = async (): Promise<boolean> => !changed.has(runId);
    const turn = turns.take(runId, crashes, { principal, signal: closing.signal, isCurrent, accompany });
    void turn.then((isTaken) => log.push(`${runId} ${isTaken ? 'started' : 'left out'}`));
  };
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 500) {
      clock.advance(500);
      await settle();
    }
  };
  return { turns, log, changed, closing, take, pass };
}

test('a suspect starts after a pause that doubles with its crashes, and only one at a time', async () => {
  const { turns, log, take, pass } = createWorld();
  take('a', 1);
  take('b', 0);
  await pass(500);
  assert.deepEqual(log, []);
  await pass(500);
  assert.deepEqual([log, turns.has('b'), turns.has('a')], [['b started'], true, false]);
  await pass(1_000);
  assert.deepEqual(log, ['b started'], 'its pause is over, and it is still the turn of b');
  turns.end('b');
  await settle();
  assert.deepEqual([log, turns.has('b'), turns.has('a')], [['b started', 'a started'], false, true]);
});

test('a turn without an end lasts two seconds that double with each crash, and then the run is accompanied', async () => {
  const { log, take, pass, turns } = createWorld();
  take('a', 1);
  await pass(2_000);
  take('b', 0);
  await pass(3_500);
  assert.deepEqual(log, ['a started']);
  await pass(500);
  assert.deepEqual(log, ['a started', 'a accompanied', 'b started']);
  // It has made progress, so it is not accompanied again.
  turns.end('b');
  take('c', 0);
  await pass(1_000);
  assert.deepEqual(log.slice(3), ['c started']);
});

test('a run that waits is not taken twice, and is left out if it has changed or recovery stops', async () => {
  const { log, take, pass, changed, closing, turns } = createWorld();
  take('a');
  take('a');
  await settle();
  assert.deepEqual(log, ['a left out']);
  changed.add('a');
  take('b');
  await pass(1_000);
  assert.deepEqual([log, turns.has('b')], [['a left out', 'a left out', 'b started'], true]);
  take('c');
  await pass(1_000);
  closing.abort();
  await settle();
  assert.deepEqual(log.slice(3), ['c left out']);
});

test('the suspects of one principal do not delay those of another by more than a turn', async () => {
  const { log, take, pass } = createWorld();
  for (let number = 0; number < 50; number++) take(`mallory ${number}`, 0, 'mallory');
  await pass(1_500);
  take('bob 0', 0, 'bob');
  take('bob 1', 0, 'bob');
  await pass(8_000);
  const started = log.filter((line) => line.endsWith('started'));
  assert.deepEqual(started, [
    'mallory 0 started',
    'bob 0 started',
    'mallory 1 started',
    'bob 1 started',
    'mallory 2 started',
  ]);
});

test('a suspect that cannot begin its turn gives it to the next one', async () => {
  const { turns, log, take, pass, closing } = createWorld();
  const fails = turns.take('broken', 0, {
    principal: 'alice',
    signal: closing.signal,
    isCurrent: () => Promise.reject(new Error('the store is gone')),
    accompany: async () => {},
  });
  const failed = assert.rejects(fails, /the store is gone/);
  take('next');
  await pass(1_000);
  await failed;
  assert.deepEqual(log, ['next started']);
});
