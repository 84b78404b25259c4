import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { isBlobRef } from '@ravi/blob-kit';
import { blobStoreCrashTests } from '@ravi/testkit/blob-store';
import { test } from 'vitest';
import { createFsBlobStore } from '../src/index.ts';
import { layoutOf } from '../src/layout.ts';
import { createPlaces } from './places.ts';

blobStoreCrashTests((name, body) => test(name, body, 300_000), {
  child: new URL('crash-child.ts', import.meta.url),
  newPlace: await createPlaces(),
  open: (root) => createFsBlobStore({ root }),
  visibleRefs: async (root) => (await namesIn(layoutOf(root).blobs)).map((path) => basename(path)).filter(isBlobRef),
  unfinished: (root) => namesIn(layoutOf(root).incoming),
  // The folders that hold blobs stay.
  remains: async (root) => (await namesIn(root)).filter((path) => !/^(incoming|blobs(\/[0-9a-f]{2})?)$/.test(path)),
});

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder, { recursive: true }).catch(() => []);
}
