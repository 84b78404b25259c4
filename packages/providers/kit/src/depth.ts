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
