import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { isKernelError, KernelError } from '@ravi/kernel';
import type { CompleteStateStore } from '@ravi/kernel';
import { createPostgresStateStore } from '@ravi/state-postgres';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { stoppablePostgresForTests } from '@ravi/state-testing';
import { afterAll, test } from 'vitest';
import { createWorld, sandbox, valueTool } from './harness.ts';
import type { World } from './harness.ts';
import { seenTwice } from './seen-twice.ts';

afterAll(() => sandbox[Symbol.asyncDispose]());

/** A database that can become unavailable and available again. */
interface Outage {
  readonly store: CompleteStateStore;
  begin(): void | Promise<void>;
  end(): void | Promise<void>;
}

/** Runs a script whose database is unavailable between two effects, until it has refused an operation. */
async function outliveOutage(world: World, { store, begin, end }: Outage): Promise<void> {
  let ending: Promise<void> | undefined;
  const noticed = (error: unknown): never => {
    if (isKernelError(error, 'E_STATE_UNAVAILABLE')) ending ??= Promise.resolve(end());
    throw error;
  };
  const { journal } = store;
  const noticing: typeof journal = {
    ...journal,
    started: (entry) => journal.started(entry).catch(noticed),
    finished: (entry, result) => journal.finished(entry, result).catch(noticed),
  };
  await using process = world.open({
    store: { ...store, journal: noticing },
    policy: { maxRiskUnapproved: 'high' },
    tools: [valueTool('fall', begin)],
  });
  const code = `
    await tools.send({ to: 'before' });
    await tools.fall({});
    await Promise.all([tools.send({ to: 'after' }), tools.put({ key: 1 })]);
    return 'done';
  `;
  const result = await process.chains.start({ code, runId: 'run-1' });
  assert.ok(ending !== undefined, 'nothing was refused meanwhile');
  await ending;
  assert.deepEqual([result.status, result.value], ['ok', 'done'], result.outputText);
  assert.deepEqual(world.effects.toSorted(), ['put {"key":1}', 'send {"to":"after"}', 'send {"to":"before"}']);
  assert.equal((await store.runs.get('run-1'))?.status, 'completed');
  const { items, corrupt } = await journal.entries('run-1');
  const calls = items.filter((item) => item.type === 'call');
  assert.deepEqual(corrupt, []);
  assert.deepEqual(
    calls.map(({ status }) => status),
    ['finished', 'finished', 'finished', 'finished'],
  );
}

test('a script survives a locked SQLite file and does nothing twice', async () => {
  await using world = await createWorld();
  await using store = await createSqliteStateStore({ file: world.file, busyTimeoutMs: 1 });
  using other = new DatabaseSync(world.file);
  await outliveOutage(world, {
    store,
    begin: () => other.exec('BEGIN IMMEDIATE'),
    end: () => other.exec('COMMIT'),
  });
});

test('calls end in the same order in the replay when the answer to a write is lost', async () => {
  await using world = await createWorld();
  const { journal } = world.store;
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  let attempts = 0;
  const losing: typeof journal = {
    ...journal,
    async finished(entry, result) {
      if (entry.position === 1 && ++attempts === 2) await second.promise;
      if (entry.position === 2) await first.promise;
      await journal.finished(entry, result);
      if (entry.position === 2) second.resolve();
      if (entry.position !== 1 || attempts > 1) return;
      first.resolve();
      throw new KernelError('E_STATE_UNAVAILABLE', 'The answer was lost');
    },
  };
  const code = `
    const order = [];
    await Promise.all([1, 2].map(async (value) => order.push(await tools.echo({ value }))));
    await tools.tell({ value: order });
  `;
  const [before, after] = await seenTwice(world, code, { store: { ...world.store, journal: losing } });
  assert.equal(attempts, 2);
  assert.deepEqual(
    [before, after],
    [
      [1, 2],
      [1, 2],
    ],
  );
});

test('a run whose row is damaged after the answer to a write is lost is left instead of held', async () => {
  await using world = await createWorld();
  const { journal, runs } = world.store;
  const damaged = new KernelError('E_STATE_CORRUPT', 'The row is damaged');
  let hasLost = false;
  const store: CompleteStateStore = {
    ...world.store,
    journal: {
      ...journal,
      async finished(entry, result) {
        await journal.finished(entry, result);
        if (hasLost) return;
        hasLost = true;
        throw new KernelError('E_STATE_UNAVAILABLE', 'The answer was lost');
      },
    },
    runs: { ...runs, get: async (id) => (hasLost ? Promise.reject(damaged) : runs.get(id)) },
  };
  await using process = world.open({ store });
  const started = process.chains.start({ code: "await tools.echo({ value: 1 }); return 'done'", runId: 'run-1' });
  await assert.rejects(started, { code: 'E_STATE_CORRUPT' });
  assert.equal(process.chains.active, 0);
});

test('a script survives a restart of the PostgreSQL server and does nothing twice', async (context) => {
  const server = await stoppablePostgresForTests();
  if (typeof server === 'string') return context.skip(server);
  await using stopping = server;
  await using world = await createWorld();
  await using store = await createPostgresStateStore({ url: stopping.url, maxConnections: 2 });
  await outliveOutage(world, { store, begin: () => stopping.stop(), end: () => stopping.start() });
});
