import { closeSync, constants, fchmodSync, fchownSync, fsync, openSync, renameSync, unlinkSync, write } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { promisify } from 'node:util';
import { fileError } from '@ravi/tools-kit';
import type { Place } from '@ravi/tools-kit';
import { digestOf } from '../state/read-marks.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
const newFile = O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY;
const chunkBytes = 4_194_304;
const writeAsync = promisify(write);
const syncAsync = promisify(fsync);

/** New content of a file, complete and synced under another name in the folder of the file. */
export interface StagedFile {
  /** Puts the content in place of the file, at once and as a whole. */
  commit(): void;
  /** Removes the content. Does nothing after `commit`. */
  discard(): void;
}

/** Options of {@link stageFile}. */
export interface StageOptions {
  /** Path as the caller wrote it, for messages. */
  readonly path: string;
  /** Name that {@link stagedName} gives. */
  readonly name: string;
  /** The file that is replaced: its permissions and, where possible, its owner are kept. */
  readonly replaces?: Pick<BigIntStats, 'mode' | 'uid' | 'gid'> | undefined;
  readonly signal: AbortSignal;
}

/**
 * Returns the name of the staged file of a call: the same for each attempt of it, so that an attempt finds and replaces what one before it has
 * left, and `reconcile` sees whether the file has been put in place.
 */
export function stagedName(idempotencyKey: string, name: string): string {
  return `.ravi-${digestOf(`${idempotencyKey}\0${name}`)}.tmp`;
}

/**
 * Writes new content next to a file. After an error nothing is left.
 * @throws KernelError `E_FILE_FORBIDDEN`, `E_FILE_NO_SPACE`, `E_FILE_NOT_FOUND` (the folder was removed), and the reason of an aborted signal
 */
export async function stageFile(place: Place, bytes: Uint8Array, options: StageOptions): Promise<StagedFile> {
  const { path, name, replaces, signal } = options;
  signal.throwIfAborted();
  let isStaged = false;
  const discard = (): void => {
    if (isStaged) removeQuietly(place.at(name));
    isStaged = false;
  };
  let handle: number | undefined;
  try {
    handle = openNew(place.at(name));
    isStaged = true;
    if (replaces !== undefined) keepOwnerAndMode(handle, replaces);
    await writeAll(handle, bytes, signal);
    await syncAsync(handle);
    signal.throwIfAborted();
  } catch (error) {
    discard();
    throw fileError(path, error);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
  return {
    commit() {
      renameSync(place.at(name), place.at());
      isStaged = false;
    },
    discard,
  };
}

// A file of this name is left of an attempt whose process was killed; anything else of this name was put there to be written to.
function openNew(path: string): number {
  try {
    return openSync(path, newFile, 0o666);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    unlinkSync(path);
    return openSync(path, newFile, 0o666);
  }
}

function keepOwnerAndMode(handle: number, { mode, uid, gid }: Pick<BigIntStats, 'mode' | 'uid' | 'gid'>): void {
  try {
    fchownSync(handle, Number(uid), Number(gid));
  } catch {
    // Only a privileged process may give a file to another owner. The content matters more.
  }
  fchmodSync(handle, Number(mode & 0o777n));
}

async function writeAll(handle: number, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  for (let offset = 0; offset < bytes.length;) {
    const { bytesWritten } = await writeAsync(
      handle,
      bytes,
      offset,
      Math.min(chunkBytes, bytes.length - offset),
      offset,
    );
    signal.throwIfAborted();
    offset += bytesWritten;
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was removed by another program, or its folder was.
  }
}
