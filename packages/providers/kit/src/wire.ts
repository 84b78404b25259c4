/** A part of what an interface sends or takes, read field by field: servers that speak it leave out different ones. */
export type WireObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. */
export function isJsonObject(value: unknown): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Text that says something. */
export function textOrNothing(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns the text, or an empty one for any other value. */
export function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The objects of a list; empty for anything else. */
export function listOf(value: unknown): readonly WireObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** No tool's arguments and no provider's events come near it; the engine writes JSON some six times deeper before it fails. */
const maxDepth = 1000;

/**
 * Whether a JSON value is nested so deep that writing it out again, or walking through it, may overflow the stack. A
 * history with such a value could never be sent again.
 */
export function isTooDeep(value: unknown): boolean {
  return exceeds(value, maxDepth);
}

/** Like {@link isTooDeep}, of the value that was parsed from this text: what is short cannot be deep. */
export function isTooDeepIn(text: string, value: unknown): boolean {
  return text.length > maxDepth && isTooDeep(value);
}

function exceeds(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  for (const entry of Array.isArray(value) ? value : Object.values(value)) if (exceeds(entry, depth - 1)) return true;
  return false;
}

/** An escape that `JSON.stringify` writes for half of a surrogate pair, which providers answer with 400. */
const loneSurrogate = /\\ud[89a-f]/iu;

/** JSON text for the wire: a lone surrogate, as a cut in the middle of a character leaves it, becomes U+FFFD. */
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
