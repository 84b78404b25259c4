import { KernelError, isKernelError } from '@ravi/kernel';
import { unavailable } from '@ravi/state-kit';

// Primary result codes, https://sqlite.org/rescode.html
const busy = 5;
const locked = 6;
const readOnly = 8;
const full = 13;
const corrupt = 11;
const notADatabase = 26;

/**
 * Converts an error of SQLite to an error of the port. Bugs are returned unchanged. Callers of a server receive its message,
 * so words of the database that may name tables are only in its cause.
 */
export function stateError(error: unknown): unknown {
  if (isKernelError(error)) return error;
  const code = resultCode(error);
  if (code === undefined) return systemError(error);
  const words = (error as Error).message;
  switch (code) {
    case busy:
    case locked:
      return unavailable('The state database is locked: another process has been writing for too long', error);
    case full:
      return unavailable('The disk of the state database is full: free some space and try again', error);
    case readOnly:
      return unavailable(`The state database cannot be written: ${words}`, error);
    case corrupt:
    case notADatabase:
      return new KernelError('E_STATE_CORRUPT', `The state database is damaged: ${words}. Restore it from a backup`, {
        cause: error,
      });
    default:
      return unavailable('The state database failed', error);
  }
}

/** Returns true if another connection is writing. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(isKernelError(error) ? error.cause : error);
  return code === busy || code === locked;
}

function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode & 0xff;
}

function systemError(error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  const { code } = error as NodeJS.ErrnoException;
  return unavailable(`The folder of the state database cannot be created: ${code}`, error);
}
