import { KernelError } from '@ravi/kernel';

/** Creates the error for a trigger that the caller asked for wrongly; the message names the limit or the field. */
export function invalidTrigger(message: string): KernelError {
  return new KernelError('E_ARGUMENTS_INVALID', message);
}

/** Returns a length of time in words, for example `90 seconds` or `2 days`. */
export function durationText(milliseconds: number): string {
  for (const [unit, size] of units) {
    if (milliseconds >= size && milliseconds % size === 0) return counted(milliseconds / size, unit);
  }
  return counted(milliseconds / 1_000, 'second');
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
