import { getSystemErrorMessage } from 'node:util';
import { KernelError } from '@ravi/kernel';

const retryable: ReadonlySet<string> = new Set(['EAGAIN', 'EBUSY', 'EDQUOT', 'EMFILE', 'ENFILE', 'ENOSPC', 'EINTR']);

/** An error of Node.js about a call of the operating system. */
export interface SystemError extends Error {
  readonly code: string;
  readonly errno: number;
}

/** Whether `error` comes from the operating system, with one of `codes` when some are given. */
export function isSystemError(error: unknown, ...codes: readonly string[]): error is SystemError {
  if (!(error instanceof Error) || !('errno' in error) || !('code' in error)) return false;
  return codes.length === 0 || codes.includes(String(error.code));
}

/**
 * Runs file operations; an error of the system becomes `E_BLOB_UNAVAILABLE` with the system's words. The path stays in
 * `cause`, because the message may travel to a model.
 */
export async function guarded<Value>(action: string, operation: () => Promise<Value>): Promise<Value> {
  try {
    return await operation();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const message = `The blob store cannot ${action}: ${getSystemErrorMessage(error.errno)} (${error.code})`;
    throw new KernelError('E_BLOB_UNAVAILABLE', message, { cause: error, retryable: retryable.has(error.code) });
  }
}

/** What `operation` gives, or `undefined` when the file or folder is not there. */
export async function unlessMissing<Value>(operation: Promise<Value>): Promise<Value | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw error;
  }
}
