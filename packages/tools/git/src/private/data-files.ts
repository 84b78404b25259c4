import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  futimesSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { isKernelError } from '@ravi/kernel';
import { fileError } from '@ravi/tools-kit';
import { isMissing, placeOf, shownPath, stateOf } from './data-folder.ts';
import type { DataFolder } from './data-folder.ts';
import type { DataChange } from './find-changes.ts';
import { readEntry } from './read-entry.ts';
import type { ReadEntry } from './read-entry.ts';
import { untrusted } from '../run/git-error.ts';

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;
/** Folders that stay when they are empty. */
const lastingFolder = /^(?:\.|info|(?:worktrees\/[^/]+\/)?(?:refs|logs|logs\/refs)|refs\/(?:heads|tags))$/;

/** Returns the state of a file of the data; `undefined` if there is none. */
export function currentState(data: DataFolder, path: string): string | undefined {
  try {
    using place = placeOf(data, path);
    const stats = lstatSync(place.at(), { bigint: true });
    return stats.isDirectory() ? undefined : stateOf(stats);
  } catch (error) {
    // A branch `a` is a file where `a/b` needs a folder.
    if (isMissing(error) || isKernelError(error, 'E_FILE_KIND')) return undefined;
    throw fileError(shownPath(path), error);
  }
}

/** Content of a file and its time and mode, as `readEntry` returns them. */
export type NewFile = Pick<ReadEntry, 'content' | 'modifiedAt' | 'mode'>;

/** Creates the lock of a file, with its new content, and returns the state of that; `undefined` if there is a lock. */
export function createLock(data: DataFolder, path: string, file?: NewFile): string | undefined {
  let handle: number | undefined;
  try {
    using place = placeOf(data, path, file !== undefined);
    const mode = file === undefined ? 0o600 : file.mode & 0o777;
    handle = openSync(place.at(`${place.name}.lock`), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
    if (file !== undefined) fill(handle, file);
    return stateOf(fstatSync(handle, { bigint: true }));
  } catch (error) {
    if (handle !== undefined) removeFile(data, `${path}.lock`);
    else if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw fileError(shownPath(path), error);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

function fill(handle: number, { content, modifiedAt }: NewFile): void {
  writeFileSync(handle, content);
  fsyncSync(handle);
  // git compares the time of the index with those of files. An earlier time only makes it look at a file again.
  futimesSync(handle, modifiedAt / 1000, modifiedAt / 1000);
}

/** Reads a file of the data; `undefined` if there is none. @throws KernelError as `readEntry` */
export function readFile(data: DataFolder, path: string): ReadEntry | undefined {
  using place = placeOf(data, path);
  return readEntry(place.at(), path);
}

/** Renames the lock of a file to the file. An empty folder of that name is removed. */
export function moveLock(data: DataFolder, path: string): void {
  try {
    using place = placeOf(data, path);
    const lock = place.at(`${place.name}.lock`);
    try {
      renameSync(lock, place.at());
    } catch (error) {
      if (!['EISDIR', 'EEXIST', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      rmdirSync(place.at());
      renameSync(lock, place.at());
    }
  } catch (error) {
    throw fileError(shownPath(path), error);
  }
}

/** Adds the new part of a log, and returns the state of the file. */
export function addToFile(data: DataFolder, { path, source, bytes }: DataChange): string {
  let handle: number | undefined;
  try {
    using place = placeOf(data, path, true);
    // Without O_NONBLOCK a pipe in place of the log would block this process.
    handle = openSync(place.at(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o666);
    if (!fstatSync(handle).isFile()) throw untrusted(`"${path}" of its data is not a file`);
    writeFileSync(handle, readFileSync(source).subarray(bytes));
    return stateOf(fstatSync(handle, { bigint: true }));
  } catch (error) {
    throw fileError(shownPath(path), error);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** Removes a file of the data that may be gone, and the folders above it that are empty then. */
export function removeFile(data: DataFolder, path: string): void {
  try {
    using place = placeOf(data, path);
    unlinkSync(place.at());
  } catch (error) {
    if (!isMissing(error)) throw fileError(shownPath(path), error);
  }
  for (let folder = dirname(path); !lastingFolder.test(folder); folder = dirname(folder)) {
    try {
      using place = placeOf(data, folder);
      rmdirSync(place.at());
    } catch {
      // It has other files, or has been removed.
      return;
    }
  }
}
