import type { JsonObject, JsonValue } from '@ravi/kernel';
import { canonicalJson } from './canonical-json.ts';
import { redacted, redactValue } from './redact.ts';

/**
 * Puts the secrets of `original` back where a human left the placeholder while editing the redacted copy. An entry of a
 * list gets the secrets of the entry that looked the same, wherever the human moved it. `undefined` when a placeholder
 * stands where no secret was, or where several would fit.
 */
export function restoreRedacted(edited: JsonObject, original: JsonObject): JsonObject | undefined {
  return restore(edited, original) as JsonObject | undefined;
}

function restore(edited: JsonValue, original: JsonValue | undefined): JsonValue | undefined {
  if (!holdsPlaceholder(edited)) return edited;
  if (edited === redacted || typeof original !== 'object' || original === null) {
    return edited === redacted ? original : undefined;
  }
  if (Array.isArray(edited)) return Array.isArray(original) ? restoreEntries(edited, original) : undefined;
  return restoreMembers(edited as JsonObject, original as JsonObject);
}

function restoreMembers(edited: JsonObject, original: JsonObject): JsonValue | undefined {
  const copy: Record<string, JsonValue> = {};
  for (const [key, child] of Object.entries(edited)) {
    const restored = restore(child, Object.hasOwn(original, key) ? original[key] : undefined);
    if (restored === undefined) return undefined;
    copy[key] = restored;
  }
  return copy;
}

function restoreEntries(edited: readonly JsonValue[], original: readonly JsonValue[]): JsonValue | undefined {
  const shown = original.map((entry) => canonicalJson(redactValue(entry)));
  const copy: JsonValue[] = [];
  for (const [index, entry] of edited.entries()) {
    const restored = holdsPlaceholder(entry) ? originalOf(entry, index, edited.length, { original, shown }) : entry;
    if (restored === undefined) return undefined;
    copy.push(restored);
  }
  return copy;
}

function originalOf(
  entry: JsonValue,
  index: number,
  length: number,
  list: { readonly original: readonly JsonValue[]; readonly shown: readonly string[] },
): JsonValue | undefined {
  const looks = canonicalJson(entry);
  if (length === list.original.length && list.shown[index] === looks) return list.original[index];
  const first = list.shown.indexOf(looks);
  return first === list.shown.lastIndexOf(looks) ? list.original[first] : undefined;
}

function holdsPlaceholder(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return value === redacted;
  return Object.values(value).some(holdsPlaceholder);
}
