import { isSecretKey, redacted } from '@ravi/invoker';
import type { JsonValue } from '@ravi/kernel';
import { cutUtf8 } from '@ravi/support';

const maxTextCharacters = 200;
const maxShownBytes = 2_000;

/** A value as a human reads it who approves: secrets hidden, no text of it so long that the others go unseen. */
export function shownToHuman(value: JsonValue): string {
  const text = JSON.stringify(shortened(value));
  const cut = cutUtf8(text, maxShownBytes);
  return cut === text ? text : `${cut}…`;
}

// Refs in the arguments of a start are filled in, with bytes and streams too.
function shortened(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.length > maxTextCharacters ? `${value.slice(0, maxTextCharacters)}…` : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return `${value.byteLength} bytes`;
  if (Array.isArray(value)) return value.map(shortened);
  const entries = Object.entries(value).map(([key, child]) => [key, isSecretKey(key) ? redacted : shortened(child)]);
  return Object.fromEntries(entries);
}
