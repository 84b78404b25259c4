import { isSecretKey, redacted } from '@ravi/invoker';
import type { JsonValue } from '@ravi/kernel';
import { cutUtf8 } from '@ravi/support';

const maxTextCharacters = 200;
const maxShownBytes = 2_000;

/** Returns a value as text for an approver: secrets hidden, long strings cut so that every property stays visible. */
export function summarizeValue(value: JsonValue): string {
  const text = JSON.stringify(shorten(value));
  const cut = cutUtf8(text, maxShownBytes);
  return cut === text ? text : `${cut}…`;
}

// Artifact references in the arguments of a start are already replaced, by bytes and streams too.
function shorten(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.length > maxTextCharacters ? `${value.slice(0, maxTextCharacters)}…` : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return `${value.byteLength} bytes`;
  if (Array.isArray(value)) return value.map(shorten);
  const entries = Object.entries(value).map(([key, child]) => [key, isSecretKey(key) ? redacted : shorten(child)]);
  return Object.fromEntries(entries);
}
