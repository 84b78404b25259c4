import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { fileError } from '@ravi/tools-kit';
import { isMissing, shownPath, stateOf } from './data-folder.ts';
import { untrusted } from '../run/git-error.ts';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
/** Bytes of the data of a repository, without its objects. */
export const maxDataBytes: number = 256 * 1024 * 1024;

/** File of the data that was read at once. */
export interface ReadEntry {
  readonly content: Buffer;
  readonly state: string;
  /** Milliseconds since the Unix epoch, rounded down. */
  readonly modifiedAt: number;
  readonly mode: number;
}

/**
 * Reads the file `file`, which is `path` in the data; `undefined` for one that has just been removed, such as a lock.
 * @throws KernelError `E_GIT_UNTRUSTED` for a link, a device, a pipe, or more than `maxBytes`; `E_FILE_FORBIDDEN`
 */
export function readEntry(file: string, path: string, maxBytes: number = maxDataBytes): ReadEntry | undefined {
  let handle: number;
  try {
    handle = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw fileError(shownPath(path), error);
  }
  try {
    const stats = fstatSync(handle, { bigint: true });
    if (!stats.isFile()) throw untrusted(`"${path}" of its data is not a file`);
    if (stats.size > maxBytes)
      throw untrusted(`it has more than ${maxDataBytes} bytes of data in addition to its objects`);
    const content = Buffer.alloc(Number(stats.size));
    let bytes = 0;
    for (let read = -1; read !== 0 && bytes < content.byteLength; bytes += read)
      read = readSync(handle, content, bytes, content.byteLength - bytes, bytes);
    const modifiedAt = Number(stats.mtimeNs / 1_000_000n);
    return { content: content.subarray(0, bytes), state: stateOf(stats), modifiedAt, mode: Number(stats.mode) };
  } finally {
    closeSync(handle);
  }
}
