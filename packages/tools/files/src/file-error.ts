import { KernelError } from '@ravi/kernel';
import type { KernelErrorOptions } from '@ravi/kernel';
import { show } from '@ravi/tools-kit';

const unchanged: KernelErrorOptions = { hadNoEffect: true };

/** Returns the error of a file that is too large. `limit` is in bytes. */
export function tooLarge(path: string, bytes: number, limit: number, advice: string): KernelError {
  const message = `${show(path)} has ${bytes} bytes, more than the limit of ${limit}. ${advice}`;
  return new KernelError('E_FILE_TOO_LARGE', message, unchanged);
}

/** Returns the error of a file that is not text in UTF-8. */
export function notText(path: string): KernelError {
  const message = `${show(path)} is a binary file, or text in another encoding than UTF-8`;
  return new KernelError('E_FILE_BINARY', message, unchanged);
}

/** Returns the error of a path that is a folder. */
export function isFolder(path: string): KernelError {
  const message = `${show(path)} is a folder, and this tool takes a file`;
  return new KernelError('E_FILE_KIND', message, unchanged);
}

/** Returns the error of a file that must be read before it is changed. */
export function unread(path: string): KernelError {
  const message = `${show(path)} exists, and this run has not read it. Read it before you change it`;
  return new KernelError('E_FILE_UNREAD', message, unchanged);
}

/** Returns the error of a file that has changed since it was read. */
export function changed(path: string): KernelError {
  const message = `${show(path)} has changed since this run has read it. Read it again, and base the change on that`;
  return new KernelError('E_FILE_CHANGED', message, unchanged);
}

/** Returns the error of a file below `.git`. */
export function isProtected(path: string): KernelError {
  const message = `${show(path)} belongs to a Git folder, which the tools for files do not change. Use the tools for Git`;
  return new KernelError('E_FILE_PROTECTED', message, unchanged);
}
