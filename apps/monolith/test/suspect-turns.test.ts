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
  const take = (runId: string, crashes = 0): void => {
    const accompany = async (other: string): Promise<void> => void log.push(`${other} accompanied`);
    const isCurrent = async (): Promise<boolean> => !changed.has(runId);
    const turn = turns.take(runId, crashes, { signal: closing.signal, isCurrent, accompany });
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
