import assert from 'node:assert/strict';
import { HookManager } from '@ravi/invoker';
import { KernelError, silentLogger, systemClock } from '@ravi/kernel';
import type { CompleteStateStore, JsonObject, NewRunEvent, RunEventStore } from '@ravi/kernel';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { createTestBlobs } from '@ravi/testkit';
import { test } from 'vitest';
import { raviEvents, streamEvents } from '../src/http/events/event-stream.ts';
import type { EventSources } from '../src/http/events/event-stream.ts';
import { createEventLog } from '../src/runs/event-log.ts';
import type { EventLog } from '../src/runs/event-log.ts';
import { createRunRecorder } from '../src/runs/run-recorder.ts';
import { createStoreTick } from '../src/runs/store-tick.ts';
import { createStoredEvents } from '../src/runs/stored-events.ts';
import { readEvents } from './support/event-reader.ts';

const lifetime = new AbortController().signal;
const runId = 'run_1';
const owner = { owner: 'one', epoch: 1 };
const end = { type: 'run-end', runId, sessionId: 's', status: 'completed' } as const;
const redact = (data: JsonObject): JsonObject => data;

async function openStore(): Promise<CompleteStateStore> {
  const store = await createSqliteStateStore({ file: ':memory:' });
  const run = { id: runId, principal: 'ada', sessionId: 's', definition: { kind: 'agent' }, createdAt: 1 };
  await store.runs.create(run, { owner: owner.owner });
  return store;
}

function openLog(events: RunEventStore): EventLog {
  const tick = createStoreTick();
  return createEventLog({ runId, events, clock: systemClock, logger: silentLogger, tick, redact });
}

async function idsOf(sources: EventSources, after?: string): Promise<readonly string[]> {
  const ids: string[] = [];
  const response = streamEvents(sources, { runId, after, format: raviEvents, lifetime });
  for await (const { id, event } of readEvents(response)) ids.push(id ?? String(event));
  return ids;
}

test('readers of a run that ends reach its end without reading the store', async () => {
  await using store = await openStore();
  const log = openLog(store.events);
  let active: EventLog | undefined = log;
  const page = (): never => assert.fail('the store was read');
  const readers = [1, 2, 3].map(() => idsOf({ recorder: { active: () => active, page }, runs: store.runs }));
  log.append({ type: 'run-start', kind: 'agent' });
  log.begin(owner);
  await log.hold();
  log.end(end, 1);
  active = undefined;
  for (const ids of await Promise.all(readers)) assert.deepEqual(ids, ['1.1', '1.2']);
});

test('an event is sent once it is stored, and text for display in its place, until the whole text replaces it', async () => {
  await using store = await openStore();
  const log = openLog(store.events);
  log.append({ type: 'step-start', agent: 'ravi', step: 1 });
  for (const text of ['a', 'b']) log.append({ type: 'model-delta', text });
  assert.deepEqual(log.after({ part: 0 }), []);
  log.begin(owner);
  await log.hold();
  const places = (): readonly unknown[] | undefined => log.after({ part: 0 })?.map(({ id, part }) => id ?? part);
  assert.deepEqual(places(), ['1.1', 1, 2]);
  assert.deepEqual(
    log.after({ id: '1.1', part: 1 })?.map(({ data }) => data),
    [{ text: 'b' }],
  );
  log.resume();
  log.append({ type: 'model-text', text: 'ab' });
  await log.hold();
  assert.deepEqual(places(), ['1.1', '1.2']);
  const stored = await store.events.list(runId);
  assert.deepEqual(
    stored.items.map(({ type }) => type),
    ['step-start', 'model-text'],
  );
});

test('while the store does not respond events wait, and readers see no end', async () => {
  await using store = await openStore();
  let isDown = true;
  const events: RunEventStore = {
    list: (...range) => store.events.list(...range),
    async append(...written) {
      if (isDown) throw new KernelError('E_STATE_UNAVAILABLE', 'The disk is full', { retryable: true });
      await store.events.append(...written);
    },
  };
  const log = openLog(events);
  const reading = idsOf({ recorder: { active: () => log, page: () => assert.fail() }, runs: store.runs });
  log.begin(owner);
  for (let line = 0; line < 10_002; line++) log.append({ type: 'console', level: 'log', text: `${line}` });
  log.append({ type: 'model-delta', text: 'dropped first' });
  await assert.rejects(log.hold(), { code: 'E_STATE_UNAVAILABLE' });
  assert.deepEqual(log.after({ part: 0 }), []);
  isDown = false;
  await log.hold();
  assert.equal(await store.runs.transition(runId, { from: ['running'], to: 'completed', now: 1, event: end }), true);
  log.end(end, 1);
  const ids = await reading;
  assert.equal(ids.length, 10_002);
  assert.equal(ids.at(-1), '1.10002');
  const stored = await createStoredEvents(store).load(runId);
  assert.deepEqual(
    stored.map(({ id }) => id),
    ids,
  );
  assert.match(JSON.stringify(stored.at(-2)?.data), /2 events were not recorded/);
});

test('a reader receives what the previous process stores after the log was opened, until the run is claimed', async () => {
  await using store = await openStore();
  const line = (n: number): NewRunEvent => ({ n, at: 1, type: 'console', data: { level: 'log', text: `${n}` } });
  await store.events.append(runId, owner, [line(1)]);
  const hooks = new HookManager({ clock: systemClock, logger: silentLogger });
  const services = { hooks, store, blobStore: createTestBlobs(), clock: systemClock, logger: silentLogger };
  await using recorder = createRunRecorder(services);
  await recorder.open(runId);
  const readers = [idsOf({ recorder, runs: store.runs }), idsOf({ recorder, runs: store.runs }, '1.1')];
  await store.events.append(runId, owner, [line(2), line(3)]);
  await recorder.runs.claim(runId, { owner: 'two' });
  // A resumed script writes its lines again.
  for (const text of ['1', '2', '3', 'new']) hooks.emit({ type: 'console', runId, sessionId: 's', level: 'log', text });
  const change = { from: ['running'], to: 'completed', now: 1, owner: 'two', event: end } as const;
  assert.equal(await recorder.runs.transition(runId, change), true);
  assert.deepEqual(await Promise.all(readers), [
    ['1.1', '1.2', '1.3', '2.1', '2.2', '2.3'],
    ['1.2', '1.3', '2.1', '2.2', '2.3'],
  ]);
});

test('a reader of a run of another process follows the store to the end, once', async () => {
  await using store = await openStore();
  const stored = createStoredEvents(store);
  const sources = { recorder: { active: () => undefined, page: stored.page }, runs: store.runs };
  const started = { n: 1, at: 1, type: 'run-start', data: { kind: 'agent' } };
  await store.events.append(runId, owner, [started]);
  const readers = [idsOf(sources), idsOf(sources, '1.1')];
  // The process is killed, and the next one continues.
  await store.runs.release(runId, owner.owner);
  await store.runs.claim(runId, { owner: 'two' });
  await store.events.append(runId, { owner: 'two', epoch: 2 }, [started]);
  await store.runs.transition(runId, { from: ['running'], to: 'completed', now: 1, event: end });
  assert.deepEqual(await Promise.all(readers), [
    ['1.1', '2.1', '2.2'],
    ['2.1', '2.2'],
  ]);
  assert.deepEqual(await idsOf(sources, '2.2'), []);
});

test('a stale process stores nothing, and its log closes without an end', async () => {
  await using store = await openStore();
  const log = openLog(store.events);
  log.begin(owner);
  await store.runs.release(runId, owner.owner);
  log.append({ type: 'run-start', kind: 'agent' });
  await log.hold();
  assert.equal(log.isClosed, true);
  assert.deepEqual(log.after({ part: 0 }), []);
  assert.deepEqual((await store.events.list(runId)).items, []);
});
