import assert from 'node:assert/strict';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { isKernelError } from '@ravi/kernel';
import type { SqlRunner } from '@ravi/state-kit';
import { postgresForTests } from '@ravi/state-testing';
import { afterAll, test } from 'vitest';
import { createPostgresStateStore } from '../src/index.ts';
import { createPostgresDatabase } from '../src/postgres-database.ts';

const postgres = await postgresForTests();
afterAll(() => postgres[Symbol.asyncDispose]());
const { url = '' } = postgres;
const withServer = postgres.url === undefined ? test.skip : test;

const insertion = `INSERT INTO ravi_identity (name, record) VALUES ('name', '{}')`;
const inserted = `SELECT name FROM ravi_identity WHERE name = 'name'`;

/** Relay before the database. While `isBroken`, the database receives no `BEGIN` that it understands. */
async function startRelay(): Promise<AsyncDisposable & { readonly url: string; isBroken: boolean }> {
  const target = new URL(url);
  const relay = createServer((client) => {
    const upstream = connect({ host: target.hostname, port: Number(target.port) });
    client.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1');
      upstream.write(Buffer.from(started.isBroken ? text.replaceAll('BEGIN', 'BEGUN') : text, 'latin1'));
    });
    upstream.pipe(client);
    for (const socket of [client, upstream]) {
      socket.on('error', () => {});
      socket.on('close', () => [client, upstream].forEach((each) => each.destroy()));
    }
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  const through = new URL(url);
  through.port = String((relay.address() as AddressInfo).port);
  const started = {
    url: through.href,
    isBroken: false,
    [Symbol.asyncDispose]: async () => void relay.close(),
  };
  return started;
}

const bodies: readonly (readonly [name: string, body: (sql: SqlRunner) => Promise<unknown>])[] = [
  ['begins with a change', (sql) => sql.all(insertion)],
  ['begins with a query', (sql) => sql.all('SELECT 1').then(() => sql.all(insertion))],
  [
    'ignores the error of its query',
    (sql) =>
      sql
        .all('SELECT 1')
        .catch(() => {})
        .then(() => sql.all(insertion)),
  ],
  ['sends a change with its query', (sql) => Promise.all([sql.all('SELECT 1'), sql.all(insertion)])],
];

for (const [index, [name, body]] of bodies.entries()) {
  withServer(`a transaction that ${name} changes nothing if its BEGIN fails`, async () => {
    const schema = `begin_${index}_${process.pid}`;
    await using store = await createPostgresStateStore({ url, schema });
    assert.equal((await store.runs.list({})).items.length, 0);
    await using relay = await startRelay();
    await using database = createPostgresDatabase({ url: relay.url, schema, timeoutMs: 10_000, maxConnections: 1 });
    relay.isBroken = true;
    await assert.rejects(database.transaction(body), (error) => isKernelError(error, 'E_INTERNAL'));
    relay.isBroken = false;
    assert.deepEqual(await database.all(inserted), []);
    await database.transaction(body);
    assert.deepEqual(await database.all(inserted), [{ name: 'name' }]);
  });
}
