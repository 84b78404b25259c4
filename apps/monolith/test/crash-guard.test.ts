import assert from 'node:assert/strict';
import type { RecordedEvent } from '@ravi/api';
import { silentLogger } from '@ravi/kernel';
import type { CompleteStateStore, Run } from '@ravi/kernel';
import { createFakeClock, settle } from '@ravi/testkit';
import { test } from 'vitest';
import { createCrashGuard } from '../src/runs/crash-guard.ts';
import type { RunRecorder } from '../src/runs/run-recorder.ts';
import { createSuspectTurns } from '../src/runs/suspect-turns.ts';

const run = { id: 'run-1', status: 'running', epoch: 3, lease: { owner: 'dead', expiresAt: 1 } } as unknown as Run;

/** Creates the guard of a server whose store has the starts of attempts that crashed. */
function createWorld(crashes: number) {
  const clock = createFakeClock();
  const starts = Array.from({ length: crashes }, (_, index) => ({ id: `${index + 1}.1`, type: 'run-start', data: {} }));
  let reads = 0;
  const recorder = {
    active: () => undefined,
    read: async () => ((reads += 1), starts as unknown as readonly RecordedEvent[]),
  } as unknown as RunRecorder;
  const runs = { list: async () => ({ items: [], corrupt: [] }), get: async () => run };
  const store = { runs } as unknown as CompleteStateStore;
  const turns = createSuspectTurns(clock);
  const guard = createCrashGuard({ store, recorder, turns, maxFruitlessCrashes: 5, clock, logger: silentLogger });
  const { signal } = new AbortController();
  return { clock, turns, admit: () => guard.admit(run, signal), reads: () => reads };
}

test('a run is resumed at once after its first crash, and its turn begins after a pause from the second on', async () => {
  assert.equal(await createWorld(1).admit(), true);
  const { admit, clock, turns } = createWorld(2);
  const admitted = admit();
  await settle();
  assert.deepEqual([turns.isWaiting('run-1'), turns.has('run-1')], [true, false]);
  clock.advance(1_000);
  assert.equal(await admitted, true);
  assert.deepEqual([turns.isWaiting('run-1'), turns.has('run-1')], [false, true]);
});

test('the events of a run that waits for its turn are not read again at each poll', async () => {
  const { admit, clock, reads } = createWorld(2);
  const admitted = admit();
  await settle();
  for (let poll = 0; poll < 3; poll += 1) assert.equal(await admit(), false);
  assert.equal(reads(), 1);
  clock.advance(1_000);
  assert.equal(await admitted, true);
});
