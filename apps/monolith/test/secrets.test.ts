import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { isKernelError } from '@ravi/kernel';
import type { JsonValue, ValuePlace } from '@ravi/kernel';
import { openMonolith } from '@ravi/monolith';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { test } from 'vitest';
import { createSecretStore } from '../src/secrets.ts';
import { createInstallation } from './support/installation.ts';
import { stateStoreOf } from './support/server.ts';

const place: ValuePlace = { area: 'mcp-credentials', principal: 'ada', key: 'github' };
const secret = { accessToken: 'the-token-of-ada', expiresAt: 1 };

async function isCorrupt(promise: Promise<unknown>): Promise<void> {
  await assert.rejects(promise, (error) => {
    assert.ok(isKernelError(error, 'E_STATE_CORRUPT'), String(error));
    assert.match(error.message, /"mcp-credentials\/github"/);
    assert.doesNotMatch(`${error.message} ${String(error.cause)}`, /the-token-of-ada/);
    return true;
  });
}

test('a secret is read as it was stored, and its storage does not show it', async () => {
  await using store = await createSqliteStateStore({ file: ':memory:' });
  const secrets = createSecretStore(store.values, randomBytes(32));
  const revision = await secrets.put(place, secret, { ifRevision: 0 });
  assert.deepEqual(await secrets.get(place), { key: 'github', value: secret, revision });
  const first = (await store.values.get(place))?.value;
  assert.match(JSON.stringify(first), /^"v1\.[\w-]+"$/);
  await secrets.put(place, secret);
  assert.notEqual((await store.values.get(place))?.value, first, 'the same secret is never encrypted the same way');
  assert.equal(await secrets.put(place, secret, { ifRevision: Number(revision) }), undefined);
  assert.equal(await secrets.delete(place), true);
  assert.equal(await secrets.get(place), undefined);
});

test('a secret that was changed, moved or encrypted with another key is refused, and the message hides it', async () => {
  await using store = await createSqliteStateStore({ file: ':memory:' });
  const { values } = store;
  const secrets = createSecretStore(values, randomBytes(32));
  await secrets.put(place, secret);
  const text = (await values.get(place))?.value;
  assert.ok(typeof text === 'string');
  const swapped = (at: number): string => text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
  const damaged: JsonValue[] = [
    swapped(4),
    swapped(30),
    swapped(text.length - 3),
    text.slice(0, -4),
    'v1.',
    'v2.x',
    secret,
  ];
  for (const value of damaged) {
    await values.put(place, value);
    await isCorrupt(secrets.get(place));
  }
  // The token of one caller is of no use at the place of another, or under the name of another server.
  for (const other of [
    { ...place, principal: 'bob' },
    { ...place, area: 'other' },
    { ...place, key: 'evil' },
  ]) {
    await values.put(other, text);
    await assert.rejects(secrets.get(other), { code: 'E_STATE_CORRUPT' });
  }
  await values.put(place, text);
  assert.deepEqual((await secrets.get(place))?.value, secret);
  await isCorrupt(createSecretStore(values, randomBytes(32)).get(place));
});

test('a secret that is too long is refused', async () => {
  await using store = await createSqliteStateStore({ file: ':memory:' });
  const secrets = createSecretStore(store.values, randomBytes(32));
  await assert.rejects(secrets.put(place, 'x'.repeat(1_000_000)), { code: 'E_STATE_INVALID' });
});

test('a plugin keeps a secret across restarts of the server, and the file does not show it', async () => {
  const source = `
const source = { name: 'vault', async open({ signal }) {
  return { content: () => ({ tools: [], failures: [] }), async [Symbol.asyncDispose]() {} };
} };
export default { name: 'vault', port: 'toolSource', configSchema: { type: 'object' }, async create(_options, { secrets }) {
  const place = { area: 'vault', principal: 'ada', key: 'pin' };
  const known = await secrets.get(place);
  await secrets.put(place, { pin: 'four-seven-one-one', starts: (known?.value.starts ?? 0) + 1 });
  globalThis.lastStarts = (known?.value.starts ?? 0) + 1;
  return source;
} };`;
  await using installation = await createInstallation(
    { plugins: { toolSource: [{ use: './vault.mjs' }] } },
    { 'vault.mjs': source },
  );
  const { folder: cwd, configPath } = installation;
  for (const starts of [1, 2]) {
    await using monolith = await openMonolith({ cwd, configPath, env: {}, isServer: true });
    assert.equal((globalThis as { readonly lastStarts?: number }).lastStarts, starts);
    const { values } = stateStoreOf(monolith);
    const stored = await values.get({ area: 'vault', principal: 'ada', key: 'pin' });
    assert.match(JSON.stringify(stored?.value), /^"v1\.[\w-]+"$/);
  }
});
