import type { JsonValue } from '@ravi/kernel';
import { isPlain } from '@ravi/support';

/**
 * Encodes a structured value as JSON text, once. A value with a JSON form, such as a `Date`, is encoded in that form.
 * @throws TypeError naming the place of a value that would be lost (a Map, a function), and the errors of `JSON.stringify`
 */
export function encodeStructured(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  // The text of a number is its JSON; the encoder would take as long as some gates.
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new TypeError(`structuredContent is a ${typeof value}`);
  // A lost value becomes an empty object, so without one there is nothing to look for.
  if (text.includes('{}')) refuseVanished(value, 'structuredContent');
  return text;
}

/** Decodes the value as a copy, so that later changes by the tool have no effect. */
export function decodeStructured(text: string): JsonValue {
  const number = Number(text);
  return Number.isNaN(number) ? (JSON.parse(text) as JsonValue) : number;
}

function refuseVanished(value: unknown, place: string): void {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return;
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  if (!isList && entries.length === 0 && !isPlain(value)) {
    throw new TypeError(`${place} is a ${value.constructor.name}`);
  }
  for (const [key, child] of entries) refuseVanished(child, isList ? `${place}[${key}]` : `${place}.${key}`);
}
