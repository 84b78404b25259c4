import { readdirSync } from 'node:fs';
import type { BigIntStats, Dirent } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { isKernelError } from '@ravi/kernel';
import { fileError } from '@ravi/tools-kit';
import type { Place, Workspace } from '@ravi/tools-kit';

/** Folder of the workspace with the data of a repository. */
export interface DataFolder {
  readonly workspace: Workspace;
  /** Path from the root of the workspace. */
  readonly path: string;
}

/** Returns a text that changes when a file is replaced or written. */
export function stateOf({ ino, size, mtimeNs }: BigIntStats): string {
  return `${ino}:${size}:${mtimeNs}`;
}

/** True for an error of the file system, or of a place, about an entry that does not exist. */
export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT' || isKernelError(error, 'E_FILE_NOT_FOUND');
}

/** Returns the place of an entry of the data, which may not exist. The last part of its path is not followed if it is a link. */
export function placeOf({ workspace, path }: DataFolder, entry: string, createFolders = false): Place {
  return workspace.locate(join(path, entry), { followLast: false, createFolders });
}

/**
 * Lists a folder of the data. `place` is that of any entry in it.
 * @throws KernelError `E_FILE_FORBIDDEN`
 */
export function listAt(place: Place, folder: string): Dirent[] {
  try {
    return readdirSync(place.at('.'), { withFileTypes: true });
  } catch (error) {
    throw fileError(shownPath(folder), error);
  }
}

/** Returns the path of an entry of the data for a message. */
export function shownPath(entry: string): string {
  return join('.git', entry);
}

/** True for a path at or below `root`. Both are absolute. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith('../') && !isAbsolute(way));
}
