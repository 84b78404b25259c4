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
    assert.match(
      await started.errors,
      /did not start: The state database does not respond: connect ECONNREFUSED.*waiting for the state store/,
    );
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
      [wrongPassword, /did not start: The state database refused access: password authentication failed/],
      [noDatabase, /did not start: The state database refused access: database "missing" does not exist/],
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

const full = `CREATE OR REPLACE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;`;
const fullForDefinitions = `CREATE OR REPLACE FUNCTION fill_definitions() RETURNS event_trigger LANGUAGE plpgsql AS $$
  BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;`;

/** Executes a statement, in which `%I` is the name, for each table of a schema. */
async function forEachTable(schema: string, statement: string): Promise<void> {
  await execute(`DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = '${schema}' LOOP
      EXECUTE format('${statement}', name);
    END LOOP; END $$`);
}

async function readinessOf(url: string): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${url}/ready`);
  return { status: response.status, text: await response.text() };
}

const diskIsFull = /The disk of the state database is full/;

// A server reports a full disk with this code; one that is really full would not stop for the next test.
withServer(
  'a server whose PostgreSQL is full when it starts for the first time waits, and serves once there is space',
  { timeout: 90_000 },
  async () => {
    await execute(fullForDefinitions);
    await execute('CREATE EVENT TRIGGER full_disk ON ddl_command_start EXECUTE FUNCTION fill_definitions()');
    await using installation = await installationWith(postgres.url, { schema: 'first' });
    using started = startProcess(installation.folder, ['--port', '0']);
    const url = await started.url();
    assert.equal(await statusOf(`${url}/health`), 200);
    assert.equal((await readinessOf(url)).status, 503);
    assert.equal(await statusOf(`${url}/v1/runs`), 503);

    await execute('ALTER EVENT TRIGGER full_disk DISABLE; DROP EVENT TRIGGER full_disk');
    while ((await statusOf(`${url}/ready`).catch(() => 0)) !== 200) await setTimeout(50);
    assert.equal(await statusOf(`${url}/v1/runs`), 200);
    started.signal('SIGTERM');
    assert.equal(await started.exit, 0);
    assert.match(await started.errors, new RegExp(`${diskIsFull.source}.*waiting for the state store`));
  },
);

withServer(
  'a server whose PostgreSQL is full at the start is not ready and says why, and has its runs once there is space',
  { timeout: 90_000 },
  async () => {
    await using installation = await installationWith(postgres.url, { schema: 'filled' });
    const runs = async (url: string, body?: object): Promise<{ readonly items: readonly unknown[] }> => {
      const headers = { 'content-type': 'application/json' };
      const asked = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
      return (await (await fetch(`${url}/v1/runs`, asked)).json()) as { readonly items: readonly unknown[] };
    };
    using before = startProcess(installation.folder, ['--port', '0']);
    await runs(await before.url(), { kind: 'chain', code: 'return 1' });
    before.signal('SIGTERM');
    assert.equal(await before.exit, 0);
    await execute(full);
    await forEachTable(
      'filled',
      'CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON filled.%I EXECUTE FUNCTION public.fill()',
    );

    using started = startProcess(installation.folder, ['--port', '0']);
    const url = await started.url();
    assert.equal(await statusOf(`${url}/health`), 200);
    const { status, text } = await readinessOf(url);
    assert.equal(status, 503, text);
    assert.match(text, /The disk of the state database is full|The server waits for it/);

    await forEachTable('filled', 'DROP TRIGGER full_disk ON filled.%I');
    while ((await statusOf(`${url}/ready`).catch(() => 0)) !== 200) await setTimeout(50);
    assert.equal((await runs(url)).items.length, 1);
    started.signal('SIGTERM');
    assert.equal(await started.exit, 0);
    assert.match(await started.errors, diskIsFull);
  },
);
