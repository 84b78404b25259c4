/** Definitions of one schema document, found by `$ref`. */
export interface Definitions {
  /** Returns the schema that `ref` points to inside the document; `undefined` if it is in another document or does not exist. */
  find(ref: string): unknown;
}

/**
 * Resolves the `$ref`s of a document: JSON pointers, `#`, and anchors and `$id`s of its definitions. Source: JSON Schema
 * 2020-12, RFC 6901.
 */
export function createDefinitions(document: unknown): Definitions {
  return {
    find(ref) {
      if (ref === '#' || ref === idOf(document)) return document;
      if (ref.startsWith('#/')) return atPointer(document, ref.slice(2));
      return definitionsOf(document).find((schema) => idOf(schema) === ref || anchorOf(schema) === ref);
    },
  };
}

function atPointer(document: unknown, pointer: string): unknown {
  let found = document;
  for (const part of pointer.split('/')) {
    const key = decode(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isRecord(found) && !Array.isArray(found)) return undefined;
    if (!Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}

function definitionsOf(document: unknown): readonly unknown[] {
  if (!isRecord(document)) return [];
  return ['$defs', 'definitions'].flatMap((key) => (isRecord(document[key]) ? Object.values(document[key]) : []));
}

function idOf(schema: unknown): unknown {
  return isRecord(schema) ? schema['$id'] : undefined;
}

function anchorOf(schema: unknown): string | undefined {
  return isRecord(schema) && typeof schema['$anchor'] === 'string' ? `#${schema['$anchor']}` : undefined;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** True if `value` is an object and not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
