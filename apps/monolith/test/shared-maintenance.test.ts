import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import type { RaviConfig } from '@ravi/host';
import { systemClock } from '@ravi/kernel';
import type { BlobStore, Clock } from '@ravi/kernel';
import { afterEach, test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import { startProcess } from './support/server-process.ts';
import { startServer } from './support/server.ts';
import { shareStore } from './support/shared-store.ts';
import { storeCases } from './support/state-stores.ts';

// The plugin files of all servers of this process find their stores here.
const created = globalThis as { blobStoreOf?: (name: string) => BlobStore };
afterEach(() => void delete created.blobStoreOf);

const plugin = `
const create = ({ name }) => globalThis.blobStoreOf(name);
export default { name: 'counted', port: 'blobStore', configSchema: { type: 'object' }, create };
`;

/** A clock with which a server asks soon whether another one has ended. */
const hurriedClock: Clock = {
  ...systemClock,
  setTimer: (callback, delayMs, options) => systemClock.setTimer(callback, delayMs === 20_000 ? 20 : delayMs, options),
};

/** Counts the sweeps of each server. Each has a store of its own that says that others share it, unless it is private. */
function countSweeps(isPrivate = false): Map<string, number> {
  const sweeps = new Map<string, number>();
  created.blobStoreOf = (name) => {
    const memory = createMemoryBlobStore();
    const sweep: BlobStore['sweep'] = (now, options) => {
      sweeps.set(name, (sweeps.get(name) ?? 0) + 1);
      return memory.sweep(now, options);
    };
    return { ...memory, isPrivate, sweep };
  };
  return sweeps;
}

function configOf(name: string, plugins: RaviConfig['plugins']): RaviConfig {
  return { plugins: { ...plugins, blobStore: { use: './blobs.mjs', name } }, retention: { enabled: false } };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(10);
}

for (const store of storeCases) {
  store.test(`of two servers one sweeps, and the other one after it has ended (${store.name})`, async () => {
    const sweeps = countSweeps();
    await using shared = await shareStore(store);
    const { stateStore } = shared.plugins;
    const start = (name: string) =>
      startServer(
        configOf(name, stateStore === undefined ? {} : { stateStore }),
        { 'blobs.mjs': plugin },
        { isServer: true, clock: hurriedClock },
      );
    await using one = await start('one');
    await until(() => sweeps.get('one') === 1);
    await using two = await start('two');
    // It has asked many times by then.
    await pause(500);
    assert.deepEqual([...sweeps], [['one', 1]]);
    await one.shutDown();
    await until(() => sweeps.get('two') === 1);
    assert.equal((await two.get('/health')).status, 200);
  });
}

test('a server takes over from one that was killed, once its lease is over', async () => {
  const sweeps = countSweeps();
  await using killed = await createInstallation({ retention: { enabled: false } });
  using process = startProcess(killed.folder, ['--config', 'ravi.config.json', '--port', '0']);
  await process.url();
  const file = join(killed.folder, 'data/state.db');
  await using two = await startServer(
    configOf('two', { stateStore: { use: '@ravi/state-sqlite', file } }),
    { 'blobs.mjs': plugin },
    { isServer: true, clock: hurriedClock },
  );
  process.signal('SIGKILL');
  await process.exit;
  await pause(500);
  assert.deepEqual([...sweeps], []);
  {
    using database = new DatabaseSync(file);
    assert.equal(database.prepare('UPDATE ravi_leases SET ends_at = ends_at - 60000').run().changes, 1);
  }
  await until(() => sweeps.get('two') === 1);
  assert.equal((await two.get('/health')).status, 200);
});

test('each server sweeps a blob store that only it can reach', async () => {
  const sweeps = countSweeps(true);
  await using shared = await shareStore(storeCases[0] ?? assert.fail());
  const plugins = { stateStore: shared.plugins.stateStore ?? assert.fail() };
  const options = { isServer: true };
  await using _one = await startServer(configOf('one', plugins), { 'blobs.mjs': plugin }, options);
  await using _two = await startServer(configOf('two', plugins), { 'blobs.mjs': plugin }, options);
  await until(() => sweeps.size === 2);
});

test('a server answers and runs scripts while its first sweep hangs', async () => {
  const swept = Promise.withResolvers<{ removed: number; kept: number; freedBytes: number }>();
  let isSweeping = false;
  created.blobStoreOf = () => ({
    ...createMemoryBlobStore(),
    isPrivate: false,
    sweep() {
      isSweeping = true;
      return swept.promise;
    },
  });
  await using server = await startServer(configOf('one', {}), { 'blobs.mjs': plugin }, { isServer: true });
  // The end of a server waits for its sweep.
  using _ = { [Symbol.dispose]: () => swept.resolve({ removed: 0, kept: 0, freedBytes: 0 }) };
  await until(() => isSweeping);
  assert.equal((await server.get('/ready')).status, 200);
  const { body } = await server.chain('return 6 * 7');
  assert.equal(body.value, 42, JSON.stringify(body));
});
