import { readFile } from 'node:fs/promises';
import { blobCorrupt } from '@ravi/blob-kit';
import type { BlobRef, BlobStat } from '@ravi/kernel';
import { unlessMissing } from './errors.ts';
import { metadataPath } from './layout.ts';

/** What is fixed when a blob is stored; pins are files beside it. */
export type Metadata = Omit<BlobStat, 'pins'>;

/**
 * The metadata of `ref` in `folder`, `undefined` when there is none.
 * @throws KernelError `E_BLOB_CORRUPT` when the file is not what was written
 */
export async function readMetadata(folder: string, ref: BlobRef): Promise<Metadata | undefined> {
  const text = await unlessMissing(readFile(metadataPath(folder), 'utf8'));
  if (text === undefined) return undefined;
  const metadata = parse(text, ref);
  if (isMetadata(metadata) && metadata.ref === ref) return metadata;
  throw blobCorrupt(ref, 'its metadata is not that of a blob');
}

function parse(text: string, ref: BlobRef): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw blobCorrupt(ref, 'its metadata is not JSON', error);
  }
}

function isMetadata(value: unknown): value is Metadata {
  if (!isObject(value) || !isObject(value['scope'])) return false;
  const { ref, mediaType, bytes, sha256, createdAt, expiresAt = 0, scope } = value;
  const strings = [ref, mediaType, sha256, scope['principal'], scope['sessionId']];
  const numbers = [bytes, createdAt, expiresAt];
  return strings.every((entry) => typeof entry === 'string') && numbers.every((entry) => typeof entry === 'number');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
