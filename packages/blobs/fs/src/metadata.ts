import { readFile } from 'node:fs/promises';
import { parseStored, requireMetadata } from '@ravi/blob-kit';
import type { BlobMetadata } from '@ravi/blob-kit';
import type { BlobRef } from '@ravi/kernel';
import { unlessMissing } from './errors.ts';
import { metadataPath } from './layout.ts';

/**
 * The metadata of `ref` in `folder`, `undefined` when there is none.
 * @throws KernelError `E_BLOB_CORRUPT` when the file is not what was written
 */
export async function readMetadata(folder: string, ref: BlobRef): Promise<BlobMetadata | undefined> {
  const text = await unlessMissing(readFile(metadataPath(folder), 'utf8'));
  return text === undefined ? undefined : requireMetadata(parseStored(text, ref), ref);
}
