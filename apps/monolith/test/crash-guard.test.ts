import assert from 'node:assert/strict';
import type { RecordedEvent } from '@ravi/api';
import { silentLogger } from '@ravi/kernel';
import type { CompleteStateStore, NewRunEvent, Run, RunEventStore } from '@ravi/kernel';
import { createFakeClock, settle } from '@ravi/testkit';
import { test } from 'vitest';
import { createCrashGuard } from '../src/runs/crash-guard.ts';
import { createEventLog } from '../src/runs/event-log.ts';
import type { EventLog } from '../src/runs/event-log.ts';
import type { RunRecorder } from '../src/runs/run-recorder.ts';
import { createSuspectTurns } from '../src/runs/suspect-turns.ts';

const run = { id: 'run-1', status: 'running', epoch: 3, owner: 'dead' } as unknown as Run;

/** Creates the guard of a server whose store has the starts of attempts that crashed. */
function createWorld(crashes: number) {
  const clock = createFakeClock();
  const starts = Array.from({ length: crashes }, (_, index) => ({ id: `${index + 1}.1`, type: 'run-start', data: {} }));
  let reads = 0;
  const active = new Map<string, EventLog>();
  const recorder = {
    active: (runId: string) => active.get(runId),
    isExecuting: (runId: string) => active.has(runId),
    read: async () => ((reads += 1), starts as unknown as readonly RecordedEvent[]),
  } as unknown as RunRecorder;
  const runs = { list: async () => ({ items: [], corrupt: [] }), get: async (id: string) => ({ ...run, id }) };
  const store = { runs } as unknown as CompleteStateStore;
  const turns = createSuspectTurns(clock);
  const guard = createCrashGuard({ store, recorder, turns, maxFruitlessCrashes: 5, clock, logger: silentLogger });
  const { signal } = new AbortController();
  const admit = (id = run.id): Promise<boolean> => guard.admit({ ...run, id }, signal);
  return { clock, turns, active, admit, reads: () => reads };
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

/** Admits a suspect next to another one, whose log `prepare` has prepared. Returns the types of the events that its log stores. */
async function accompany(prepare: (log: EventLog) => Promise<void>): Promise<readonly string[]> {
  const { clock, active, admit } = createWorld(2);
  const first = admit();
  await settle();
  clock.advance(1_000);
  assert.equal(await first, true);
  const stored: NewRunEvent[] = [];
  const events = {
    append: async (_run: string, _by: object, more: readonly NewRunEvent[]) => void stored.push(...more),
  };
  const tick = { add: (store: () => void): void => store() };
  const services = { events: events as unknown as RunEventStore, clock, logger: silentLogger, tick };
  const log = createEventLog({ runId: 'run-1', ...services, redact: (data) => data });
  active.set('run-1', log);
  log.begin({ owner: 'one', epoch: 4 });
  await prepare(log);
  const second = admit('run-2');
  await settle();
  clock.advance(2_000);
  assert.equal(await second, true);
  log.append({ type: 'model-text', text: 'later' });
  await settle();
  return stored.map(({ type }) => type);
}

test('a suspect that starts next to another one is in the record of that one, which continues', async () => {
  assert.deepEqual(await accompany(async () => {}), ['run-accompanied', 'model-text']);
});

test('a suspect that starts while another one is ending adds nothing after its end', async () => {
  assert.deepEqual(await accompany((log) => log.hold()), []);
});
