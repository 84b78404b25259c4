import type { JsonObject, JsonValue } from '@ravi/kernel';
import { cutUtf8, isSecretKey } from '@ravi/support';

/** Placeholder for a secret. */
export const redacted = '[redacted]';

const maxPreviewBytes = 200;

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
    written = writeBounded(field?.isSecret === true && typeof child === 'string' ? redacted : child, written);
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
