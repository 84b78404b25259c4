import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import { createFakeClock } from '@ravi/testkit';
import { blobStoreContract } from '@ravi/testkit/blob-store';
import { pluginContract } from '@ravi/testkit/plugin';
import { test } from 'vitest';
import plugin, { createMemoryBlobStore } from '../src/index.ts';

blobStoreContract(test, ({ clock }) => createMemoryBlobStore({ clock }));
pluginContract(test, plugin, { maxBytes: 1024 });

const options = { mediaType: 'text/plain', scope: { principal: 'user:ada', sessionId: 'session-1' } };
const isTooLarge = (error: unknown): boolean =>
  isKernelError(error, 'E_BLOB_TOO_LARGE') && error.message.startsWith('Memory blob store is full (1024 bytes)');

test('a full store rejects writes with the limit and accepts more after a delete', async () => {
  const store = createMemoryBlobStore({ maxBytes: 1024 });
  const ref = await store.store('x'.repeat(1000), options);
  await assert.rejects(store.store('x'.repeat(25), options), isTooLarge);
  await store.store('x'.repeat(24), options);
  await store.delete(ref);
  await store.store('x'.repeat(1000), options);
});

test('a stream over the limit is rejected while it is read and its bytes are freed', async () => {
  const store = createMemoryBlobStore({ maxBytes: 1024 });
  let pulls = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulls += 1;
      controller.enqueue(new Uint8Array(100));
    },
  });
  await assert.rejects(store.store(endless, options), isTooLarge);
  assert.ok(pulls < 20, `${pulls} chunks were read`);
  await store.store('x'.repeat(1024), options);
});

test('expired blobs make room before a write is rejected', async () => {
  const clock = createFakeClock();
  const store = createMemoryBlobStore({ maxBytes: 1024, clock });
  await store.store('x'.repeat(1024), { ...options, ttlMs: 10, pinOwner: 'run-1' });
  await assert.rejects(store.store('x', options), isTooLarge);
  clock.advance(10);
  await store.store('x'.repeat(1024), options);
});

test('the plugin creates a store with its limit', async () => {
  const context = { baseDir: '/', clock: createFakeClock(), logger: { debug() {}, info() {}, warn() {}, error() {} } };
  const store = await plugin.create({ maxBytes: 1024 }, context);
  await assert.rejects(store.store('x'.repeat(1025), options), isTooLarge);
});
