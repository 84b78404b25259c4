import type { JsonObject, JsonSchema, JsonValue } from '@ravi/kernel';
import { isObject, lookUp, member, textMember, Unusable } from './json-pointer.ts';

/** Use of a schema: a request leaves out what only the server writes, a response what only the caller writes. */
export type Direction = 'request' | 'response';

/** Objects and lists of a schema with everything that it refers to; the invoker compiles no larger one. */
const maxNodes = 4_000;

const single: readonly string[] = [
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const lists: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const maps: readonly string[] = ['properties', 'patternProperties', 'dependentSchemas'];
/** Keywords of OpenAPI that check nothing, and identifiers, which mean nothing outside of the document. */
const dropped: readonly string[] = [
  '$id',
  '$schema',
  '$anchor',
  '$comment',
  '$defs',
  'definitions',
  'discriminator',
  'xml',
  'externalDocs',
  'example',
  'nullable',
];

/**
 * Returns a schema of the document as a self-contained one: what it refers to is in its `$defs`, and keywords of OpenAPI 3.0 are those
 * of JSON Schema.
 * @throws Unusable if it is too large or refers to something outside of the document
 */
export function ownSchema(document: JsonObject, schema: JsonValue, direction: Direction): JsonSchema {
  const copier = new SchemaCopier(document, direction);
  const root = copier.copyObject(schema);
  const definitions = copier.definitions();
  return definitions === undefined ? root : { ...root, $defs: definitions };
}

/**
 * Copies schemas of a document into self-contained ones: what they refer to is in the definitions, which belong at the root of
 * the result as `$defs`.
 */
export class SchemaCopier {
  readonly #document: JsonObject;
  readonly #direction: Direction;
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();
  #nodes = 0;

  constructor(document: JsonObject, direction: Direction) {
    this.#document = document;
    this.#direction = direction;
  }

  /** Returns the definitions that the copies refer to, if any. Call it after the last copy. @throws Unusable as {@link copy} */
  definitions(): JsonObject | undefined {
    if (this.#names.size === 0) return undefined;
    const definitions: Record<string, JsonValue> = {};
    // Copying a definition may find others; a map yields those that are added meanwhile.
    for (const [reference, name] of this.#names) definitions[name] = this.copy(lookUp(this.#document, reference));
    return definitions;
  }

  /** Copies a schema. @throws Unusable if all copies are too large, or one refers to something outside of the document */
  copy(schema: JsonValue): JsonObject | boolean {
    if (typeof schema === 'boolean') return schema;
    if (!isObject(schema)) throw new Unusable('a schema is not an object');
    this.#count();
    const copy: Record<string, JsonValue> = {};
    for (const [key, value] of Object.entries(schema)) {
      if (dropped.includes(key) || key.startsWith('x-') || key === '__proto__') continue;
      if (key === '$ref') copy['$ref'] = this.#reference(value);
      else if (key === '$dynamicRef') throw new Unusable('a schema uses $dynamicRef');
      else if (single.includes(key) && !Array.isArray(value)) copy[key] = this.copy(value);
      else if (lists.includes(key) && Array.isArray(value)) copy[key] = value.map((each: JsonValue) => this.copy(each));
      else if (maps.includes(key)) copy[key] = this.#map(value);
      else copy[key] = this.#plain(value);
    }
    this.#leaveOut(schema, copy);
    numericBounds(copy);
    return schema['nullable'] === true ? orNull(copy) : copy;
  }

  /** Copies a schema as an object, also `true` and `false`. @throws Unusable as {@link copy} */
  copyObject(schema: JsonValue): JsonObject {
    const copy = this.copy(schema);
    if (typeof copy === 'object') return copy;
    return copy ? {} : { not: {} };
  }

  #reference(value: JsonValue): string {
    if (typeof value !== 'string') throw new Unusable('a reference is not text');
    lookUp(this.#document, value);
    let name = this.#names.get(value);
    if (name === undefined) {
      name = this.#newName(value);
      this.#names.set(value, name);
    }
    return `#/$defs/${name}`;
  }

  #newName(reference: string): string {
    const base = (reference.split('/').at(-1) ?? '').replaceAll(/[^A-Za-z0-9_]+/g, '_').slice(0, 60) || 'schema';
    let name = base;
    for (let count = 2; this.#taken.has(name) || name === '__proto__'; count++) name = `${base}_${count}`;
    this.#taken.add(name);
    return name;
  }

  #map(value: JsonValue): JsonObject {
    if (!isObject(value)) throw new Unusable('a map of schemas is not an object');
    this.#count();
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, this.copy(child)]));
  }

  #plain(value: JsonValue): JsonValue {
    if (typeof value !== 'object' || value === null) return value;
    this.#count();
    if (Array.isArray(value)) return value.map((each: JsonValue) => this.#plain(each));
    return Object.fromEntries(Object.entries(value as JsonObject).map(([key, child]) => [key, this.#plain(child)]));
  }

  #count(): void {
    if (++this.#nodes > maxNodes) throw new Unusable(`its schema has more than ${maxNodes} objects and lists`);
  }

  // A property of the other direction may be missing, so that the other side does not have to invent it.
  #leaveOut(schema: JsonObject, copy: Record<string, JsonValue>): void {
    const { required } = copy;
    if (!Array.isArray(required)) return;
    const flag = this.#direction === 'request' ? 'readOnly' : 'writeOnly';
    const left = required.filter((name: JsonValue) => {
      const property = typeof name === 'string' ? member(schema['properties'], name) : undefined;
      const reference = textMember(property, '$ref');
      const definition = reference === undefined ? property : lookUp(this.#document, reference);
      return member(property, flag) !== true && member(definition, flag) !== true;
    });
    if (left.length === 0) delete copy['required'];
    else copy['required'] = left;
  }
}

/** `exclusiveMinimum: true` of OpenAPI 3.0 makes the minimum next to it exclusive. */
function numericBounds(schema: Record<string, JsonValue>): void {
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof schema[exclusive] !== 'boolean') continue;
    const limit = schema[bound];
    const isExclusive = schema[exclusive];
    delete schema[exclusive];
    if (!isExclusive || limit === undefined) continue;
    schema[exclusive] = limit;
    delete schema[bound];
  }
}

function orNull(schema: JsonObject): JsonObject {
  const { type, ...rest } = schema;
  if (typeof type !== 'string' || rest['enum'] !== undefined || rest['$ref'] !== undefined) {
    return { anyOf: [schema, { type: 'null' }] };
  }
  return { type: [type, 'null'], ...rest };
}
