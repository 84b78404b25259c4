import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CompleteStateStore } from '@ravi/kernel';
import type { SqlRunner } from '@ravi/state-kit';
import { postgresForTests } from '@ravi/state-testing';
import { afterAll, test } from 'vitest';
import { createPostgresStateStore } from '../src/index.ts';
import { createPostgresDatabase } from '../src/postgres-database.ts';
import { requestOf } from './support/shared-rows.ts';
import { settledNumber } from '../src/settled-number.ts';

const server = await postgresForTests();
afterAll(() => server[Symbol.asyncDispose]());
const { url = '' } = server;
const withServer = server.url === undefined ? test.skip : test;
const table = 'ravi_approval_changes';
const writers = 8;
const changesPerWriter = 60;

async function numbersOf(store: CompleteStateStore, after: number): Promise<readonly number[]> {
  const { items } = await store.approvals.changes({ after, limit: 1_000 });
  return items.map(({ sequence }) => sequence);
}

const insert = async (sql: SqlRunner, id: string): Promise<void> => {
  const values = [
    id,
    'run-1',
    'ada',
    JSON.stringify({ approvalId: id, runId: 'run-1', principal: 'ada', to: 'pending', at: 1 }),
  ];
  await sql.all(`INSERT INTO ${table} (approval_id, run_id, principal_key, record) VALUES ($1, $2, $3, $4)`, values);
};

withServer('a change that is visible waits for those with lower numbers', async () => {
  const schema = `settled_${process.pid}`;
  await using store = await createPostgresStateStore({ url, schema });
  await using database = createPostgresDatabase({ url, schema, maxConnections: 2, timeoutMs: 10_000 });
  assert.equal(await store.approvals.lastSequence(), 0);
  const inserted = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const slow = database.transaction(
    async (sql) => {
      await insert(sql, 'first');
      inserted.resolve();
      await mayCommit.promise;
    },
    { inserts: table },
  );
  await inserted.promise;
  await store.approvals.create(requestOf('run-1', 'second'));
  assert.deepEqual(await numbersOf(store, 0), []);
  assert.equal(await store.approvals.lastSequence(), 0);
  mayCommit.resolve();
  await slow;
  assert.deepEqual(await numbersOf(store, 0), [1, 2]);
  assert.equal(await store.approvals.lastSequence(), 2);
});

withServer('a transaction that rolls back, or has only announced, holds nothing back for good', async () => {
  const schema = `rolled_back_${process.pid}`;
  await using store = await createPostgresStateStore({ url, schema });
  await using database = createPostgresDatabase({ url, schema, maxConnections: 2, timeoutMs: 10_000 });
  const failing = database.transaction(
    async (sql) => {
      await insert(sql, 'lost');
      throw new Error('no');
    },
    { inserts: table },
  );
  await assert.rejects(failing, /no/);
  await store.approvals.create(requestOf('run-1', 'kept'));
  const began = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const waiting = database.transaction(
    async () => {
      began.resolve();
      await mayEnd.promise;
    },
    { inserts: table },
  );
  await began.promise;
  // It began after both numbers were given, so its own are higher.
  assert.deepEqual(await numbersOf(store, 0), [2]);
  mayEnd.resolve();
  await waiting;
});

for (const last of [0, 2 ** 31 - 2]) {
  withServer(`a writer that begins while a reader looks hides no change, after number ${last}`, async () => {
    const schema = `began_after_${last}_${process.pid}`;
    await using store = await createPostgresStateStore({ url, schema });
    await using database = createPostgresDatabase({ url, schema, maxConnections: 3, timeoutMs: 10_000 });
    if (last > 0) await database.all(`SELECT setval('${table}_sequence_seq', $1)`, [last]);
    await store.approvals.create(requestOf('run-1', 'first'));
    const began = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    let writing: Promise<void> | undefined;
    const announce = (): Promise<void> => {
      began.resolve();
      return mayEnd.promise;
    };
    const reader: SqlRunner = {
      dialect: database.dialect,
      async all(text, values) {
        const rows = await database.all(text, values);
        if (writing !== undefined) return rows;
        // The last number is read, and the announcements are not.
        writing = store.approvals
          .create(requestOf('run-1', 'second'))
          .then(() => database.transaction(announce, { inserts: table }));
        await Promise.race([began.promise, writing]);
        return rows;
      },
    };
    const settled = await settledNumber(reader, { schema, table });
    mayEnd.resolve();
    await writing;
    assert.equal(settled, last + 1);
    assert.deepEqual(await numbersOf(store, last), [last + 1, last + 2]);
  });
}

withServer('a reader that follows many writers sees every change once, in the order of numbers', async () => {
  const schema = `followed_${process.pid}`;
  await using store = await createPostgresStateStore({ url, schema, maxConnections: writers + 2 });
  await using database = createPostgresDatabase({ url, schema, maxConnections: writers, timeoutMs: 10_000 });
  let open = writers;
  const committed = new Set<string>();
  async function write(writer: number): Promise<void> {
    for (let index = 0; index < changesPerWriter; index++) {
      const id = `${writer}-${index}`;
      const fails = index % 7 === 0;
      await database
        .transaction(
          async (sql) => {
            await insert(sql, id);
            // Numbers are given now, and committed in another order.
            await sleep(Math.random() * 8);
            if (fails) throw new Error('rolled back');
          },
          { inserts: table },
        )
        .then(
          () => committed.add(id),
          () => {},
        );
    }
    open -= 1;
  }
  const seen: string[] = [];
  async function follow(): Promise<void> {
    let after = 0;
    for (let isLast = false; ;) {
      const { items } = await store.approvals.changes({ after, limit: 50 });
      for (const { approvalId, sequence } of items) {
        assert.ok(sequence > after);
        after = sequence;
        seen.push(approvalId);
      }
      if (items.length > 0) continue;
      if (isLast) return;
      isLast = open === 0;
    }
  }
  await Promise.all([follow(), ...Array.from({ length: writers }, (_, writer) => write(writer))]);
  assert.equal(new Set(seen).size, seen.length);
  assert.deepEqual(seen.toSorted(), [...committed].toSorted());
});
