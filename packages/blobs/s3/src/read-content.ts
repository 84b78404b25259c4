import { Readable } from 'node:stream';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { blobCorrupt, streamOfChunks, verifiedChunks } from '@ravi/blob-kit';
import type { BlobMetadata, ClippedRange } from '@ravi/blob-kit';
import { guarded, isRefusal, unavailable, unlessMissing } from './errors.ts';
import { addressOf } from './storage.ts';
import type { S3Storage } from './storage.ts';
import { partsAround, verifiedRange } from './verified-range.ts';
import type { PartDigests } from './verified-range.ts';

/** Stored content, as its record describes it. */
export interface StoredContent {
  readonly metadata: BlobMetadata;
  readonly parts?: PartDigests;
}

/**
 * Opens the bytes of `range` as a verified stream; `undefined` if the content does not exist. A range reads the parts that it
 * touches, because checksums are those of parts.
 * @throws KernelError `E_BLOB_CORRUPT` if its size differs from the stored one
 */
export async function openContent(
  storage: S3Storage,
  { metadata, parts }: StoredContent,
  range: ClippedRange,
): Promise<ReadableStream<Uint8Array> | undefined> {
  const { ref } = metadata;
  const around = partsAround(range, metadata, parts);
  const body = await openBody(storage, metadata, range.isWhole ? range : { ...around, isWhole: false });
  if (body === undefined) return undefined;
  const chunks = chunksOf(body);
  const verified = range.isWhole ? verifiedChunks(chunks, metadata) : verifiedRange(chunks, range, { ref, ...around });
  return streamOfChunks(verified, () => void body.destroy());
}

/** Reads and verifies all bytes; `undefined` if the content does not exist. */
export async function readContent(storage: S3Storage, metadata: BlobMetadata): Promise<Uint8Array | undefined> {
  const body = await openBody(storage, metadata, { start: 0, end: metadata.bytes, isWhole: true });
  if (body === undefined) return undefined;
  const content = new Uint8Array(metadata.bytes);
  let bytes = 0;
  for await (const chunk of verifiedChunks(chunksOf(body), metadata)) {
    content.set(chunk, bytes);
    bytes += chunk.byteLength;
  }
  return content;
}

async function openBody(
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
