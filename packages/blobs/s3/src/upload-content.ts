import { createHash } from 'node:crypto';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { BlobMetadata } from '@ravi/blob-kit';
import type { BlobRef } from '@ravi/kernel';
import { guarded } from './errors.ts';
import { addressOf } from './medium.ts';
import type { S3Medium } from './medium.ts';
import { openMultipartUpload } from './multipart-upload.ts';
import { partsOf } from './parts.ts';

/** Bytes to store as the content of `ref`. */
export interface UploadRequest {
  readonly medium: S3Medium;
  readonly ref: BlobRef;
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly partBytes: number;
  /** Most parts on their way at once. */
  readonly partsAtOnce: number;
  readonly signal: AbortSignal | undefined;
  /** Called before each part. */
  readonly onProgress: () => Promise<void>;
}

/**
 * Uploads content in one request when it fits into a part, else in parts, and hashes it meanwhile. It holds
 * `partsAtOnce + 1` parts in memory at most. After a failure no upload is left open.
 */
export async function uploadContent(request: UploadRequest): Promise<Pick<BlobMetadata, 'bytes' | 'sha256'>> {
  const { partBytes, onProgress } = request;
  const hash = createHash('sha256');
  let bytes = 0;
  await using upload = openMultipartUpload(request);
  for await (const part of partsOf(request.chunks, partBytes)) {
    const isOnlyOne = bytes === 0 && part.byteLength < partBytes;
    const uploading = isOnlyOne ? putWhole(request, part) : upload.add(part);
    hash.update(part);
    bytes += part.byteLength;
    await uploading;
    await onProgress();
  }
  if (bytes >= partBytes) await upload.complete();
  return { bytes, sha256: hash.digest('hex') };
}

async function putWhole({ medium, ref, signal }: UploadRequest, content: Uint8Array): Promise<void> {
  const put = new PutObjectCommand({ ...addressOf(medium, 'content', ref), ...medium.encryption, Body: content });
  const options = signal === undefined ? {} : { abortSignal: signal };
  await guarded('store content', () => medium.client.send(put, options), signal);
}
