/** The empty list that everybody shares: most runs and calls have nothing of most kinds. */
export const emptyArray: readonly never[] = Object.freeze([]);

/** Freezes a JSON value through and through and returns it. The value must have no cycle. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  // No list of the members: this runs for every event of every call.
  for (const key in value) deepFreeze(value[key]);
  return Object.freeze(value);
}
