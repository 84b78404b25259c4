/** JSON object of an API, read field by field, because servers omit different fields. */
export type WireObject = Readonly<Record<string, unknown>>;

/** Returns true if a value is a JSON object. */
export function isJsonObject(value: unknown): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a non-empty text; `undefined` for any other value. */
export function textOrNothing(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns the text, or an empty one for any other value. */
export function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns the objects in a list; empty for any other value. */
export function listOf(value: unknown): readonly WireObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** No real arguments or events are nested this deeply; `JSON.stringify` fails at about six times this depth. */
const maxDepth = 1000;

/**
 * Returns true if a JSON value is nested so deeply that serializing or traversing it may overflow the stack. A history
 * with such a value could never be sent again.
 */
export function isTooDeep(value: unknown): boolean {
  return exceeds(value, maxDepth);
}

/** Like {@link isTooDeep}, for a value parsed from `text`: a short text cannot be nested deeply. */
export function isTooDeepIn(text: string, value: unknown): boolean {
  return text.length > maxDepth && isTooDeep(value);
}

function exceeds(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  for (const entry of Array.isArray(value) ? value : Object.values(value)) if (exceeds(entry, depth - 1)) return true;
  return false;
}

/** Escape that `JSON.stringify` writes for a lone surrogate, which providers reject with 400. */
const loneSurrogate = /\\ud[89a-f]/iu;

/** Serializes JSON for the wire. A lone surrogate, left by a cut inside a character, becomes U+FFFD. */
export function wireJson(value: unknown): string {
  const text = JSON.stringify(value);
  return loneSurrogate.test(text) ? JSON.stringify(wellFormed(value)) : text;
}

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key.toWellFormed(), wellFormed(entry)]));
}
