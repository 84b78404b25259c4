import { closeSync, constants, fstatSync, openSync, read, readSync } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { promisify } from 'node:util';
import { isKernelError, KernelError } from '@ravi/kernel';
import { fileError, show } from '@ravi/tools-kit';
import type { Place } from '@ravi/tools-kit';
import { isFolder, tooLarge } from '../file-error.ts';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** A file up to this size is read at once: four short calls take less time than one trip to another thread. */
const smallBytes = 65_536;
const chunkBytes = 4_194_304;
const readAsync = promisify(read);

/** Content of a regular file, with the facts that recognize this version of it. */
export interface FileContent {
  readonly bytes: Buffer;
  readonly stats: BigIntStats;
}

/** Options of {@link readContent}. */
export interface ReadContentOptions {
  /** Path as the caller wrote it, for messages. */
  readonly path: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Last sentence of the message about a file that is too large. */
  readonly advice?: string;
}

/**
 * Reads a regular file as a whole.
 * @throws KernelError `E_FILE_NOT_FOUND`, `E_FILE_KIND` for a folder, device, socket or pipe, `E_FILE_FORBIDDEN`, `E_FILE_TOO_LARGE`, and the
 * reason of an aborted signal
 */
export async function readContent(place: Place, options: ReadContentOptions): Promise<FileContent> {
  const { path, maxBytes, signal, advice = 'Work on a part of it with a script or a command' } = options;
  signal.throwIfAborted();
  let handle: number | undefined;
  try {
    // Without O_NONBLOCK a pipe would wait for another program.
    handle = openSync(place.at(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stats = fstatSync(handle, { bigint: true });
    if (stats.isDirectory()) throw isFolder(path);
    if (!stats.isFile()) throw new KernelError('E_FILE_KIND', `${show(path)} is not a regular file`);
    const size = Number(stats.size);
    if (size > maxBytes) throw tooLarge(path, size, maxBytes, advice);
    const bytes = size <= smallBytes ? readSmall(handle, size) : await readLarge(handle, size, signal);
    return { bytes, stats };
  } catch (error) {
    throw isKernelError(error) ? error : fileError(path, error);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** Reads a file as {@link readContent}; `undefined` if it does not exist. */
export async function readIfExists(place: Place, options: ReadContentOptions): Promise<FileContent | undefined> {
  try {
    return await readContent(place, options);
  } catch (error) {
    if (isKernelError(error, 'E_FILE_NOT_FOUND')) return undefined;
    throw error;
  }
}

function readSmall(handle: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let length = 0;
  while (length < size) {
    const count = readSync(handle, bytes, length, size - length, length);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}

async function readLarge(handle: number, size: number, signal: AbortSignal): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await readAsync(handle, bytes, length, Math.min(chunkBytes, size - length), length);
    signal.throwIfAborted();
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}
