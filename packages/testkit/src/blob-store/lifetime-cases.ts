import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { BlobRef, BlobStore } from '@ravi/kernel';
import type { BlobStoreScenario } from './blob-store-contract.ts';
import { noiseOf, storeOptions } from './samples.ts';

const hourMs = 3_600_000;
const centuryMs = 100 * 365 * 24 * hourMs;

async function isGone(store: BlobStore, ref: BlobRef): Promise<void> {
  const isNotFound = (error: unknown): boolean => isKernelError(error, 'E_BLOB_NOT_FOUND');
  await assert.rejects(store.resolve(ref), isNotFound);
  await assert.rejects(store.open(ref), isNotFound);
  await assert.rejects(store.pin(ref, 'run-1'), isNotFound);
  assert.equal(await store.stat(ref), undefined);
}

/** Cases about the lifetime of blobs: pins, sweep, expiry, delete. */
export function lifetimeCases(scenario: BlobStoreScenario): void {
  scenario('pins count once per owner, for any owner name', async ({ store }) => {
    const ref = await store.store('content', storeOptions);
    const owners = ['run-1', 'run-2', '', '../../etc/passwd', 'a/b\\c\u0000', '漢字', 'x'.repeat(10_000)];
    for (const owner of [...owners, ...owners]) await store.pin(ref, owner);
    assert.equal((await store.stat(ref))?.pins, owners.length);
    for (const owner of owners) await store.unpin(ref, owner);
    assert.equal((await store.stat(ref))?.pins, 0);
  });

  scenario('unpin takes back only the pin of its owner', async ({ store, clock }) => {
    const ref = await store.store('content', storeOptions);
    await store.pin(ref, 'run-1');
    await store.unpin(ref, 'run-2');
    assert.equal((await store.stat(ref))?.pins, 1);
    await store.sweep(clock.now());
    assert.equal((await store.resolve(ref)).byteLength, 7);
  });

  scenario('a sweep removes the pins of abandoned owners only', async ({ store, clock }) => {
    const left = await store.store('content', { ...storeOptions, pinOwner: 'run:run-1#a b' });
    const shared = await store.store('content', { ...storeOptions, pinOwner: 'run:run-1#c' });
    await store.pin(shared, 'run:run-2#d');
    const long = await store.store('content', { ...storeOptions, pinOwner: 'x'.repeat(1_000) });
    const asked = new Set<string>();
    const isAbandoned = async (owner: string): Promise<boolean> => {
      asked.add(owner);
      return owner.startsWith('run:run-1#');
    };
    assert.deepEqual(await store.sweep(clock.now(), { isAbandoned }), { removed: 1, kept: 2, freedBytes: 7 });
    await isGone(store, left);
    assert.equal((await store.stat(shared))?.pins, 1);
    assert.equal((await store.stat(long))?.pins, 1);
    for (const owner of ['run:run-1#a b', 'run:run-1#c', 'run:run-2#d']) assert.ok(asked.has(owner), owner);
  });

  scenario('pinOwner pins in the same step as the store', async ({ store, clock }) => {
    const ref = await store.store('content', { ...storeOptions, pinOwner: 'run-1' });
    assert.equal((await store.stat(ref))?.pins, 1);
    await store.pin(ref, 'run-1');
    assert.equal((await store.stat(ref))?.pins, 1);
    assert.deepEqual(await store.sweep(clock.now()), { removed: 0, kept: 1, freedBytes: 0 });
    await store.unpin(ref, 'run-1');
    assert.deepEqual(await store.sweep(clock.now()), { removed: 1, kept: 0, freedBytes: 7 });
  });

  scenario('sweep removes unpinned blobs and reports what it did', async ({ store, clock }) => {
    const pinned = await store.store('pinned', { ...storeOptions, pinOwner: 'run-1' });
    const loose = await store.store(noiseOf(1_000), storeOptions);
    assert.equal((await store.stat(loose))?.bytes, 1_000);
    assert.deepEqual(await store.sweep(clock.now()), { removed: 1, kept: 1, freedBytes: 1_000 });
    assert.deepEqual(await store.sweep(clock.now()), { removed: 0, kept: 1, freedBytes: 0 });
    await isGone(store, loose);
    assert.equal((await store.stat(pinned))?.pins, 1);
  });

  scenario('an expired blob is gone for readers at once, pinned or not', async ({ store, clock }) => {
    const ref = await store.store('content', { ...storeOptions, ttlMs: hourMs, pinOwner: 'run-1' });
    assert.equal((await store.stat(ref))?.expiresAt, clock.now() + hourMs);
    clock.advance(hourMs - 1);
    assert.equal((await store.resolve(ref)).byteLength, 7);
    clock.advance(1);
    await isGone(store, ref);
    await store.unpin(ref, 'run-1');
  });

  scenario('a time to live of zero expires at once', async ({ store }) => {
    await isGone(store, await store.store('content', { ...storeOptions, ttlMs: 0 }));
  });

  scenario('an invalid time to live is a TypeError', async ({ store, clock }) => {
    for (const ttlMs of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      await assert.rejects(store.store('content', { ...storeOptions, ttlMs }), TypeError);
    }
    assert.deepEqual(await store.sweep(clock.now()), { removed: 0, kept: 0, freedBytes: 0 });
  });

  scenario('sweep judges expiry by the time it is given', async ({ store, clock }) => {
    const options = { ...storeOptions, pinOwner: 'run-1' };
    await store.store('content', { ...options, ttlMs: hourMs });
    const lasting = await store.store('content', options);
    assert.equal((await store.sweep(clock.now() + hourMs - 1)).removed, 0);
    assert.deepEqual(await store.sweep(clock.now() + hourMs), { removed: 1, kept: 1, freedBytes: 7 });
    assert.equal((await store.sweep(clock.now() + centuryMs)).kept, 1);
    assert.equal((await store.stat(lasting))?.pins, 1);
  });

  scenario('delete removes one blob, pinned or not, and ignores a missing one', async ({ store }) => {
    const other = await store.store('other', storeOptions);
    const ref = await store.store('content', { ...storeOptions, pinOwner: 'run-1' });
    await store.delete(ref);
    await isGone(store, ref);
    await store.delete(ref);
    await store.unpin(ref, 'run-1');
    assert.equal((await store.resolve(other)).byteLength, 5);
  });

  scenario('a sweep leaves a write alone that is under way', async ({ store, clock }) => {
    let pulls = 0;
    const source = new ReadableStream<Uint8Array>({
      async pull(controller) {
        pulls += 1;
        if (pulls > 3) return controller.close();
        await store.sweep(clock.now() + centuryMs);
        controller.enqueue(noiseOf(1024 * 1024, pulls));
      },
    });
    const ref = await store.store(source, { ...storeOptions, pinOwner: 'run-1' });
    assert.equal((await store.resolve(ref)).byteLength, 3 * 1024 * 1024);
  });

  scenario('a pin that succeeds during a sweep holds', async ({ store, clock }) => {
    const refs = await Promise.all(Array.from({ length: 50 }, () => store.store('content', storeOptions)));
    const sweeping = store.sweep(clock.now());
    const pins = await Promise.allSettled(refs.map((ref) => store.pin(ref, 'run-1')));
    await sweeping;
    for (const [index, pin] of pins.entries()) {
      const ref = refs[index] as BlobRef;
      if (pin.status === 'fulfilled') assert.equal((await store.resolve(ref)).byteLength, 7);
      else assert.ok(isKernelError(pin.reason, 'E_BLOB_NOT_FOUND'));
    }
  });
}
