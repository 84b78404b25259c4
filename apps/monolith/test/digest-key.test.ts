import assert from 'node:assert/strict';
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isKernelError } from '@ravi/kernel';
import { test } from 'vitest';
import { digestKeyOf, loadDigestKey } from '../src/digest-key.ts';
import { createInstallation } from './support/installation.ts';

test('the first start creates a key of 32 bytes readable by its owner only, and later starts load it', async () => {
  await using installation = await createInstallation();
  const folder = join(installation.folder, 'data');
  const key = await loadDigestKey(folder);
  assert.equal(key.byteLength, 32);
  assert.deepEqual(await loadDigestKey(folder), key);
  assert.equal((await stat(join(folder, 'digest.key'))).mode & 0o777, 0o600);
});

test('simultaneous starts agree on one key and leave no other file', async () => {
  await using installation = await createInstallation();
  const folder = join(installation.folder, 'data');
  const keys = await Promise.all(Array.from({ length: 20 }, () => loadDigestKey(folder)));
  const kept = await readFile(join(folder, 'digest.key'));
  for (const key of keys) assert.deepEqual(Buffer.from(key), kept);
  assert.deepEqual(await readdir(folder), ['digest.key']);
});

test('a damaged key or an unusable folder is reported', async () => {
  await using installation = await createInstallation({}, { 'data/digest.key': 'short', file: '' });
  await assert.rejects(loadDigestKey(join(installation.folder, 'data')), (error: Error) => {
    assert.ok(isKernelError(error, 'E_CONFIG_INVALID'));
    assert.match(error.message, /digest\.key does not hold a key of 32 bytes/);
    return true;
  });
  await assert.rejects(loadDigestKey(join(installation.folder, 'file', 'data')), /The data folder .* cannot be used/);
});

test('the environment holds a key of 64 hexadecimal digits or none, and a wrong one is not shown', () => {
  assert.equal(digestKeyOf({}), undefined);
  assert.equal(digestKeyOf({ RAVI_DIGEST_KEY: '' }), undefined);
  assert.deepEqual(digestKeyOf({ RAVI_DIGEST_KEY: `${'0A'.repeat(32)}\n` }), Buffer.alloc(32, 10));
  for (const wrong of ['0a', 'z'.repeat(64), '0'.repeat(65)]) {
    assert.throws(
      () => digestKeyOf({ RAVI_DIGEST_KEY: wrong }),
      (error: Error) => isKernelError(error, 'E_CONFIG_INVALID') && !error.message.includes(wrong),
    );
  }
});
