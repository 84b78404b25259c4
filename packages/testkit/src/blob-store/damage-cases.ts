import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { BlobStoreContractOptions, BlobStoreScenario } from './blob-store-contract.ts';
import { noiseOf, readAll, scope, storeOptions } from './samples.ts';
import type { ContractTest } from '../suite/contract-test.ts';

/** Cases about damaged storage and ended processes. */
export function damageCases(
  scenario: BlobStoreScenario,
  skip: ContractTest['skip'],
  { corrupt, reopen }: BlobStoreContractOptions,
): void {
  if (corrupt === undefined) {
    skip('blob store: damaged content is refused (skipped: the adapter gives no way to damage it)');
  } else {
    const isCorrupt = (error: unknown): boolean => isKernelError(error, 'E_BLOB_CORRUPT');

    scenario('resolve refuses damaged content', async ({ store }) => {
      const ref = await store.store(noiseOf(100_000), storeOptions);
      await corrupt(store, ref);
      await assert.rejects(store.resolve(ref), isCorrupt);
    });

    scenario('a whole read of damaged content fails at its end', async ({ store }) => {
      for (const length of [10, 2 * 1024 * 1024 + 1]) {
        const ref = await store.store(noiseOf(length), storeOptions);
        await corrupt(store, ref);
        await assert.rejects(async () => readAll(await store.open(ref)), isCorrupt);
        await assert.rejects(async () => readAll(await store.open(ref, { length: length + 1 })), isCorrupt);
      }
    });

    scenario('a range of damaged content is never complete', async ({ store }) => {
      for (const length of [10, 2 * 1024 * 1024 + 1]) {
        const ref = await store.store(noiseOf(length), storeOptions);
        const range = { offset: 1, length: length - 2 };
        assert.equal((await readAll(await store.open(ref, range))).byteLength, length - 2);
        await corrupt(store, ref);
        await assert.rejects(async () => readAll(await store.open(ref, range)), isCorrupt);
        await assert.rejects(async () => readAll(await store.open(ref, { offset: 2, length: 4 })), isCorrupt);
      }
    });

    scenario('a damaged blob does not affect others and can be deleted', async ({ store }) => {
      const ref = await store.store('damaged', storeOptions);
      const other = await store.store('whole', storeOptions);
      await corrupt(store, ref);
      assert.equal(Buffer.from(await store.resolve(other)).toString(), 'whole');
      await store.delete(ref);
      assert.equal(await store.stat(ref), undefined);
    });
  }

  if (reopen === undefined) {
    skip('blob store: blobs survive a restart (skipped: the adapter keeps nothing)');
    return;
  }

  scenario('content, metadata, pins and expiry survive a restart', async ({ store, clock }) => {
    const bytes = noiseOf(5_000);
    const options = { mediaType: 'text/plain', scope, ttlMs: 1_000, pinOwner: 'run-1' };
    const ref = await store.store(bytes, options);
    await store.pin(ref, 'run-2');
    const before = await store.stat(ref);

    const reopened = await reopen(store);
    assert.deepEqual(await reopened.stat(ref), before);
    assert.ok(Buffer.from(bytes).equals(await reopened.resolve(ref)));
    await reopened.unpin(ref, 'run-1');
    assert.equal((await reopened.sweep(clock.now())).kept, 1);
    await reopened.unpin(ref, 'run-2');
    assert.equal((await reopened.sweep(clock.now())).removed, 1);
  });

  scenario('two stores on the same storage see each other at once', async ({ store, clock }) => {
    const other = await reopen(store);
    const ref = await store.store('content', storeOptions);
    await other.pin(ref, 'run-1');
    assert.equal((await store.stat(ref))?.pins, 1);
    await store.sweep(clock.now());
    await other.unpin(ref, 'run-1');
    await store.delete(ref);
    await assert.rejects(other.resolve(ref), (error) => isKernelError(error, 'E_BLOB_NOT_FOUND'));
  });
}
