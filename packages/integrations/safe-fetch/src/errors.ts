import { KernelError } from '@ravi/kernel';

/** Returns the error of a request that is not made: `E_FETCH_REFUSED`. */
export function refused(reason: string): KernelError {
  return new KernelError('E_FETCH_REFUSED', `The request was refused: ${reason}`);
}

/** Returns the error of a response that is too large: `E_FETCH_TOO_LARGE`. */
export function tooLarge(maxBytes: number): KernelError {
  return new KernelError('E_FETCH_TOO_LARGE', `The response is larger than ${maxBytes} bytes`);
}

/** Returns the error of an exchange that takes too long: `E_FETCH_TIMEOUT`. */
export function tooLate(timeoutMs: number): KernelError {
  return new KernelError('E_FETCH_TIMEOUT', `The response was not complete after ${timeoutMs} ms`, { retryable: true });
}

/** Returns the first error of this package among an error and its causes. */
export function ownErrorIn(error: unknown): KernelError | undefined {
  let current = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth++) {
    if (current instanceof KernelError) return current;
    // Several addresses were tried, each with its own error.
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return undefined;
}
