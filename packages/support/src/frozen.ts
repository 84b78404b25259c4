/** Shared empty list: most runs and calls have no items of most kinds. */
export const emptyArray: readonly never[] = Object.freeze([]);

/** Freezes a JSON value with everything in it and returns it. The value must not have a cycle. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  // Without a list of the members: this runs for every event of every call.
  for (const key in value) deepFreeze(value[key]);
  return Object.freeze(value);
}
