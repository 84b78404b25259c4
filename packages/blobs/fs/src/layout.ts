import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseStored, requireMetadata } from '@ravi/blob-kit';
import type { BlobMetadata } from '@ravi/blob-kit';
import type { BlobRef } from '@ravi/kernel';
import { unlessMissing } from './errors.ts';

/**
 * Where things lie under a root:
 *
 *     blobs/<2 digits>/<ref>/content, metadata.json, pins/<hash of owner>
 *     blobs/<2 digits>/<ref>.gone      removed for readers, its files not yet
 *     incoming/<ref>/                  a write under way, or what a crash left of one
 *
 * A blob appears by one rename of its folder out of `incoming` and disappears by one rename to `.gone`, so no reader
 * and no crash ever meets half of one.
 */
export interface Layout {
  readonly blobs: string;
  readonly incoming: string;
  /** The folder that the folder of `ref` lies in. */
  shardOf(ref: BlobRef): string;
  /** `ref` must have passed `isBlobRef`: it becomes part of a path. */
  folderOf(ref: BlobRef): string;
  incomingOf(ref: BlobRef): string;
}

/** The {@link Layout} under the absolute folder `root`. */
export function layoutOf(root: string): Layout {
  const blobs = join(root, 'blobs');
  const incoming = join(root, 'incoming');
  const shardOf = (ref: BlobRef): string => join(blobs, ref.slice(5, 7));
  return {
    blobs,
    incoming,
    shardOf,
    folderOf: (ref) => join(shardOf(ref), ref),
    incomingOf: (ref) => join(incoming, ref),
  };
}

/** Ends the name of a blob's folder once it is removed. */
export const goneSuffix = '.gone';

/** The bytes of the blob in `folder`. */
export function contentPath(folder: string): string {
  return join(folder, 'content');
}

/** What is known of the blob in `folder`. */
export function metadataPath(folder: string): string {
  return join(folder, 'metadata.json');
}

/** The folder with one empty file per owner that pins the blob in `folder`. */
export function pinsPath(folder: string): string {
  return join(folder, 'pins');
}

/**
 * The metadata of `ref` in `folder`, `undefined` when there is none.
 * @throws KernelError `E_BLOB_CORRUPT` when the file is not what was written
 */
export async function readMetadata(folder: string, ref: BlobRef): Promise<BlobMetadata | undefined> {
  const text = await unlessMissing(readFile(metadataPath(folder), 'utf8'));
  return text === undefined ? undefined : requireMetadata(parseStored(text, ref), ref);
}
