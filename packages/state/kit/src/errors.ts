import { KernelError } from '@ravi/kernel';

/** Something else is in the place already. */
export function conflict(message: string): KernelError {
  return new KernelError('E_STATE_CONFLICT', message);
}

/** A value cannot be kept as it is. */
export function invalid(message: string): KernelError {
  return new KernelError('E_STATE_INVALID', message);
}

/** A row cannot be read back. */
export function corrupt(table: string, key: string, problem: string, cause?: unknown): KernelError {
  return new KernelError('E_STATE_CORRUPT', `The row "${key}" of the table ${table} is damaged: ${problem}`, { cause });
}

/** The medium does not answer at present. */
export function unavailable(message: string, cause?: unknown): KernelError {
  return new KernelError('E_STATE_UNAVAILABLE', message, { cause, retryable: true });
}

/** The store was disposed. */
export function closed(): KernelError {
  return new KernelError('E_STATE_UNAVAILABLE', 'The state store is closed');
}
