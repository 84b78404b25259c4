import { Readable } from 'node:stream';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { blobCorrupt, streamOfChunks, verifiedChunks } from '@ravi/blob-kit';
import type { BlobMetadata, ClippedRange } from '@ravi/blob-kit';
import { guarded, isRefusal, unavailable, unlessMissing } from './errors.ts';
import { addressOf } from './storage.ts';
import type { S3Storage } from './storage.ts';

/**
 * Opens the bytes of `range` as they arrive; `undefined` if the content does not exist.
 * @throws KernelError `E_BLOB_CORRUPT` if its size differs from the stored one
 */
export async function openContent(
  storage: S3Storage,
  metadata: BlobMetadata,
  { start, end, isWhole }: ClippedRange,
): Promise<Readable | undefined> {
  if (start === end && !isWhole) return Readable.from([]);
  const get = new GetObjectCommand({
    ...addressOf(storage, 'content', metadata.ref),
    ...(isWhole ? {} : { Range: `bytes=${start}-${end - 1}` }),
  });
  const response = await guarded('read a blob', async () => {
    try {
      return await unlessMissing(storage.client.send(get));
    } catch (error) {
      if (isRefusal(error, 'InvalidRange')) throw blobCorrupt(metadata.ref, `it ends before byte ${start}`, error);
      throw error;
    }
  });
  if (response === undefined) return undefined;
  const body = response.Body;
  if (!(body instanceof Readable)) throw new TypeError('The SDK returned a body that is not a Node.js stream');
  const size = sizeOf(response);
  if (size === metadata.bytes) return body;
  body.destroy();
  throw blobCorrupt(metadata.ref, `it has ${size} bytes instead of ${metadata.bytes}`);
}

/** Reads and verifies all bytes. */
export async function readContent(body: Readable, metadata: BlobMetadata): Promise<Uint8Array> {
  const content = new Uint8Array(metadata.bytes);
  let bytes = 0;
  for await (const chunk of verifiedChunks(chunksOf(body), metadata)) {
    content.set(chunk, bytes);
    bytes += chunk.byteLength;
  }
  return content;
}

/** Returns the bytes as a stream, verified if they are the whole blob. */
export function streamContent(
  body: Readable,
  metadata: BlobMetadata,
  { isWhole }: ClippedRange,
): ReadableStream<Uint8Array> {
  const chunks = chunksOf(body);
  return streamOfChunks(isWhole ? verifiedChunks(chunks, metadata) : chunks, () => void body.destroy());
}

async function* chunksOf(body: Readable): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk as Uint8Array;
  } catch (error) {
    throw unavailable('read a blob', error);
  }
}

/** Returns the size of the whole object in bytes: for a range, the last number of `bytes 0-9/1000`. */
function sizeOf({ ContentRange, ContentLength }: GetObjectCommandOutput): number | undefined {
  return ContentRange === undefined ? ContentLength : Number(ContentRange.split('/')[1]);
}
