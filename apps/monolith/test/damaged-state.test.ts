import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import { send } from './support/run-requests.ts';
import { startBundled } from './support/server-process.ts';

const limits = { timeout: 90_000 };
const chain = { kind: 'chain', code: 'return 1' };

/** Asks until the server is ready, or is not; returns the reason for which its state store is unavailable. */
async function untilReady(url: string, isReady: boolean): Promise<string | undefined> {
  for (;;) {
    const response = await fetch(`${url}/ready`);
    const { status, adapters } = (await response.json()) as {
      readonly status: string;
      readonly adapters: { readonly stateStore: { readonly status: string; readonly reason?: string } };
    };
    assert.equal(response.status, status === 'ok' ? 200 : 503);
    if ((response.status === 200) === isReady) return adapters.stateStore.reason;
    await pause(100);
  }
}

/** Starts a server, stores runs, and ends the server. Returns the path of its database. */
async function serveOnce(folder: string): Promise<string> {
  using server = startBundled(folder);
  const url = await server.url();
  for (let run = 0; run < 3; run++) assert.equal((await send(url, '/v1/runs', chain)).error, undefined);
  await untilReady(url, true);
  server.signal('SIGTERM');
  assert.equal(await server.exit, 0);
  return join(folder, 'data/state.db');
}

const pageBytes = 4_096;

for (const [name, harm, reason, refusal] of [
  [
    'overwritten',
    async (file: string): Promise<void> => {
      const bytes = await readFile(file);
      // The pages after the schema, in place: the server has the file open.
      bytes.fill(0xab, 3 * pageBytes, 12 * pageBytes);
      await writeFile(file, bytes, { flag: 'r+' });
    },
    /^The state database is damaged: .*Restore it from a backup$/,
    /E_STATE_CORRUPT: .*The state database is damaged.*Restore it from a backup/,
  ],
  [
    'truncated',
    (file: string): Promise<void> => truncate(file, 5 * pageBytes),
    /^The state database is damaged: .*Restore it from a backup$/,
    /E_STATE_CORRUPT: .*The state database is damaged.*Restore it from a backup/,
  ],
  [
    'removed',
    (file: string): Promise<void> => rm(file),
    /^The file of the state database was removed or replaced while it was open\..*restore the file from a backup$/,
    /E_STATE_CORRUPT: The state database is empty/,
  ],
  [
    'replaced',
    async (file: string): Promise<void> => {
      await using other = await createInstallation();
      const foreign = await serveOnce(other.folder);
      await writeFile(`${file}.new`, await readFile(foreign));
      await rename(`${file}.new`, file);
    },
    /^The file of the state database was removed or replaced while it was open\./,
    /E_STATE_CORRUPT: .*belongs to another installation|E_STATE_CORRUPT/,
  ],
] as const) {
  test(
    `a server whose database is ${name} while it runs is not ready, and the next one does not start`,
    limits,
    async () => {
      await using installation = await createInstallation();
      const { folder } = installation;
      const file = await serveOnce(folder);
      using server = startBundled(folder);
      const url = await server.url();
      await untilReady(url, true);
      await harm(file);
      assert.match((await untilReady(url, false)) ?? '', reason);
      assert.equal((await fetch(`${url}/health`)).status, 200);
      server.signal('SIGKILL');
      await server.exit;
      assert.match(await server.errors, /the state store cannot be used/);

      using next = startBundled(folder);
      assert.equal(await next.exit, 1);
      assert.match(await next.errors, refusal);
    },
  );
}

const source = (path: string): string =>
  JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../../packages/state', path)).href);

/** Source of a state store whose file gets no more pages once there is a file `fill`, and gets them again without it. */
const limitedStore = `
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStateStore } from ${source('kit/src/index.ts')};
import { openSqliteDatabase } from ${source('sqlite/src/sqlite-database.ts')};
async function fill(database) {
  await database.all('PRAGMA max_page_count = 1');
  for (const bytes of [65536, 1]) {
    for (let isFull = false; !isFull;) {
      await database.all('INSERT INTO filler VALUES (zeroblob(' + bytes + '))').catch(() => (isFull = true));
    }
  }
}
async function create(_config, { baseDir }) {
  const options = { busyTimeoutMs: 1000, durability: 'disk', leaseNow: Date.now };
  const database = openSqliteDatabase({ file: join(baseDir, 'limited.db'), ...options });
  await database.all('CREATE TABLE IF NOT EXISTS filler (content BLOB)');
  let isFull = false;
  const watch = async () => {
    const wanted = existsSync(join(baseDir, 'fill'));
    if (wanted === isFull) return;
    isFull = wanted;
    if (!wanted) return void (await database.all('PRAGMA max_page_count = 100000'));
    await fill(database);
    writeFileSync(join(baseDir, 'filled'), '');
  };
  setInterval(() => void watch(), 20).unref();
  return openStateStore(database);
}
export default { name: 'limited-state', port: 'stateStore', configSchema: { type: 'object' }, create };
`;

test('a server whose disk is full is not ready and says so, and loses nothing', limits, async () => {
  const plugins = { stateStore: { use: './limited.mjs' } };
  await using installation = await createInstallation({ plugins }, { 'limited.mjs': limitedStore });
  const { folder } = installation;
  using server = startBundled(folder);
  const url = await server.url();
  await untilReady(url, true);
  const { id } = await send(url, '/v1/runs', chain);
  while ((await send(url, `/v1/runs/${id}`)).status !== 'completed') await pause(20);

  await writeFile(join(folder, 'fill'), '');
  while (!existsSync(join(folder, 'filled'))) await pause(20);
  const message = 'The disk of the state database is full: free some space and try again';
  assert.equal(await untilReady(url, false), message);
  // A run that is requested meanwhile starts once there is space.
  let isAnswered = false;
  const requested = send(url, '/v1/runs', { ...chain, code: `return 1 // ${'x'.repeat(60_000)}` });
  void requested.then(() => (isAnswered = true));
  await pause(500);
  assert.equal(isAnswered, false);
  assert.equal((await send(url, `/v1/runs/${id}`)).status, 'completed');

  await rm(join(folder, 'fill'));
  assert.equal(await untilReady(url, true), undefined);
  const next = await requested;
  while ((await send(url, `/v1/runs/${next.id}`)).status !== 'completed') await pause(20);
  assert.equal((await send(url, '/v1/runs')).items.length, 2);
  server.signal('SIGTERM');
  assert.equal(await server.exit, 0);
  assert.match(await server.errors, /disk of the state database is full.*the state store cannot be used/);
});
