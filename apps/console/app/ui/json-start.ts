import type { JsonValue } from '@ravi/kernel';

/**
 * Returns the first characters of a value's JSON, at least `length` of them if it has so many. Takes no longer for a value of
 * many megabytes.
 */
export function jsonStart(value: JsonValue, length: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, length + 1));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  const isList = Array.isArray(value);
  let text = isList ? '[' : '{';
  for (const key of isList ? value.keys() : Object.keys(value)) {
    if (text.length > length) return text;
    if (text.length > 1) text += ',';
    const name = isList ? '' : `${JSON.stringify(key)}:`;
    text += name + jsonStart((value as Readonly<Record<string, JsonValue>>)[key] ?? null, length - text.length);
  }
  return text + (isList ? ']' : '}');
}

/** Part of a list: the entries from `from`, included, to `to`, excluded. */
export interface Part {
  readonly from: number;
  readonly to: number;
}

/** Returns the parts of a range, at most `size` of them, each again divisible in the same way; none if it is short enough. */
export function partsOf({ from, to }: Part, size: number): readonly Part[] {
  if (to - from <= size) return [];
  let step = size;
  while ((to - from) / step > size) step *= size;
  const count = Math.ceil((to - from) / step);
  return Array.from({ length: count }, (_, index) => ({
    from: from + index * step,
    to: Math.min(to, from + (index + 1) * step),
  }));
}

/** Returns the part of a text from `from` to `to`, without half a character at either end. */
export function textPart(text: string, { from, to }: Part): string {
  return text.slice(wholeAt(text, from), wholeAt(text, to));
}

function wholeAt(text: string, index: number): number {
  const isInside = isBetween(text.charCodeAt(index - 1), 0xd8_00) && isBetween(text.charCodeAt(index), 0xdc_00);
  return isInside ? index + 1 : index;
}

function isBetween(unit: number, start: number): boolean {
  return unit >= start && unit < start + 0x4_00;
}
