import { KernelError } from '@ravi/kernel';

/** Creates `E_STATE_CONFLICT` for a key or position that is already taken. */
export function conflict(message: string): KernelError {
  return new KernelError('E_STATE_CONFLICT', message);
}

/** Creates `E_STATE_INVALID` for a value that cannot be stored. */
export function invalid(message: string): KernelError {
  return new KernelError('E_STATE_INVALID', message);
}

/** Creates `E_STATE_CORRUPT` for a row that cannot be decoded. */
export function corrupt(table: string, key: string, problem: string, cause?: unknown): KernelError {
  return new KernelError('E_STATE_CORRUPT', `Row "${key}" of table ${table} is damaged: ${problem}`, { cause });
}

/** Creates a retryable `E_STATE_UNAVAILABLE` for a database that does not respond. */
export function unavailable(message: string, cause?: unknown): KernelError {
  return new KernelError('E_STATE_UNAVAILABLE', message, { cause, retryable: true });
}

/** Creates `E_STATE_UNAVAILABLE` for a disposed store. */
export function closed(): KernelError {
  return new KernelError('E_STATE_UNAVAILABLE', 'The state store is closed');
}
