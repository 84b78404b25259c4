import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseStored, requireMetadata } from '@ravi/blob-kit';
import type { BlobMetadata } from '@ravi/blob-kit';
import type { BlobRef } from '@ravi/kernel';
import { unlessMissing } from './errors.ts';

/**
 * Files of a store, relative to its root:
 *
 *     blobs/<2 digits>/<ref>/content, metadata.json, pins/<hash of owner>
 *     blobs/<2 digits>/<ref>.gone      removed for readers, its files not deleted yet
 *     incoming/<ref>/                  an unfinished write, or what a crash left of one
 *
 * A blob appears by one rename of its folder out of `incoming` and disappears by one rename to `.gone`, so neither
 * readers nor crashes ever leave or see half a blob.
 */
export interface Layout {
  readonly blobs: string;
  readonly incoming: string;
  /** Parent of the folder of `ref`. */
  shardOf(ref: BlobRef): string;
  /** Folder of a stored blob. Check `ref` with `isBlobRef` first: it becomes part of a path. */
  folderOf(ref: BlobRef): string;
  incomingOf(ref: BlobRef): string;
}

/** Returns the {@link Layout} below the absolute folder `root`. */
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

/** Suffix of the folder of a removed blob. */
export const goneSuffix = '.gone';

/** Returns the path of the bytes of the blob in `folder`. */
export function contentPath(folder: string): string {
  return join(folder, 'content');
}

/** Returns the path of the metadata of the blob in `folder`. */
export function metadataPath(folder: string): string {
  return join(folder, 'metadata.json');
}

/** Returns the path of the folder that holds one empty file for each owner that pins the blob in `folder`. */
export function pinsPath(folder: string): string {
  return join(folder, 'pins');
}

/**
 * Reads the metadata of `ref` from `folder`; `undefined` if the file is missing.
 * @throws KernelError `E_BLOB_CORRUPT` if the file was changed or damaged
 */
export async function readMetadata(folder: string, ref: BlobRef): Promise<BlobMetadata | undefined> {
  const text = await unlessMissing(readFile(metadataPath(folder), 'utf8'));
  return text === undefined ? undefined : requireMetadata(parseStored(text, ref), ref);
}
