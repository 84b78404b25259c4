import { RaviApiError } from '@ravi/client';
import { isKernelError } from '@ravi/kernel';

/** An error that the user can fix. */
export interface CommandError {
  readonly code: string;
  readonly message: string;
}

/** Returns code and message of an error that the user can fix; `undefined` for a bug. */
export function commandErrorOf(error: unknown): CommandError | undefined {
  if (isKernelError(error)) return error;
  if (!(error instanceof RaviApiError)) return undefined;
  const { code, message } = error;
  // Something else may listen at the address.
  if (code === 'E_RESPONSE_INVALID') return { code: 'E_SERVER_UNREACHABLE', message };
  return { code, message: code === 'E_SERVER_UNREACHABLE' ? `${message}; start one with "ravi serve"` : message };
}

/** Returns true if an error has this code. */
export function hasCode(error: unknown, code: string): boolean {
  return commandErrorOf(error)?.code === code;
}
