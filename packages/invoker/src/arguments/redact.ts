import type { JsonObject, JsonValue } from '@ravi/kernel';
import { cutUtf8 } from '@ravi/support';
import { canonicalJson } from './digest.ts';

/** Placeholder for a secret. */
export const redacted = '[redacted]';

const secretKey =
  /pass(word|phrase|wd)|(^|[_-])pass$|secret(?!ar)|token$|api[-_]?key|authorization|credential|cookie|private[-_]?key|^bearer$/i;
const camelCasePass = /[a-z0-9]Pass$/;
const maxPreviewBytes = 200;

/** Returns a copy for display, with the values of keys that usually hold secrets replaced. */
export function redact(args: JsonObject): JsonObject {
  return redactValue(args) as JsonObject;
}

// Like `redact`, for any part of the arguments.
function redactValue(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(redactValue);
  const copy: Record<string, JsonValue> = {};
  for (const [key, child] of Object.entries(value as JsonObject)) {
    copy[key] = isSecretKey(key) ? redacted : redactValue(child);
  }
  return copy;
}

/** Returns the redacted arguments as JSON, at most 200 bytes, for people who read a trace. The cost does not grow with the arguments. */
export function previewOf(args: JsonObject): string {
  const text = writeBounded(args, '');
  const cut = cutUtf8(text, maxPreviewBytes);
  return cut === text ? text : `${cut}…`;
}

// Appends `value` to `text` and stops soon after the limit, so the cost does not grow with the arguments.
function writeBounded(value: JsonValue, text: string): string {
  if (text.length > maxPreviewBytes) return text;
  if (typeof value === 'string') return text + JSON.stringify(value.slice(0, maxPreviewBytes + 1));
  if (typeof value !== 'object' || value === null) return text + String(value);
  const isList = Array.isArray(value);
  let written = text + (isList ? '[' : '{');
  let separator = '';
  for (const key of Object.keys(value)) {
    if (written.length > maxPreviewBytes) return written;
    const child = (value as JsonObject)[key] as JsonValue;
    const field = isList ? undefined : fieldOf(key);
    written += field === undefined ? separator : separator + field.text;
    written = writeBounded(field?.isSecret === true ? redacted : child, written);
    separator = ',';
  }
  return written + (isList ? ']' : '}');
}

interface Field {
  /** Name as JSON, and the colon. */
  readonly text: string;
  readonly isSecret: boolean;
}

const fields = new Map<string, Field>();
const maxFields = 1_000;
const maxKeptCharacters = 64;

// Every call of a tool repeats the same fields.
function fieldOf(key: string): Field {
  const known = fields.get(key);
  if (known !== undefined) return known;
  const field = { text: `${JSON.stringify(key)}:`, isSecret: isSecretKey(key) };
  if (fields.size >= maxFields) fields.clear();
  if (key.length <= maxKeptCharacters) fields.set(key, field);
  return field;
}

/** True if a field of this name usually holds a secret. */
export function isSecretKey(key: string): boolean {
  return secretKey.test(key) || camelCasePass.test(key);
}

/**
 * Restores the secrets of `original` wherever an approver left the placeholder while editing the redacted copy. An entry
 * of a list gets the secrets of the entry that looked the same, even if the approver moved it. Returns `undefined` if a
 * placeholder is at a place that held no secret, or if several secrets would fit.
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
