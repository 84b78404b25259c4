import type { JsonValue } from '@ravi/kernel';
import { isPlain } from '@ravi/support';

/**
 * The JSON text of a structured value, encoded once. What JSON has a form for is taken in that form.
 * @throws TypeError naming the place of a value that would vanish (a Map, a function); whatever `JSON.stringify` throws
 */
export function encodeStructured(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  // A number is its own JSON, and the encoder would take as long as some gates.
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new TypeError(`structuredContent is a ${typeof value}`);
  // What vanishes leaves an empty object behind; without one there is nothing to look for.
  if (text.includes('{}')) refuseVanished(value, 'structuredContent');
  return text;
}

/** The value that was encoded, as a copy: what the tool does to its own afterwards changes nothing. */
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
