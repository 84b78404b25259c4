import { createHash } from 'node:crypto';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { BlobMetadata } from '@ravi/blob-kit';
import { guarded } from './errors.ts';
import { addressOf } from './storage.ts';
import { openMultipartUpload } from './multipart-upload.ts';
import type { MultipartUploadOptions } from './multipart-upload.ts';
import { digestOfPart } from './verified-range.ts';
import type { PartDigests } from './verified-range.ts';

/** Bytes to store as the content of a blob. */
export interface UploadRequest extends MultipartUploadOptions {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Called after each part. */
  readonly onProgress: () => Promise<void>;
}

/** Result of {@link uploadContent}. */
export interface UploadedContent extends Pick<BlobMetadata, 'bytes' | 'sha256'> {
  /** Absent for a content of one part. */
  readonly parts?: PartDigests;
}

/**
 * Uploads content in one request if it fits into a part, otherwise in parts, and hashes it meanwhile. Holds at most
 * `partsAtOnce + 1` parts in memory. Leaves no upload open after a failure.
 */
export async function uploadContent(request: UploadRequest): Promise<UploadedContent> {
  const { partBytes, onProgress } = request;
  const hash = createHash('sha256');
  const digests: string[] = [];
  let bytes = 0;
  await using upload = openMultipartUpload(request);
  for await (const part of partsOf(request.chunks, partBytes)) {
    const isOnlyOne = bytes === 0 && part.byteLength < partBytes;
    const uploading = isOnlyOne ? putWhole(request, part) : upload.add(part);
    hash.update(part);
    if (part.byteLength > 0 && !isOnlyOne) digests.push(digestOfPart(part));
    bytes += part.byteLength;
    await uploading;
    await onProgress();
  }
  if (bytes >= partBytes) await upload.complete();
  const parts = digests.length < 2 ? {} : { parts: { bytes: partBytes, sha256: digests } };
  return { bytes, sha256: hash.digest('hex'), ...parts };
}

async function putWhole({ storage, ref, signal }: UploadRequest, content: Uint8Array): Promise<void> {
  const put = new PutObjectCommand({ ...addressOf(storage, 'content', ref), ...storage.encryption, Body: content });
  const options = signal === undefined ? {} : { abortSignal: signal };
  await guarded('store content', () => storage.client.send(put, options), signal);
}

/**
 * Splits `chunks` into parts of exactly `partBytes`. The last part is shorter and may be empty, so another part follows
 * each full one. Parts are copies.
 */
export async function* partsOf(chunks: AsyncIterable<Uint8Array>, partBytes: number): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    let rest = chunk;
    while (bytes + rest.byteLength >= partBytes) {
      const missing = partBytes - bytes;
      yield Buffer.concat([...pieces, rest.subarray(0, missing)], partBytes);
      rest = rest.subarray(missing);
      pieces = [];
      bytes = 0;
    }
    if (rest.byteLength > 0) pieces.push(rest);
    bytes += rest.byteLength;
  }
  yield Buffer.concat(pieces, bytes);
}
