import type { JsonObject, JsonValue } from '@ravi/kernel';

/** An argument that is another now; `undefined` where it is not there. */
export interface Change {
  readonly name: string;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

/** What differs between two sets of arguments, in the order of the first. */
export function changesBetween(before: JsonObject, after: JsonObject): readonly Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .map((name) => ({ name, before: before[name], after: after[name] }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after));
}
