import type { JsonObject, JsonValue } from '@ravi/kernel';

/** Part of a document that cannot be used, with the reason for the operator. Its tool is left out. */
export class Unusable extends Error {}

/** References that follow each other; a longer chain is a loop. */
const maxHops = 32;

/** Returns true for a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the own member of a value; `undefined` if there is none. */
export function member(value: unknown, key: string): JsonValue | undefined {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, JsonValue>)[key]
    : undefined;
}

/** Returns the member of a value if it is text. */
export function textMember(value: unknown, key: string): string | undefined {
  const found = member(value, key);
  return typeof found === 'string' ? found : undefined;
}

/** Returns what a reference within the document names. @throws Unusable if there is nothing, or it is outside of the document */
export function lookUp(document: JsonObject, reference: string): JsonValue {
  if (!reference.startsWith('#/')) throw new Unusable(`the reference ${shown(reference)} leaves the document`);
  let found: JsonValue | undefined = document;
  for (const step of reference.slice(2).split('/')) found = member(found, unescaped(step, reference));
  if (found === undefined) throw new Unusable(`the reference ${shown(reference)} names nothing`);
  return found;
}

/** Follows the references of a part, such as a parameter. @throws Unusable also for a loop, and for a part that is not an object */
export function resolved(document: JsonObject, part: unknown, what: string): JsonObject {
  let found = part;
  for (let hop = 0; hop < maxHops; hop++) {
    if (!isObject(found)) throw new Unusable(`${what} is not an object`);
    const reference = textMember(found, '$ref');
    if (reference === undefined) return found;
    found = lookUp(document, reference);
  }
  throw new Unusable(`${what} refers to itself`);
}

/** Returns text of a document for a message: one line of at most 80 characters. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);
}

function unescaped(step: string, reference: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    throw new Unusable(`the reference ${shown(reference)} is not valid`);
  }
}
