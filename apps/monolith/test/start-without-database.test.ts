import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { stoppablePostgresForTests } from '@ravi/state-testing';
import type { PostgresServer } from '@ravi/state-testing';
import pg from 'pg';
import { afterAll, test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import type { TestInstallation } from './support/installation.ts';
import { startProcess } from './support/server-process.ts';

const server = await stoppablePostgresForTests();
afterAll(async () => {
  if (typeof server !== 'string') await server[Symbol.asyncDispose]();
});
const withServer = typeof server === 'string' ? test.skip : test;
const postgres = server as PostgresServer;

function installationWith(url: string, options: object = {}): Promise<TestInstallation> {
  const stateStore = { use: '@ravi/state-postgres', url, timeoutMs: 1_000, ...options };
  return createInstallation({ plugins: { stateStore } });
}

async function execute(statement: string): Promise<void> {
  const client = new pg.Client(postgres.url);
  await client.connect();
  await client.query(statement);
  await client.end();
}

async function statusOf(url: string): Promise<number> {
  return (await fetch(url)).status;
}

withServer(
  'a server whose PostgreSQL is down listens, says that it is not ready, and serves once PostgreSQL is up',
  { timeout: 90_000 },
  async () => {
    await postgres.stop();
    await using installation = await installationWith(postgres.url);
    using started = startProcess(installation.folder, ['--port', '0']);
    const url = await started.url();
    assert.equal(await statusOf(`${url}/health`), 200);
    const ready = await fetch(`${url}/ready`);
    const body = (await ready.json()) as { readonly reason: string };
    assert.equal(ready.status, 503);
    assert.match(body.reason, /state store is not available yet/);
    assert.equal(await statusOf(`${url}/v1/runs`), 503);

    await postgres.start();
    while ((await statusOf(`${url}/ready`).catch(() => 0)) !== 200) await setTimeout(50);
    assert.equal(await statusOf(`${url}/v1/runs`), 200);
    started.signal('SIGTERM');
    assert.equal(await started.exit, 0);
    assert.match(await started.errors, /does not respond: connect ECONNREFUSED.*waiting for the state store/);
  },
);

withServer('a server that waits for PostgreSQL ends at SIGTERM with exit code 0', { timeout: 60_000 }, async () => {
  await using installation = await installationWith('postgres://missing:secret@127.0.0.1:1/none');
  using started = startProcess(installation.folder, ['--port', '0']);
  await started.url();
  started.signal('SIGTERM');
  assert.equal(await started.exit, 0);
});

withServer(
  'a wrong password and a missing database end the start with exit code 1 and a clear line',
  { timeout: 60_000 },
  async () => {
    const wrongPassword = new URL(postgres.url);
    wrongPassword.password = 'the-wrong-one';
    const noDatabase = new URL(postgres.url);
    noDatabase.pathname = '/missing';
    for (const [address, words] of [
      [wrongPassword, /refused access: password authentication failed/],
      [noDatabase, /refused access: database "missing" does not exist/],
    ] as const) {
      await using installation = await installationWith(address.href);
      using started = startProcess(installation.folder, ['--port', '0']);
      assert.equal(await started.exit, 1);
      const errors = await started.errors;
      assert.match(errors, words);
      assert.doesNotMatch(errors, /the-wrong-one/);
    }
  },
);

withServer('a caller does not learn names or addresses of a database that fails', { timeout: 60_000 }, async () => {
  await using installation = await installationWith(postgres.url, { schema: 'answers' });
  using started = startProcess(installation.folder, ['--port', '0']);
  const url = await started.url();
  const answerOf = async (): Promise<readonly [number, string]> => {
    const response = await fetch(`${url}/v1/runs`);
    return [response.status, await response.text()];
  };
  assert.equal((await answerOf())[0], 200);
  await execute('ALTER TABLE answers.ravi_runs RENAME TO ravi_runs_away');
  const [rejected, rejection] = await answerOf();
  await execute('ALTER TABLE answers.ravi_runs_away RENAME TO ravi_runs');
  await postgres.stop();
  const [unavailable, outage] = await answerOf();
  await postgres.start();
  assert.deepEqual([rejected, unavailable], [500, 503], `${rejection} ${outage}`);
  for (const text of [rejection, outage]) assert.doesNotMatch(text, /ravi_runs|127\.0\.0\.1|ECONNREFUSED/);
  started.signal('SIGTERM');
  assert.equal(await started.exit, 0);
  const errors = await started.errors;
  assert.match(errors, /relation \\"[^ ]*ravi_runs\\" does not exist/);
  assert.match(errors, /the state store failed a request/);
});
