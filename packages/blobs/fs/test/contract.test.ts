import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobRef, BlobStore } from '@ravi/kernel';
import { blobStoreContract } from '@ravi/testkit/blob-store';
import { pluginContract } from '@ravi/testkit/plugin';
import { test } from 'vitest';
import plugin, { createFsBlobStore } from '../src/index.ts';
import type { FsBlobStoreOptions } from '../src/index.ts';
import { contentPath, layoutOf } from '../src/layout.ts';
import { createPlaces } from './places.ts';

const newPlace = await createPlaces();
const opened = new WeakMap<BlobStore, FsBlobStoreOptions>();

function openStore(options: FsBlobStoreOptions): BlobStore {
  const store = createFsBlobStore(options);
  opened.set(store, options);
  return store;
}

async function flipOneBit(store: BlobStore, ref: BlobRef): Promise<void> {
  const { root } = opened.get(store)!;
  await using file = await open(contentPath(layoutOf(root).folderOf(ref)), 'r+');
  const { buffer } = await file.read(Buffer.alloc(1), { position: 3 });
  await file.write(Uint8Array.of(buffer[0]! ^ 0x80), 0, 1, 3);
}

blobStoreContract(test, ({ clock }) => openStore({ root: join(newPlace(), 'missing', 'root'), clock }), {
  corrupt: flipOneBit,
  reopen: (store) => openStore(opened.get(store)!),
});
pluginContract(test, plugin, { root: './blobs' });
