import assert from 'node:assert/strict';
import type { S3Client } from '@aws-sdk/client-s3';
import { createBlobRef } from '@ravi/blob-kit';
import { isKernelError } from '@ravi/kernel';
import { test } from 'vitest';
import { encryptionParameters } from '../src/storage.ts';
import { openMultipartUpload } from '../src/multipart-upload.ts';
import { partsOf } from '../src/upload-content.ts';

async function cut(chunks: readonly string[], partBytes: number): Promise<string[]> {
  const parts: string[] = [];
  const bytes = chunks.map((chunk) => Buffer.from(chunk));
  for await (const part of partsOf(ReadableStream.from(bytes), partBytes)) parts.push(Buffer.from(part).toString());
  return parts;
}

test('content is split into full parts and a shorter last one, regardless of its chunks', async () => {
  assert.deepEqual(await cut([], 3), ['']);
  assert.deepEqual(await cut(['ab'], 3), ['ab']);
  assert.deepEqual(await cut(['abc'], 3), ['abc', '']);
  assert.deepEqual(await cut(['a', '', 'bcdefgh', 'i', 'j'], 3), ['abc', 'def', 'ghi', 'j']);
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
    for (let part = 0; part <= 10_000; part += 1) await upload.add(Uint8Array.of(0));
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
