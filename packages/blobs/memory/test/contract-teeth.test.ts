import assert from 'node:assert/strict';
import type { BlobStore } from '@ravi/kernel';
import { blobStoreContract } from '@ravi/testkit/blob-store';
import type { ContractTest, ContractTestContext } from '@ravi/testkit';
import { test } from 'vitest';
import { createMemoryBlobStore } from '../src/index.ts';

type Break = (store: BlobStore) => Partial<BlobStore>;

/** Runs the suite against a broken store and returns the names of the failed cases. */
async function failuresOf(breakStore: Break): Promise<string[]> {
  const failed: string[] = [];
  const running: Promise<void>[] = [];
  const register = (name: string, body: (context: ContractTestContext) => void | Promise<void>): void => {
    running.push(Promise.resolve(body({ skip: () => {} })).catch(() => void failed.push(name)));
  };
  const collect: ContractTest = Object.assign(register, { skip: () => {} });
  blobStoreContract(collect, ({ clock }) => {
    const store = createMemoryBlobStore({ clock });
    return { ...store, ...breakStore(store) };
  });
  await Promise.all(running);
  return failed;
}

const breakages: readonly (readonly [string, Break, RegExp])[] = [
  [
    'a sweep that does nothing',
    () => ({ sweep: async () => ({ removed: 0, kept: 0, freedBytes: 0 }) }),
    /sweep removes/,
  ],
  ['a pin that does nothing', () => ({ pin: async () => {} }), /pins count once/],
  ['an unpin that takes every pin', (store) => ({ unpin: async (ref) => store.unpin(ref, 'run-1') }), /only the pin/],
  ['a delete that does nothing', () => ({ delete: async () => {} }), /delete removes/],
  ['ranges that are ignored', (store) => ({ open: (ref) => store.open(ref) }), /a range is cut/],
  [
    'a time to live that is ignored',
    (store) => ({ store: (data, { ttlMs: _ignored, ...options }) => store.store(data, options) }),
    /an expired blob/,
  ],
  [
    'a pinOwner that is ignored',
    (store) => ({ store: (data, { pinOwner: _ignored, ...options }) => store.store(data, options) }),
    /pinOwner pins/,
  ],
];

test('the suite passes for a correct store', async () => {
  assert.deepEqual(await failuresOf(() => ({})), []);
});

for (const [what, breakStore, expected] of breakages) {
  test(`the suite catches ${what}`, async () => {
    assert.match((await failuresOf(breakStore)).join('\n'), expected);
  });
}
