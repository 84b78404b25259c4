import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { BlobMetadata } from '@ravi/blob-kit';
import { partsOf } from './content-parts.ts';
import type { ContentPart } from './content-parts.ts';
import { guarded } from './errors.ts';
import { addressOf, withBodyDigest } from './storage.ts';
import { openMultipartUpload } from './multipart-upload.ts';
import type { MultipartUploadOptions } from './multipart-upload.ts';
import type { PartMemory } from './part-memory.ts';
import type { PartDigests } from './verified-range.ts';

/** Bytes to store as the content of a blob. */
export interface UploadRequest extends MultipartUploadOptions {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Memory of parts, which uploads share. */
  readonly memory: PartMemory;
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
  const { partBytes, memory, onProgress } = request;
  const hash = createHash('sha256');
  const digests: string[] = [];
  let bytes = 0;
  await using upload = openMultipartUpload(request);
  const onPiece = (piece: Uint8Array): void => void hash.update(piece);
  for await (const part of partsOf(request.chunks, { partBytes, memory, onPiece })) {
    const { byteLength } = part.content;
    const isOnlyOne = bytes === 0 && byteLength < partBytes;
    if (byteLength > 0 && !isOnlyOne) digests.push(part.sha256);
    bytes += byteLength;
    await (isOnlyOne ? putWhole(request, part) : upload.add(part));
    await onProgress();
    // A source that has its content at hand would otherwise keep this thread for several parts.
    await setImmediate();
  }
  if (bytes >= partBytes) await upload.complete();
  const parts = digests.length < 2 ? {} : { parts: { bytes: partBytes, sha256: digests } };
  return { bytes, sha256: hash.digest('hex'), ...parts };
}

async function putWhole({ storage, ref, signal }: UploadRequest, { content, sha256 }: ContentPart): Promise<void> {
  const put = new PutObjectCommand({ ...addressOf(storage, 'content', ref), ...storage.encryption, Body: content });
  put.middlewareStack.add((next) => (request) => next(withBodyDigest(request, sha256)), { step: 'build' });
  const options = signal === undefined ? {} : { abortSignal: signal };
  await guarded('store content', () => storage.client.send(put, options), signal);
}
