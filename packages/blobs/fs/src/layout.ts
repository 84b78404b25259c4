import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { blobCorrupt, parseStored, requireMetadata } from '@ravi/blob-kit';
import type { BlobMetadata } from '@ravi/blob-kit';
import type { BlobRef } from '@ravi/kernel';
import { isSystemError, unlessMissing } from './errors.ts';

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

// Without `O_NONBLOCK` a named pipe in place of a file would block until another process writes to it.
const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens the file `path` of the blob `ref`; `undefined` if it is missing. A link in its place, or in place of the folder of the
 * blob, is not followed.
 * @throws KernelError `E_BLOB_CORRUPT` if it is not a regular file in a folder
 */
export async function openRegular(path: string, ref: BlobRef): Promise<FileHandle | undefined> {
  const folder = dirname(path);
  for (const each of [dirname(folder), folder]) {
    const found = await unlessMissing(lstat(each));
    if (found === undefined) return undefined;
    if (!found.isDirectory()) throw blobCorrupt(ref, 'its folder is a link or a file');
  }
  const file = await unlessMissing(openFile(path, ref));
  if (file === undefined || (await file.stat()).isFile()) return file;
  await file.close();
  throw blobCorrupt(ref, 'it is not a regular file');
}

async function openFile(path: string, ref: BlobRef): Promise<FileHandle> {
  try {
    return await open(path, readFlags);
  } catch (error) {
    if (isSystemError(error, 'ELOOP', 'ENXIO')) throw blobCorrupt(ref, 'it is not a regular file', error);
    throw error;
  }
}

/**
 * Reads the metadata of `ref` from `folder`; `undefined` if the file is missing.
 * @throws KernelError `E_BLOB_CORRUPT` if the file was changed or damaged, or is a link
 */
export async function readMetadata(folder: string, ref: BlobRef): Promise<BlobMetadata | undefined> {
  const file = await openRegular(metadataPath(folder), ref);
  if (file === undefined) return undefined;
  try {
    return requireMetadata(parseStored(await file.readFile('utf8'), ref), ref);
  } finally {
    await file.close();
  }
}
