import type { JsonValue } from '@ravi/kernel';
import { valueAt } from './row.ts';
import type { Row } from './row.ts';

/** The comparisons of a {@link Condition}. */
export const operators = ['=', '!=', '<', '<=', '>', '>=', 'contains'] as const;

/** One thing that must hold of a row. */
export interface Condition {
  readonly column: string;
  readonly is: (typeof operators)[number];
  readonly value: JsonValue;
}

/** Returns true if all conditions hold. Values of different types are unequal, and neither is greater. */
export function fits(row: Row, conditions: readonly Condition[]): boolean {
  return conditions.every(({ column, is, value }) => compare(valueAt(row, column) ?? null, is, value));
}

/** Order of two values for sorting: numbers by size, then text by its characters, then everything else. */
export function order(left: JsonValue, right: JsonValue): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : left > right ? 1 : 0;
  return rank(left) - rank(right);
}

function rank(value: JsonValue): number {
  if (typeof value === 'number') return 0;
  return typeof value === 'string' ? 1 : 2;
}

function compare(found: JsonValue, is: Condition['is'], wanted: JsonValue): boolean {
  if (is === '=') return found === wanted;
  if (is === '!=') return found !== wanted;
  if (typeof found !== typeof wanted || found === null) return false;
  if (is === 'contains') return typeof found === 'string' && found.includes(wanted as string);
  const difference = order(found, wanted);
  if (is === '<') return difference < 0;
  if (is === '<=') return difference <= 0;
  return is === '>' ? difference > 0 : difference >= 0;
}
