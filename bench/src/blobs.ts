import { createHash, randomFillSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createFsBlobStore } from '@ravi/blob-fs';
import type { BlobRef, BlobStore } from '@ravi/kernel';
import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import type { BenchGroup } from './group.ts';
import type { Contender } from './interleave.ts';
import type { BenchRow } from './row.ts';
import { rowsOf } from './rows-of.ts';
import type { Measurement } from './rows-of.ts';

const megabyte = 1024 * 1024;
const blobBytes = 200 * megabyte;
const storeOptions = { mediaType: 'application/octet-stream', scope: { principal: 'bench', sessionId: 'bench' } };

/**
 * 200 MB through `blob-fs`, which hashes, flushes to the medium, moves in with a rename and verifies what it reads;
 * beside flydrive, which does none of the four, and above sha256 alone.
 */
export const benchBlobs: BenchGroup = async ({ rounds }) => {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-bench-blobs-'));
  try {
    const store = createFsBlobStore({ root: join(folder, 'ours') });
    const disk = new Disk(new FSDriver({ location: join(folder, 'peer'), visibility: 'private' }));
    const rows: BenchRow[] = [await heapRow(store)];
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

/** Times `run`; what it gave goes to `clean`, which is not timed. */
function timed<Value>(name: string, run: () => Promise<Value>, clean?: (value: Value) => Promise<void>): Contender {
  return {
    name,
    async measure() {
      const start = performance.now();
      const value = await run();
      const durationMs = performance.now() - start;
      await clean?.(value);
      return durationMs;
    },
  };
}

/** How far the heap grows while 200 MB go in and come out again, over what it was before. */
async function heapRow(store: BlobStore): Promise<BenchRow> {
  const before = process.memoryUsage().heapUsed;
  let peak = before;
  const look = (): void => void (peak = Math.max(peak, process.memoryUsage().heapUsed));
  const ref = await store.store(ReadableStream.from(pieces(64 * 1024, look)), storeOptions);
  await drain(await store.open(ref), look);
  await store.delete(ref);
  const ours = (peak - before) / megabyte;
  return { group: 'blobs', name: 'heap growth, 200 MB in and out', ours, unit: 'MB', goal: '≤ 8 MB' };
}

const noise = randomFillSync(new Uint8Array(megabyte));

async function* pieces(pieceBytes: number, look?: () => void): AsyncGenerator<Uint8Array> {
  const piece = noise.subarray(0, pieceBytes);
  for (let sent = 0; sent < blobBytes; sent += pieceBytes) {
    look?.();
    yield piece;
  }
}

async function readBack(store: BlobStore, ref: BlobRef): Promise<BlobRef> {
  await drain(await store.open(ref));
  return ref;
}

async function readBackPeer(disk: Disk, key: string): Promise<string> {
  await drain(await disk.getStream(key));
  return key;
}

async function drain(stream: AsyncIterable<Uint8Array>, look?: () => void): Promise<void> {
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.byteLength;
    look?.();
  }
  if (bytes !== blobBytes) throw new Error(`The stream gave ${bytes} bytes instead of ${blobBytes}`);
}

async function hashOnly(): Promise<void> {
  const hash = createHash('sha256');
  for await (const piece of pieces(megabyte)) hash.update(piece);
  hash.digest();
}
