import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createFsBlobStore } from '@ravi/blob-fs';
import type { BlobRef, BlobStore } from '@ravi/kernel';
import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import { drain, heapRow, megabyte, pieces, readBack, storeOptions, timed } from './blob-streams.ts';
import type { BenchGroup, BenchRow } from './row.ts';
import { rowsOf } from './rows-of.ts';
import type { Measurement } from './rows-of.ts';

/**
 * Measures 200 MB through `blob-fs`, which hashes, flushes to disk, renames and verifies what it reads, compared with
 * flydrive, which does none of the four, and with sha256 alone as the floor.
 */
export const benchBlobs: BenchGroup = async ({ rounds }) => {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-bench-blobs-'));
  try {
    const store = createFsBlobStore({ root: join(folder, 'ours') });
    const disk = new Disk(new FSDriver({ location: join(folder, 'peer'), visibility: 'private' }));
    const rows: BenchRow[] = [await heapRow('blobs', store, '≤ 8 MB')];
    for (const measurement of [...writing(store, disk), ...(await reading(store, disk))]) {
      const common = { group: 'blobs', unit: 'ms', floor: timed('sha256', hashOnly) };
      rows.push(...(await rowsOf({ ...common, ...measurement }, rounds)));
    }
    return rows;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

type BlobMeasurement = Omit<Measurement, 'group' | 'unit' | 'floor'>;

function writing(store: BlobStore, disk: Disk): BlobMeasurement[] {
  const storeIn = (pieceBytes: number) => () => store.store(ReadableStream.from(pieces(pieceBytes)), storeOptions);
  const putIn = (pieceBytes: number) => async (): Promise<string> => {
    await disk.putStream('written', Readable.from(pieces(pieceBytes), { objectMode: false }));
    return 'written';
  };
  const remove = (ref: BlobRef): Promise<void> => store.delete(ref);
  const removePeer = (key: string): Promise<void> => disk.delete(key);
  const small = 64 * 1024;
  return [
    {
      name: 'store a 200 MB stream of 64 KB pieces and read it back',
      goal: '≤ 0.5×',
      ours: timed('ours', async () => readBack(store, await storeIn(small)()), remove),
      peers: [timed('flydrive', async () => readBackPeer(disk, await putIn(small)()), removePeer)],
    },
    {
      name: 'store a 200 MB stream of 1 MB pieces',
      goal: '≤ 1.3× floor',
      ours: timed('ours', storeIn(megabyte), remove),
      peers: [timed('flydrive putStream', putIn(megabyte), removePeer)],
    },
  ];
}

async function reading(store: BlobStore, disk: Disk): Promise<BlobMeasurement[]> {
  const ref = await store.store(ReadableStream.from(pieces(megabyte)), storeOptions);
  await disk.putStream('read', Readable.from(pieces(megabyte), { objectMode: false }));
  return [
    {
      name: 'read a 200 MB stream to its end',
      goal: '≤ 1.3× floor',
      ours: timed('ours', () => readBack(store, ref)),
      peers: [timed('flydrive getStream', () => readBackPeer(disk, 'read'))],
    },
    {
      name: 'read 200 MB at once',
      goal: '≤ 1.3× floor',
      ours: timed('ours', () => store.resolve(ref)),
      peers: [timed('flydrive getBytes', () => disk.getBytes('read'))],
    },
  ];
}

async function readBackPeer(disk: Disk, key: string): Promise<string> {
  await drain(await disk.getStream(key));
  return key;
}

async function hashOnly(): Promise<void> {
  const hash = createHash('sha256');
  for await (const piece of pieces(megabyte)) hash.update(piece);
  hash.digest();
}
