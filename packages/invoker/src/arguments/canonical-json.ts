import type { JsonValue } from '@ravi/kernel';

/**
 * Canonical JSON: no white space, keys sorted by UTF-16 code units, numbers and strings as ECMAScript writes them.
 * Source: RFC 8785 (JCS).
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const object = value as { readonly [key: string]: JsonValue };
  const members: string[] = [];
  for (const key of Object.keys(object).toSorted()) {
    members.push(`${JSON.stringify(key)}:${canonicalJson(object[key] as JsonValue)}`);
  }
  return `{${members.join(',')}}`;
}
