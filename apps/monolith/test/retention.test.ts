import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { HookManager } from '@ravi/invoker';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import { KernelError } from '@ravi/kernel';
import type { BlobRef, BlobStore, JsonObject, RunStatus, CompleteStateStore } from '@ravi/kernel';
import { openMonolith } from '@ravi/monolith';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { createFakeClock, createMemoryLogger } from '@ravi/testkit';
import { test } from 'vitest';
import { startRetention } from '../src/maintenance/retention.ts';
import { createRunRecorder } from '../src/runs/run-recorder.ts';
import { createInstallation } from './support/installation.ts';
import { stateStoreOf } from './support/server.ts';

const dayMs = 86_400_000;

async function createWorld() {
  const clock = createFakeClock();
  const logger = createMemoryLogger();
  const memory = createMemoryBlobStore({ clock });
  const refused = new Set<BlobRef>();
  const blobStore: BlobStore = {
    ...memory,
    async unpin(ref, owner) {
      if (refused.has(ref)) throw new KernelError('E_BLOB_UNAVAILABLE', 'The blob store does not answer');
      await memory.unpin(ref, owner);
    },
  };
  const store = await createSqliteStateStore({ file: ':memory:' });
  const hooks = new HookManager({ clock, logger });
  const recording = { hooks, store, blobStore, redact: (data: JsonObject) => data, clock, logger };
  const recorder = createRunRecorder(recording);

  /** Stores a run with an artifact in its events, one known to its script only, and one in the result of a call. */
  async function addRun(runId: string, status: RunStatus, parentRunId?: string): Promise<readonly BlobRef[]> {
    const above = parentRunId === undefined ? {} : { parentRunId };
    const times = { principal: 'ada', sessionId: 'session', createdAt: clock.now(), ...above };
    const scope = { principal: 'ada', sessionId: 'session' };
    const pinned = async (pinOwner: string): Promise<BlobRef> =>
      memory.store(`artifact of ${runId}`, { mediaType: 'text/plain', scope, pinOwner });
    const told = await pinned(runId);
    const event = { tool: 'crawl', ref: told, mediaType: 'text/plain', bytes: 1 };
    await recorder.open(runId);
    await recorder.runs.create({ ...times, id: runId, definition: { kind: 'chain' } }, { owner: 'process' });
    hooks.emit({ type: 'artifact', runId, sessionId: 'session', ...event });
    await recorder.close(runId);
    assert.deepEqual(
      (await recorder.read(runId)).map(({ type }) => type),
      ['run-start', 'artifact'],
    );
    const noted = await pinned(runId);
    await store.journal.observed({ runId, position: 2 ** 40, kind: 'artifact', value: noted });
    const returned = await pinned(`kept:${runId}`);
    await store.journal.finished(callOf(runId, clock.now()), {
      status: 'ok',
      text: '',
      files: [],
      artifactRef: returned,
    });
    await store.runs.transition(runId, { from: ['running'], to: status, now: clock.now() });
    return [told, noted, returned];
  }

  return { clock, logger, memory, blobStore, refused, store, recorder, addRun };
}

function callOf(runId: string, startedAt: number): Parameters<CompleteStateStore['journal']['started']>[0] {
  const call = { callId: 'call-1', tool: 'crawl', caller: 'chain', argsDigest: 'x', argsPreview: '{}' } as const;
  const record = { ...call, status: 'ok', startedAt, durationMs: 0 } as const;
  return { runId, sessionId: 'session', idempotencyKey: `${runId}:call-1`, record };
}

/** Lets promises settle until the condition holds; the time limit of the test ends it otherwise. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
}

test('old runs are removed at the start and daily with the pins of their artifacts, and others are kept', async () => {
  const { clock, logger, memory, blobStore, store, recorder, addRun } = await createWorld();
  await using _store = store;
  const old = await addRun('old', 'completed');
  await addRun('paused', 'paused');
  await store.journal.started(callOf('none', clock.now()));
  clock.advance(20 * dayMs);
  const young = await addRun('young', 'failed');
  clock.advance(11 * dayMs);
  await using retention = startRetention({
    store,
    blobStore,
    recorder,
    clock,
    logger,
    maxAgeDays: 30,
    startDelayMs: 0,
  });
  await retention.first;
  const ids = async (): Promise<readonly string[]> => (await store.runs.list({})).items.map(({ id }) => id);
  assert.deepEqual(await ids(), ['young', 'paused']);
  assert.deepEqual((await store.journal.entries('none')).items, []);
  for (const ref of old) assert.equal((await memory.stat(ref))?.pins ?? 0, 0);
  for (const ref of young) assert.ok(((await memory.stat(ref))?.pins ?? 0) > 0);

  clock.advance(20 * dayMs);
  await until(async () => clock.pendingTimers === 1);
  clock.advance(dayMs);
  await until(async () => (await ids()).length === 1);
  assert.deepEqual(await ids(), ['paused']);
  for (const ref of young) assert.equal((await memory.stat(ref))?.pins ?? 0, 0);
});

test('a run below another one is removed with it, and not while that one lives', async () => {
  const { clock, logger, memory, blobStore, store, recorder, addRun } = await createWorld();
  await using _store = store;
  await addRun('parent', 'paused');
  const refs = await addRun('child', 'completed', 'parent');
  clock.advance(2 * dayMs);
  await using retention = startRetention({ store, blobStore, recorder, clock, logger, maxAgeDays: 1, startDelayMs: 0 });
  await retention.first;
  assert.equal((await store.runs.get('child'))?.status, 'completed');
  for (const ref of refs) assert.ok(((await memory.stat(ref))?.pins ?? 0) > 0);
  await store.runs.transition('parent', { from: ['paused'], to: 'completed', now: clock.now() });
  await until(async () => clock.pendingTimers === 1);
  clock.advance(dayMs);
  await until(async () => clock.pendingTimers === 1);
  clock.advance(dayMs);
  await until(async () => (await store.runs.list({})).items.length === 0);
  for (const ref of refs) assert.equal((await memory.stat(ref))?.pins ?? 0, 0);
});

test('a run whose artifacts cannot be unpinned is kept until they can, and does not delay others', async () => {
  const { clock, logger, memory, blobStore, refused, store, recorder, addRun } = await createWorld();
  await using _store = store;
  const refs = await addRun('run-1', 'completed');
  await addRun('run-2', 'cancelled');
  refused.add(refs[1] ?? '');
  clock.advance(2 * dayMs);
  await using retention = startRetention({ store, blobStore, recorder, clock, logger, maxAgeDays: 1, startDelayMs: 0 });
  await retention.first;
  assert.deepEqual(
    (await store.runs.list({})).items.map(({ id }) => id),
    ['run-1'],
  );
  assert.match(JSON.stringify(logger.records), /an old run could not be removed.*run-1/);
  refused.clear();
  clock.advance(dayMs);
  await until(async () => (await store.runs.get('run-1')) === undefined);
  for (const ref of refs) assert.equal((await memory.stat(ref))?.pins ?? 0, 0);
});

test('a server removes old runs unless its configuration keeps them, and warns an hour before', async () => {
  const plugins = { stateStore: { use: '@ravi/state-sqlite', file: './data/state.db' } };
  const cases = [
    { retention: { enabled: false }, isRemoved: false, isAnnounced: false },
    { retention: {}, isRemoved: false, isAnnounced: true },
    { retention: { startDelayMs: 0 }, isRemoved: true, isAnnounced: true },
  ];
  for (const { retention, isRemoved, isAnnounced } of cases) {
    await using installation = await createInstallation({ plugins, retention });
    const logger = createMemoryLogger();
    const opening = { cwd: installation.folder, env: {} };
    {
      await using monolith = await openMonolith(opening);
      const { runs } = stateStoreOf(monolith);
      const old = { id: 'run-1', principal: 'ada', sessionId: 'session', createdAt: 1, definition: { kind: 'chain' } };
      await runs.create(old);
      await runs.transition('run-1', { from: ['running'], to: 'completed', now: 1 });
    }
    const isWarned = (): boolean => /old runs will be removed/.test(JSON.stringify(logger.records));
    {
      await using monolith = await openMonolith({ ...opening, logger });
      const { runs } = stateStoreOf(monolith);
      if (isAnnounced) await until(async () => isWarned());
      if (isRemoved) await until(async () => (await runs.get('run-1')) === undefined);
      else assert.equal((await runs.get('run-1'))?.status, 'completed');
    }
    // A process ends after it has taken over the maintenance, or not.
    assert.equal(isWarned(), isAnnounced);
  }
});

test('a SQLite file shrinks when old runs are removed, and requests are served meanwhile', async () => {
  await using installation = await createInstallation();
  const file = join(installation.folder, 'state.db');
  const { clock, logger, blobStore, recorder } = await createWorld();
  await using store = await createSqliteStateStore({ file, durability: 'process' });
  const data = 'x'.repeat(20_000);
  for (const runId of ['run-1', 'run-2']) {
    await store.runs.create({
      id: runId,
      principal: 'ada',
      sessionId: 's',
      createdAt: 1,
      definition: { kind: 'chain' },
    });
    const positions = Array.from({ length: 1_200 }, (_, index) => index + 1);
    await Promise.all(
      positions.map((position) => store.journal.observed({ runId, position, kind: 'note', value: data })),
    );
    await store.runs.transition(runId, { from: ['running'], to: 'completed', now: clock.now() });
  }
  const full = statSync(file).size;
  clock.advance(31 * dayMs);
  let turns = 0;
  let isOver = false;
  const others = (async () => {
    for (; !isOver; turns++) await new Promise((resolve) => setImmediate(resolve));
  })();
  await using retention = startRetention({
    store,
    blobStore,
    recorder,
    clock,
    logger,
    maxAgeDays: 30,
    startDelayMs: 0,
  });
  await retention.first;
  isOver = true;
  await others;
  assert.deepEqual((await store.runs.list({})).items, []);
  assert.ok(full > 40_000_000 && statSync(file).size < 4_000_000, `${full} bytes, then ${statSync(file).size}`);
  assert.ok(turns > 20, `${turns} turns of other work`);
});
