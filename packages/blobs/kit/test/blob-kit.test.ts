import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { isKernelError } from '@ravi/kernel';
import { test } from 'vitest';
import {
  abandonInput,
  blobNotFound,
  chunkBytes,
  clipRange,
  createBlobRef,
  describeBlob,
  expiryOf,
  isBlobRef,
  isExpired,
  parseStored,
  pinNameOf,
  readChunks,
  requireMetadata,
  streamOfChunks,
  verifiedChunks,
} from '../src/index.ts';
import type { BlobInput } from '../src/index.ts';

async function chunksOf(data: BlobInput): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readChunks(data)) chunks.push(chunk);
  return chunks;
}

test('isBlobRef accepts a new ref and nothing else', () => {
  const ref = createBlobRef();
  assert.ok(isBlobRef(ref));
  const wrong = [
    ref.toUpperCase(),
    `${ref}\n`,
    `${ref}0`,
    ref.slice(0, -1),
    ` ${ref}`,
    ref.replace('_', '/'),
    '',
    null,
    1,
  ];
  for (const value of wrong) assert.ok(!isBlobRef(value), String(value));
});

test('bytes arrive in chunks that later changes do not affect, for any length', async () => {
  for (const length of [0, 1, chunkBytes, chunkBytes + 1, 3 * chunkBytes]) {
    const bytes = Buffer.alloc(length, 1);
    const chunks = await chunksOf(bytes);
    bytes.fill(2);
    assert.ok(chunks.every((chunk) => chunk.byteLength <= chunkBytes && chunk.every((byte) => byte === 1)));
    assert.equal(Buffer.concat(chunks).byteLength, length);
  }
});

test('bytes up to one chunk are copied at the call', async () => {
  const bytes = new Uint8Array(chunkBytes).fill(1);
  const chunks = readChunks(bytes);
  bytes.fill(2);
  for await (const chunk of chunks) assert.ok(chunk.every((byte) => byte === 1));
});

test('leaving the loop early cancels the stream', async () => {
  let cancelled = false;
  const source = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1)),
    cancel: () => void (cancelled = true),
  });
  for await (const chunk of readChunks(source)) if (chunk.byteLength === 1) break;
  assert.ok(cancelled);
});

test('an unread input is cancelled, one that is being read is left to its reader', async () => {
  const reasons: unknown[] = [];
  const create = (): ReadableStream<Uint8Array> =>
    new ReadableStream({ cancel: (reason) => void reasons.push(reason) });
  abandonInput(create(), 'unread');
  const locked = create();
  locked.getReader();
  abandonInput(locked, 'locked');
  abandonInput('text', 'text');
  abandonInput(new Uint8Array(1), 'bytes');
  assert.deepEqual(reasons, ['unread']);
});

test('a range is clipped and knows whether it is whole', () => {
  assert.deepEqual(clipRange({}, 10), { start: 0, end: 10, isWhole: true });
  assert.deepEqual(clipRange({ length: 99 }, 10), { start: 0, end: 10, isWhole: true });
  assert.deepEqual(clipRange({ offset: 4, length: 3 }, 10), { start: 4, end: 7, isWhole: false });
  assert.deepEqual(clipRange({ offset: 11 }, 10), { start: 10, end: 10, isWhole: false });
  assert.deepEqual(clipRange({}, 0), { start: 0, end: 0, isWhole: true });
});

test('a blob expires at its time, not before', () => {
  const expiresAt = expiryOf(5, 100);
  assert.equal(expiresAt, 105);
  assert.ok(!isExpired({ expiresAt: 105 }, 104));
  assert.ok(isExpired({ expiresAt: 105 }, 105));
  assert.equal(expiryOf(undefined, 100), undefined);
  assert.ok(!isExpired({}, Number.MAX_SAFE_INTEGER));
});

test('an error quotes a ref short and on one line', () => {
  const error = blobNotFound(`\u001B[2J\n${'x'.repeat(10_000)}`);
  assert.ok(isKernelError(error, 'E_BLOB_NOT_FOUND'));
  assert.match(error.message, /^No blob "\\u001b\[2J\\nx+…": /);
  assert.ok(error.message.length < 200);
});

const isCorrupt = (error: unknown): boolean => isKernelError(error, 'E_BLOB_CORRUPT');
const content = Buffer.from('content');
const sha256 = createHash('sha256').update(content).digest('hex');

test('metadata survives JSON, and anything else is rejected', () => {
  const ref = createBlobRef();
  const scope = { principal: 'user:ada', sessionId: 'session-1' };
  const description = describeBlob(ref, { mediaType: 'text/plain', scope, ttlMs: 5 }, 100);
  assert.deepEqual(description, { ref, mediaType: 'text/plain', scope, createdAt: 100, expiresAt: 105 });
  assert.ok(!('expiresAt' in describeBlob(ref, { mediaType: 'text/plain', scope }, 100)));
  const metadata = { ...description, bytes: 7, sha256 };
  assert.deepEqual(requireMetadata(parseStored(JSON.stringify(metadata), ref), ref), metadata);
  assert.throws(() => parseStored('{', ref), isCorrupt);
  for (const wrong of [null, [], {}, { ...metadata, scope: null }, { ...metadata, bytes: '7' }]) {
    assert.throws(() => requireMetadata(wrong, ref), isCorrupt);
  }
  assert.throws(() => requireMetadata(metadata, createBlobRef()), isCorrupt);
});

test('the name of a pin is the same for the same owner and safe in a path', () => {
  assert.equal(pinNameOf('../run-1'), pinNameOf('../run-1'));
  assert.notEqual(pinNameOf('run-1'), pinNameOf('run-2'));
  assert.match(pinNameOf('../run-1'), /^owner-[0-9a-f]+$/);
  assert.match(pinNameOf('run-\u2028'), /^[0-9a-f]{64}$/);
});

test('changed chunks fail at their end, after all of them', async () => {
  const ref = createBlobRef();
  const read = async (expected: string): Promise<string> => {
    const chunks = verifiedChunks(ReadableStream.from([content.subarray(0, 3), content.subarray(3)]), {
      ref,
      sha256: expected,
    });
    let text = '';
    for await (const chunk of chunks) text += Buffer.from(chunk).toString();
    return text;
  };
  assert.equal(await read(sha256), 'content');
  await assert.rejects(read(sha256.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))), isCorrupt);
});

test('a stream of chunks reads them one at a time and closes their source when its reader cancels', async () => {
  let taken = 0;
  let isClosed = false;
  const source = async function* (): AsyncGenerator<Uint8Array> {
    for (;;) {
      taken += 1;
      yield content;
    }
  };
  const reader = streamOfChunks(source(), () => void (isClosed = true)).getReader();
  await reader.read();
  await reader.cancel();
  assert.ok(isClosed);
  assert.ok(taken <= 3, `${taken} chunks were taken`);
});
