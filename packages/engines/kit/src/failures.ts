import { KernelError } from '@ravi/kernel';

/** Default of the attempts after which a wake is dead. With {@link retryDelayMs} they take about an hour. */
export const defaultMaxAttempts = 20;

const firstDelayMs = 1_000;
const maxDelayMs = 300_000;
const maxFailureLength = 2_000;

/** Creates the error of an engine that cannot be used now. */
export function engineUnavailable(message: string, cause?: unknown): KernelError {
  return new KernelError('E_ENGINE_UNAVAILABLE', message, { cause, retryable: true });
}

/** Creates the error of an engine that was disposed. */
export function engineDisposed(name: string): KernelError {
  return new KernelError('E_ENGINE_UNAVAILABLE', `The engine ${name} was disposed`);
}

/** Creates the error of an engine that cannot join the transaction of a state store. */
export function transactionUnsupported(name: string, database: string): KernelError {
  return new KernelError(
    'E_UNSUPPORTED',
    `The engine ${name} cannot be part of a transaction in ${JSON.stringify(database)}`,
  );
}

/**
 * Returns the milliseconds until the next attempt: half of a bound that doubles with each attempt, from 1 s to 5 min, and a random part of the
 * other half, so that runs which failed together do not return together.
 * @param attempts attempts that have failed so far, from 1
 */
export function retryDelayMs(attempts: number, random: () => number = Math.random): number {
  const bound = Math.min(maxDelayMs, firstDelayMs * 2 ** (attempts - 1));
  return Math.ceil(bound / 2 + (random() * bound) / 2);
}

/** Returns the message of a failed attempt, short enough to be stored. */
export function failureText(error: unknown): string {
  const text = error instanceof Error ? error.message : textOf(error);
  return text.length <= maxFailureLength ? text : `${text.slice(0, maxFailureLength - 1).toWellFormed()}…`;
}

function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return 'The handler failed with a value that cannot be printed';
  }
}
