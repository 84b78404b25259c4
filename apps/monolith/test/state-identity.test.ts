import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import { startProcess } from './support/server-process.ts';

const limits = { timeout: 90_000 };

/** Starts a server, stores a run, and ends the server: cleanly, or as a crash. Returns the path of its database. */
async function serveOnce(folder: string, signal: NodeJS.Signals): Promise<string> {
  using server = startProcess(folder, ['--port', '0']);
  const url = await server.url();
  const response = await fetch(`${url}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'chain', code: 'return 1' }),
  });
  assert.equal(response.status, 201);
  server.signal(signal);
  await server.exit;
  return join(folder, 'data/state.db');
}

async function startFails(folder: string, exitCode: number, words: RegExp): Promise<void> {
  // Twice: a refused start must not make the next one succeed.
  for (let attempt = 0; attempt < 2; attempt++) {
    using server = startProcess(folder, ['--port', '0']);
    assert.equal(await server.exit, exitCode);
    assert.match(await server.errors, words);
  }
}

async function startSucceeds(folder: string, ...flags: readonly string[]): Promise<void> {
  using server = startProcess(folder, ['--port', '0', ...flags]);
  const url = await server.url();
  assert.equal((await fetch(`${url}/ready`)).status, 200);
  server.signal('SIGTERM');
  assert.equal(await server.exit, 0);
}

async function removeDatabase(file: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm', '-open']) await rm(`${file}${suffix}`, { force: true });
}

test('a server does not start over a removed or emptied database, until that is confirmed', limits, async () => {
  await using installation = await createInstallation();
  const { folder } = installation;
  const file = await serveOnce(folder, 'SIGTERM');
  await startSucceeds(folder);
  await truncate(file, 0);
  await startFails(folder, 1, /E_STATE_CORRUPT: The state database is empty.*Restore the database.*--adopt-state/);
  await removeDatabase(file);
  await startFails(folder, 1, /The state database is empty/);
  await startSucceeds(folder, '--adopt-state');
  await startSucceeds(folder);
});

test('a server does not start over the database of another installation', limits, async () => {
  await using one = await createInstallation();
  await using other = await createInstallation();
  const own = await serveOnce(one.folder, 'SIGTERM');
  const foreign = await serveOnce(other.folder, 'SIGTERM');
  await removeDatabase(own);
  await writeFile(own, await readFile(foreign));
  await startFails(one.folder, 1, /belongs to another installation/);
});

test('a server does not start after a crash without the write-ahead log', limits, async () => {
  await using installation = await createInstallation();
  const file = await serveOnce(installation.folder, 'SIGKILL');
  assert.ok(existsSync(`${file}-wal`));
  await rm(`${file}-wal`);
  await rm(`${file}-shm`, { force: true });
  await startFails(installation.folder, 1, /its -wal file with the last changes is gone/);
});

test('a server does not start over a damaged database', limits, async () => {
  await using installation = await createInstallation();
  const file = await serveOnce(installation.folder, 'SIGTERM');
  const bytes = await readFile(file);
  // The page after the schema.
  bytes.fill(0xab, 3 * 4_096, 6 * 4_096);
  await writeFile(file, bytes);
  await startFails(
    installation.folder,
    1,
    /E_STATE_CORRUPT: .*The state database is damaged.*Restore it from a backup/,
  );
});

test(
  'a digest key that is missing in the data folder comes from the state, and another one is not used',
  limits,
  async () => {
    await using installation = await createInstallation();
    const { folder } = installation;
    await serveOnce(folder, 'SIGTERM');
    const path = join(folder, 'data/digest.key');
    const key = await readFile(path);
    await rm(path);
    await startSucceeds(folder);
    assert.deepEqual(await readFile(path), key);
    await writeFile(path, Buffer.alloc(32, 7));
    using server = startProcess(folder, ['--port', '0']);
    assert.equal((await fetch(`${await server.url()}/ready`)).status, 200);
    server.signal('SIGTERM');
    assert.equal(await server.exit, 0);
    assert.match(await server.errors, /holds another digest key than the state store, which counts; remove the file/);
  },
);

test('a server does not start without the right key if it is only in the environment', limits, async () => {
  await using installation = await createInstallation();
  const { folder } = installation;
  const key = '0a'.repeat(32);
  using server = startProcess(folder, ['--port', '0'], { env: { RAVI_DIGEST_KEY: key } });
  await server.url();
  server.signal('SIGTERM');
  assert.equal(await server.exit, 0);
  assert.doesNotMatch(await server.errors, new RegExp(key));
  await startFails(folder, 2, /kept outside the state store.*Set RAVI_DIGEST_KEY/);
});
