import { KernelError } from '@ravi/kernel';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { afterAll, expect, test } from 'vitest';
import { cutValue } from '../../src/chain/cut-result.ts';
import { createHarness, watchedStore } from './harness.ts';

const sandbox = createIsolatedVmSandbox();
afterAll(() => sandbox[Symbol.asyncDispose]());

const values = [
  'ä🎉"\n'.repeat(100),
  Array.from({ length: 300 }, (_, id) => ({ id, text: 'ä'.repeat(id % 7) })),
  { first: 1, list: Array.from({ length: 99 }, () => [true, null]), last: 'x' },
  JSON.parse('{"__proto__":{"a":[1,2,3]},"b":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}'),
  [[[[['deep'.repeat(20)]]]], 5],
];

test('a value is cut to JSON of the same shape within any limit, and one that fits stays whole', () => {
  for (const value of values) {
    for (let maxBytes = 2; maxBytes < 120; maxBytes++) {
      const cut = cutValue(value, maxBytes);
      const text = JSON.stringify(cut);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
      expect(Array.isArray(cut)).toBe(Array.isArray(value));
      expect(typeof cut).toBe(typeof value);
      expect(text.includes('\\ud')).toBe(false);
    }
    expect(cutValue(value, 100_000)).toEqual(value);
  }
});

test('a result over its limit is cut, and the whole is stored with its size', async () => {
  const { run, store, pins } = createHarness(sandbox, []);
  const result = await run('return Array.from({ length: 1000 }, (_, id) => ({ id }))', { maxResultBytes: 100 });
  const all = JSON.stringify(Array.from({ length: 1_000 }, (_, id) => ({ id })));
  expect(result).toMatchObject({ status: 'ok', whole: { artifactRef: store.refs[0], bytes: all.length } });
  expect(JSON.stringify(result.value).length).toBeLessThanOrEqual(100);
  expect((result.value as unknown[])[0]).toEqual({ id: 0 });
  expect(result.outputText).toContain(`{"$artifact":"${store.refs[0]}"}`);
  expect(Buffer.from(await store.resolve(store.refs[0] as string)).toString()).toBe(all);
  expect(await pins()).toBe(0);
});

test('without a store a result over its limit is refused, by name and value', async () => {
  const { run } = createHarness(sandbox, [], { artifactStore: undefined as never });
  const { error } = await run('return "x".repeat(200)', { maxResultBytes: 100 });
  expect(error).toMatchObject({ code: 'E_LIMIT_RESULT', message: expect.stringContaining('100 bytes') });
});

test('a result over its limit that cannot be stored is refused too, and the run does not reject', async () => {
  const store = { ...watchedStore(), store: () => Promise.reject(new KernelError('E_BLOB_UNAVAILABLE', 'full')) };
  const { run } = createHarness(sandbox, [], { artifactStore: store });
  const { error } = await run('return "x".repeat(200)', { maxResultBytes: 100 });
  expect(error).toMatchObject({ code: 'E_LIMIT_RESULT', message: expect.stringContaining('100 bytes') });
});
