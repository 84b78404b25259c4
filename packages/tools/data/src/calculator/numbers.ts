import { Decimal } from 'decimal.js';
import { KernelError } from '@ravi/kernel';

/** Numbers up to 1e±1000. Sums, products and whole powers of these have all their digits. */
export const Exact: typeof Decimal = Decimal.clone({ defaults: true, precision: 1_100, maxE: 1_000, minE: -1_000 });
/** Quotients, roots and functions are rounded to 64 digits. */
export const Rounded: typeof Decimal = Decimal.clone({ defaults: true, precision: 64, maxE: 1_000, minE: -1_000 });

/** Digits of a shown number that is not whole. */
const shownDigits = 40;

/** Error of an expression that cannot be computed. */
export function calculation(reason: string): KernelError {
  return new KernelError('E_CALCULATION', reason);
}

/**
 * Returns a result if it is a number.
 * @throws KernelError `E_CALCULATION` for one that is too large or too small, or not a real number
 */
export function checked(result: Decimal, what: string, isZeroPossible: boolean = true): Decimal {
  if (result.isNaN()) throw calculation(`${what} is not a real number`);
  if (!result.isFinite()) throw calculation(`${what} is larger than 1e1000`);
  if (result.isZero() && !isZeroPossible) throw calculation(`${what} is smaller than 1e-1000`);
  return new Exact(result);
}

/** Returns a number as text: a whole one with all its digits. */
export function shownNumber(value: Decimal): string {
  const rounded = value.isInteger() ? value : value.toSignificantDigits(shownDigits);
  const isPlain = rounded.isInteger() || Math.abs(rounded.e) <= shownDigits;
  return isPlain ? rounded.toFixed() : rounded.toString();
}
