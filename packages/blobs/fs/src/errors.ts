import { getSystemErrorMap } from 'node:util';
import { KernelError } from '@ravi/kernel';

const retryable: ReadonlySet<string> = new Set(['EAGAIN', 'EBUSY', 'EDQUOT', 'EMFILE', 'ENFILE', 'ENOSPC', 'EINTR']);

/** Error of Node.js for a failed system call. */
export interface SystemError extends Error {
  readonly code: string;
  readonly errno: number;
}

/** Returns true if `error` comes from the operating system and, when `codes` are given, has one of them. */
export function isSystemError(error: unknown, ...codes: readonly string[]): error is SystemError {
  if (!(error instanceof Error) || !('errno' in error) || !('code' in error)) return false;
  return codes.length === 0 || codes.includes(String(error.code));
}

/**
 * Runs file operations and turns system errors into `E_BLOB_UNAVAILABLE` with the system's message. The path stays in
 * `cause`, because a model may see the message.
 */
export async function guarded<Value>(action: string, operation: () => Promise<Value>): Promise<Value> {
  try {
    return await operation();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const [, reason = 'unknown error'] = getSystemErrorMap().get(error.errno) ?? [];
    const message = `The blob store cannot ${action}: ${reason} (${error.code})`;
    throw new KernelError('E_BLOB_UNAVAILABLE', message, { cause: error, retryable: retryable.has(error.code) });
  }
}

/** Returns the result of `operation`, or `undefined` if the file or folder does not exist. */
export async function unlessMissing<Value>(operation: Promise<Value>): Promise<Value | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw error;
  }
}
