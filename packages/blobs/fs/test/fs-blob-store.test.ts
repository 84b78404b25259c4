import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlobRef, BlobStore, Clock } from '@ravi/kernel';
import { blobStoreContract } from '@ravi/testkit';
import { afterAll, test } from 'vitest';
import { createFsBlobStore } from '../src/index.ts';
import { contentPath, layoutOf } from '../src/layout.ts';

const folder = await mkdtemp(join(tmpdir(), 'ravi-blob-fs-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Opened {
  readonly root: string;
  readonly clock: Clock;
}
const opened = new WeakMap<BlobStore, Opened>();
let roots = 0;

function openStore(place: Opened): BlobStore {
  const store = createFsBlobStore(place);
  opened.set(store, place);
  return store;
}

async function flipByte(store: BlobStore, ref: BlobRef): Promise<void> {
  const path = contentPath(layoutOf(opened.get(store)!.root).folderOf(ref));
  await using file = await open(path, 'r+');
  const { buffer } = await file.read(Buffer.alloc(1), { position: 3 });
  buffer[0]! ^= 0x80;
  await file.write(buffer, 0, 1, 3);
}

blobStoreContract(test, ({ clock }) => openStore({ root: join(folder, `missing-${(roots += 1)}`, 'root'), clock }), {
  corrupt: flipByte,
  reopen: (store) => openStore(opened.get(store)!),
});
