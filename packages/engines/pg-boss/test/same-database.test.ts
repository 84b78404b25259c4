import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import { postgresForTests, stoppablePostgresForTests } from '@ravi/state-testing';
import { afterAll, test } from 'vitest';
import { createPgBossRunEngine } from '../src/index.ts';
import { transact, wake, withClient } from './support/database.ts';

const server = await postgresForTests();
const otherServer = await stoppablePostgresForTests();
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  if (typeof otherServer !== 'string') await otherServer[Symbol.asyncDispose]();
});
const { url = '' } = server;
const withServer = server.url === undefined ? test.skip : test;
const withServers = server.url === undefined || typeof otherServer === 'string' ? test.skip : test;
let count = 0;

/** Creates a database on the server, as a copy of another one if it is named. */
async function createDatabase(template = 'template1'): Promise<{ readonly name: string; readonly url: string }> {
  const name = `place_${process.pid}_${(count += 1)}`;
  await withClient(url, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`));
  const address = new URL(url);
  address.pathname = name;
  return { name, url: address.href };
}

/** Creates the schema of an engine, as an earlier start does. */
async function prepare(place: string): Promise<void> {
  await (await createPgBossRunEngine({ url: place }))[Symbol.asyncDispose]();
}

async function countJobs(place: string): Promise<unknown> {
  const { rows } = await withClient(place, (client) => client.query('SELECT count(*)::int FROM ravi_engine.job'));
  return rows;
}

/** Asserts that an engine at `own` refuses transactions at `place`, stores nothing there, and then joins one at `own`. */
async function assertRefuses(own: string, place: string, message: RegExp): Promise<void> {
  await using engine = await createPgBossRunEngine({ url: own });
  const wakeAt = (at: string): Promise<void> =>
    withClient(at, (client) => transact(client, (within) => engine.wake([wake('run-1')], { within })));
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await assert.rejects(
      wakeAt(place),
      (error) => isKernelError(error, 'E_UNSUPPORTED') && !error.retryable && message.test(error.message),
    );
  }
  assert.deepEqual(await countJobs(place), [{ count: 0 }]);
  await wakeAt(own);
  assert.deepEqual(await countJobs(own), [{ count: 1 }]);
}

withServer('a transaction of another database that has the schema too is refused, and both are named', async () => {
  const own = await createDatabase();
  const other = await createDatabase();
  await prepare(other.url);
  const message = new RegExp(`^The engine is in the database "${own.name}".*, but the transaction in "${other.name}"`);
  await assertRefuses(own.url, other.url, message);
});

withServer('a transaction of a copy of the database is refused', async () => {
  const own = await createDatabase();
  await prepare(own.url);
  const copy = await createDatabase(own.name);
  await assertRefuses(own.url, copy.url, new RegExp(`"${copy.name}"`));
});

withServers('a transaction of a database with the same name on another server is refused', async () => {
  const other = typeof otherServer === 'string' ? '' : otherServer.url;
  const { host, pathname } = new URL(other);
  const address = new URL(url);
  address.pathname = pathname;
  await prepare(other);
  await assertRefuses(address.href, other, new RegExp(`but the transaction in "${pathname.slice(1)}" at ${host}$`));
});

withServer('many first wakes at once join their transactions, with fewer connections than there are', async () => {
  const own = await createDatabase();
  await using engine = await createPgBossRunEngine({ url: own.url, maxConnections: 2 });
  const runs = Array.from({ length: 20 }, (_, index) => `run-${index}`);
  await Promise.all(
    runs.map((runId) =>
      withClient(own.url, (client) => transact(client, (within) => engine.wake([wake(runId)], { within }))),
    ),
  );
  assert.deepEqual(await countJobs(own.url), [{ count: runs.length }]);
});
