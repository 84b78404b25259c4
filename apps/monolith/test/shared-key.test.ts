import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openMonolith, tokens } from '@ravi/monolith';
import type { Monolith, MonolithOptions } from '@ravi/monolith';
import { createMemoryLogger } from '@ravi/testkit';
import { createInstallation } from './support/installation.ts';
import type { TestInstallation } from './support/installation.ts';
import { approve, pendingOf, send, untilStatus } from './support/run-requests.ts';
import { stateStoreOf } from './support/server.ts';
import { shareStore } from './support/shared-store.ts';
import type { SharedStore } from './support/shared-store.ts';
import { storeCases } from './support/state-stores.ts';

const own = 'k'.repeat(32);
const inHex = Buffer.from(own).toString('hex');
const otherInHex = '7'.repeat(64);

const keyOf = ({ container }: Monolith): string => Buffer.from(container.resolve(tokens.digestKey)).toString('hex');
const keyFile = ({ folder }: TestInstallation): string => join(folder, 'data/digest.key');

function installed({ plugins }: SharedStore, files: Readonly<Record<string, string>> = {}): Promise<TestInstallation> {
  return createInstallation({ plugins }, files);
}

/** Opens the process of a server that does not listen, over an installation that exists. */
function open({ folder: cwd, configPath }: TestInstallation, more: Partial<MonolithOptions> = {}): Promise<Monolith> {
  return openMonolith({ cwd, configPath, env: {}, isServer: true, ...more });
}

async function keyAtStart(installation: TestInstallation, more: Partial<MonolithOptions> = {}): Promise<string> {
  await using monolith = await open(installation, more);
  return keyOf(monolith);
}

for (const store of storeCases) {
  const { name, test } = store;

  test(`a run that asked on one server ends on another one with a data folder of its own (${name})`, async () => {
    await using shared = await shareStore(store);
    await using first = await shared.start();
    const code = `return await tools.launch({ target: 'moon' })`;
    const { id } = await send(first.url, '/v1/runs', { kind: 'chain', code });
    await untilStatus(first.url, id, 'paused');
    const [asked] = await pendingOf(first.url, id, 1);
    await first.shutDown();

    await using second = await shared.start();
    await approve(second.url, asked);
    await untilStatus(second.url, id, 'completed');
    assert.deepEqual(await second.installation.launches(), ['launch moon']);
    assert.deepEqual(await first.installation.launches(), []);
  });

  test(`servers that start at once have one key, and each keeps a copy that only its owner reads (${name})`, async () => {
    await using shared = await shareStore(store);
    await using stack = new AsyncDisposableStack();
    const folders = await Promise.all([1, 2, 3, 4].map(() => installed(shared)));
    for (const each of folders) stack.use(each);
    const opened = await Promise.all(folders.map((each) => open(each)));
    for (const each of opened) stack.use(each);
    assert.equal(new Set(opened.map(keyOf)).size, 1);
    for (const each of folders) {
      assert.equal((await readFile(keyFile(each))).toString('hex'), keyOf(opened[0] as Monolith));
      assert.equal((await stat(keyFile(each))).mode & 0o777, 0o600);
    }
  });

  test(`the key of a data folder becomes that of an empty store, and then counts for other servers (${name})`, async () => {
    await using shared = await shareStore(store);
    await using first = await installed(shared, { 'data/digest.key': own });
    assert.equal(await keyAtStart(first), inHex);
    await using second = await installed(shared);
    assert.equal(await keyAtStart(second), inHex);

    await using third = await installed(shared, { 'data/digest.key': 'x'.repeat(32) });
    const logger = createMemoryLogger();
    assert.equal(await keyAtStart(third, { logger }), inHex);
    const warning = logger.records.find(({ message }) => /another digest key than the state store/.test(message));
    assert.deepEqual([warning?.level, warning?.fields?.['file']], ['warn', keyFile(third)]);
    assert.equal(await readFile(keyFile(third), 'utf8'), 'x'.repeat(32));
  });

  test(`a store of a version without keys gets that of the data folder it was used with (${name})`, async () => {
    await using shared = await shareStore(store);
    await using first = await installed(shared, { 'data/digest.key': own });
    {
      await using monolith = await open(first);
      const { identity } = stateStoreOf(monolith);
      const { id, keyCheck } = (await identity?.get()) ?? assert.fail();
      await identity?.set({ id, keyCheck }, { replace: true });
    }
    await using second = await installed(shared);
    await assert.rejects(open(second), /The state store has no digest key yet, and .*digest\.key is missing/);
    await using third = await installed(shared, { 'data/digest.key': 'x'.repeat(32) });
    await assert.rejects(open(third), /or is not the key with which the stored runs were recorded/);
    assert.equal(await keyAtStart(first), inHex);
    assert.equal(await keyAtStart(second), inHex);
  });

  test(`a key of the environment counts and is not stored (${name})`, async () => {
    await using shared = await shareStore(store);
    await using first = await installed(shared);
    const env = { RAVI_DIGEST_KEY: inHex };
    {
      await using monolith = await open(first, { env });
      assert.equal(keyOf(monolith), inHex);
      const { digestKey, isKeyOutside } = (await stateStoreOf(monolith).identity?.get()) ?? assert.fail();
      assert.deepEqual([digestKey, isKeyOutside], [undefined, true]);
    }
    assert.equal(existsSync(keyFile(first)), false);

    await using second = await installed(shared);
    assert.equal(await keyAtStart(second, { env }), inHex);
    const message = /kept outside the state store, and .*digest\.key does not have it\. Set RAVI_DIGEST_KEY/;
    await assert.rejects(open(second), message);
    await assert.rejects(
      open(second, { env: { RAVI_DIGEST_KEY: otherInHex } }),
      /RAVI_DIGEST_KEY is not the key with which the stored runs were recorded.*Set it to that key.*--adopt-state/,
    );
    // A file with the key is enough, and does not bring it into the store.
    await writeFile(keyFile(second), own);
    {
      await using monolith = await open(second);
      assert.equal(keyOf(monolith), inHex);
      assert.equal((await stateStoreOf(monolith).identity?.get())?.digestKey, undefined);
    }
  });

  test(`a stored key is replaced by that of the environment only on purpose (${name})`, async () => {
    await using shared = await shareStore(store);
    await using first = await installed(shared, { 'data/digest.key': own });
    assert.equal(await keyAtStart(first), inHex);
    const env = { RAVI_DIGEST_KEY: otherInHex };
    await assert.rejects(open(first, { env }), /Remove it to use the key in the state store/);
    assert.equal(await keyAtStart(first, { env: { RAVI_DIGEST_KEY: inHex } }), inHex);
    assert.equal(await keyAtStart(first, { env, adoptState: true }), otherInHex);
    assert.equal(await keyAtStart(first, { env }), otherInHex);
    await using second = await installed(shared);
    await assert.rejects(open(second), /kept outside the state store/);
  });

  test(`a damaged key in the store is reported, and the right one of the environment replaces it (${name})`, async () => {
    await using shared = await shareStore(store);
    await using first = await installed(shared, { 'data/digest.key': own });
    {
      await using monolith = await open(first);
      const { identity } = stateStoreOf(monolith);
      const stored = (await identity?.get()) ?? assert.fail();
      await identity?.set({ ...stored, digestKey: 'c2hvcnQ=' }, { replace: true });
    }
    await assert.rejects(open(first), /The digest key in the state database is damaged.*set RAVI_DIGEST_KEY/);
    assert.equal(await keyAtStart(first, { env: { RAVI_DIGEST_KEY: inHex } }), inHex);
  });
}
