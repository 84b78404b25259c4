import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { S3Client } from '@aws-sdk/client-s3';
import { createBlobRef } from '@ravi/blob-kit';
import { isKernelError } from '@ravi/kernel';
import { test } from 'vitest';
import { encryptionParameters } from '../src/storage.ts';
import { openMultipartUpload } from '../src/multipart-upload.ts';
import { partsOf } from '../src/content-parts.ts';
import { createPartMemory } from '../src/part-memory.ts';
import type { ContentPart } from '../src/content-parts.ts';

async function cut(chunks: readonly string[], partBytes: number): Promise<string[]> {
  const parts: string[] = [];
  const bytes = chunks.map((chunk) => Buffer.from(chunk));
  let pieces = '';
  const onPiece = (piece: Uint8Array): void => void (pieces += Buffer.from(piece).toString());
  const options = { partBytes, memory: createPartMemory(partBytes), onPiece };
  for await (const { content, sha256, release } of partsOf(ReadableStream.from(bytes), options)) {
    parts.push(Buffer.from(content).toString());
    assert.equal(sha256, createHash('sha256').update(content).digest('hex'));
    release();
  }
  assert.equal(pieces, chunks.join(''));
  return parts;
}

test('content is split into full parts and a shorter last one, regardless of its chunks', async () => {
  assert.deepEqual(await cut([], 3), ['']);
  assert.deepEqual(await cut(['ab'], 3), ['ab']);
  assert.deepEqual(await cut(['abc'], 3), ['abc', '']);
  assert.deepEqual(await cut(['a', '', 'bcdefgh', 'i', 'j'], 3), ['abc', 'def', 'ghi', 'j']);
  const long = 'abcdefghijklmnopqrstuvwxyz'.repeat(20_000);
  assert.deepEqual(await cut([long.slice(0, 70_000), long.slice(70_000)], 300_000), [
    long.slice(0, 300_000),
    long.slice(300_000),
  ]);
});

test('a part that is not released keeps its content, and the memory of one that is released is used again', async () => {
  const chunks = ReadableStream.from(['abc', 'def', 'ghi', 'jk'].map((text) => Buffer.from(text)));
  const memory = createPartMemory(3);
  const parts = partsOf(chunks, { partBytes: 3, memory });
  const next = async (): Promise<ContentPart> => {
    const { value } = await parts.next();
    assert.ok(value !== undefined);
    return value;
  };
  const first = await next();
  const second = await next();
  first.release();
  const third = await next();
  const fourth = await next();
  assert.deepEqual(
    [second, third, fourth].map(({ content }) => Buffer.from(content).toString()),
    ['def', 'ghi', 'jk'],
  );
  assert.equal(first.content.buffer, third.content.buffer);
  // Uploads of one store use it one after the other.
  second.release();
  const other = partsOf(ReadableStream.from([Buffer.from('xyz')]), { partBytes: 3, memory });
  const { value } = await other.next();
  assert.equal(value?.content.buffer, second.content.buffer);
});

test('a blob with more parts than an object may have is too large, and its upload is aborted', async () => {
  const sent: string[] = [];
  const client = {
    send: async (command: object) => {
      sent.push(command.constructor.name);
      return { UploadId: 'upload', ETag: 'tag' };
    },
  } as unknown as S3Client;
  const storage = { client, bucket: 'bucket', prefix: '', encryption: {} };
  const adding = async (): Promise<void> => {
    await using upload = openMultipartUpload({
      storage,
      ref: createBlobRef(),
      partBytes: 1,
      partsAtOnce: 4,
      signal: undefined,
    });
    const part = { content: Uint8Array.of(0), sha256: '', release: () => {} };
    for (let count = 0; count <= 10_000; count += 1) await upload.add(part);
  };
  await assert.rejects(
    adding(),
    (error) => isKernelError(error, 'E_BLOB_TOO_LARGE') && error.message.includes('10000 parts of 1 bytes'),
  );
  assert.equal(sent.filter((name) => name === 'UploadPartCommand').length, 10_000);
  assert.equal(sent.at(-1), 'AbortMultipartUploadCommand');
});

test('encryption becomes parameters of the SDK', () => {
  assert.deepEqual(encryptionParameters(undefined), {});
  assert.deepEqual(encryptionParameters({ algorithm: 'AES256' }), { ServerSideEncryption: 'AES256' });
  assert.deepEqual(encryptionParameters({ algorithm: 'aws:kms' }), { ServerSideEncryption: 'aws:kms' });
  assert.deepEqual(encryptionParameters({ algorithm: 'aws:kms', keyId: 'key' }), {
    ServerSideEncryption: 'aws:kms',
    SSEKMSKeyId: 'key',
  });
});
