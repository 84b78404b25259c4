import { followRefs, isJsonObject, mapSubschemas, resolveRef } from '@ravi/provider-kit';
import type { PortableSchema, SchemaObject } from '@ravi/provider-kit';
import { createDefinitions } from './definitions.ts';
import type { Definitions } from './definitions.ts';
import { withNotes } from './notes.ts';
import { typedAlternatives } from './typed-alternatives.ts';

/**
 * Keywords that are sent unchanged. Source: Google's reference of `responseJsonSchema`; the last two by observed
 * requests.
 */
const plain = new Set(
  'title description format enum minItems maxItems minimum maximum required propertyOrdering default pattern'.split(
    ' ',
  ),
);
/** Keywords that become part of the description, because the model should know them. */
const noted = ['minLength', 'maxLength', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'uniqueItems'];
/** Keywords that are converted below or do not restrict values. */
const handled = new Set(
  (
    'type properties additionalProperties items additionalItems prefixItems anyOf oneOf allOf const nullable ' +
    '$ref $defs definitions $id id $anchor $comment examples example deprecated readOnly writeOnly ' +
    'minProperties maxProperties contentEncoding contentMediaType'
  ).split(' '),
);

/** Maximum nesting of schemas, definitions excluded. */
const maxDepth = 48;
/** Maximum number of schemas: more than any real tool has, and still fast. */
const maxNodes = 20_000;

interface State {
  readonly root: SchemaObject;
  readonly definitions: Definitions;
  /** Schemas whose `allOf` is already merged. */
  readonly merged: Set<SchemaObject>;
  readonly changes: Set<string>;
  nodes: number;
}

/**
 * Converts a portable schema to the keywords that Gemini documents for `parametersJsonSchema`. The result may allow
 * more than the original but never less; unsupported limits become part of the descriptions. Each referenced schema
 * becomes one definition.
 */
export function geminiSchema(root: SchemaObject): Extract<PortableSchema, { readonly schema: SchemaObject }> {
  const changes = new Set<string>();
  const state: State = { root, definitions: createDefinitions(), merged: new Set(), changes, nodes: 0 };
  const { $defs: _defs, definitions: _definitions, ...rest } = root;
  const schema = node(rest, state, 0);
  const $defs = state.definitions.converted(
    (given) => (typeof given['$ref'] === 'string' ? node(given, state, 1) : whole(given, state, 1)),
    (pointer) => changes.add(`where "${pointer}" requires itself, it may be anything`),
  );
  return { schema: $defs === undefined ? schema : { ...schema, $defs }, changes: [...changes] };
}

function node(given: unknown, state: State, depth: number): SchemaObject {
  if (!isJsonObject(given)) return {};
  if (depth > maxDepth) {
    state.changes.add(`values nested deeper than ${maxDepth} levels may be anything`);
    return {};
  }
  if (state.nodes >= maxNodes) {
    state.changes.add(`values after its first ${maxNodes} schemas may be anything`);
    return {};
  }
  state.nodes++;
  if (typeof given['$ref'] === 'string') return reference(given, given['$ref'], state, depth);
  // Its parts may refer back to it in any number of ways.
  if (state.merged.has(given)) return state.definitions.pointerTo(given, '#/merged');
  return whole(given, state, depth);
}

/** Converts a schema that is not a reference. */
function whole(given: SchemaObject, state: State, depth: number): SchemaObject {
  let schema = given;
  if (Array.isArray(given['allOf'])) {
    state.merged.add(given);
    schema = mergedParts(given, state.root, new Set([given]));
  }
  for (const key of Object.keys(schema)) {
    if (!plain.has(key) && !handled.has(key) && !noted.includes(key)) state.changes.add(`"${key}" is left out`);
  }
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(schema)) if (plain.has(key)) copy[key] = schema[key];
  for (const key of ['minimum', 'maximum', 'minItems', 'maxItems']) if (typeof copy[key] !== 'number') delete copy[key];
  for (const key of ['title', 'description', 'format', 'pattern']) if (typeof copy[key] !== 'string') delete copy[key];
  Object.assign(copy, structure(schema, state, depth));
  const required = Array.isArray(copy['required'])
    ? (copy['required'] as readonly string[]).filter((name) => Object.hasOwn(objectAt(copy, 'properties'), name))
    : [];
  if (required.length > 0) copy['required'] = required;
  else delete copy['required'];
  return typedAlternatives(withNotes(copy, schema, noted), schema);
}

/** Converts the direct subschemas. */
function structure(schema: SchemaObject, state: State, depth: number): Record<string, unknown> {
  const below = (inner: unknown): SchemaObject => node(inner, state, depth + 1);
  const list = (inner: unknown): SchemaObject[] => (inner as readonly unknown[]).map(below);
  const { properties, additionalProperties, items, prefixItems } = schema;
  const copy: Record<string, unknown> = {};
  if (isJsonObject(properties)) {
    copy['properties'] = Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, below(inner)]));
  }
  if (typeof additionalProperties === 'boolean') copy['additionalProperties'] = additionalProperties;
  else if (isJsonObject(additionalProperties)) copy['additionalProperties'] = below(additionalProperties);
  const tuple = Array.isArray(prefixItems) ? prefixItems : items;
  if (Array.isArray(tuple)) copy['prefixItems'] = list(tuple);
  if (isJsonObject(items)) copy['items'] = below(items);
  const alternatives = [schema['anyOf'], schema['oneOf']].find(Array.isArray);
  if (alternatives !== undefined) copy['anyOf'] = list(alternatives);
  return copy;
}

/**
 * Converts a reference, which must not have siblings. It becomes a reference to a definition; a small target is
 * inlined.
 */
function reference(given: SchemaObject, $ref: string, state: State, depth: number): SchemaObject {
  const { description } = given;
  const target = $ref === '#' ? undefined : resolveRef(state.root, $ref);
  if (target === undefined) {
    state.changes.add(`the target of "${$ref}" may be anything`);
    return typeof description === 'string' ? { description } : {};
  }
  if (isJsonObject(target) && (/^#\/(?:\$defs|definitions)\/[^/]+$/u.test($ref) || !isLeaf(target))) {
    const pointer = state.definitions.pointerTo(target, $ref);
    return typeof description === 'string' ? { description, anyOf: [pointer] } : pointer;
  }
  const inner = node(target, state, depth + 1);
  return typeof description === 'string' ? { ...inner, description } : inner;
}

/** Returns true if a schema has neither subschemas nor a reference. */
function isLeaf(schema: SchemaObject): boolean {
  let below = 0;
  mapSubschemas(schema, () => below++);
  return below === 0 && !('$ref' in schema);
}

/** Merges the parts of `allOf` into one schema, each once; for a repeated keyword the first value wins. */
function mergedParts(given: SchemaObject, root: SchemaObject, seen: Set<SchemaObject>): SchemaObject {
  const { allOf, ...own } = given;
  let merged: SchemaObject = own;
  for (const part of allOf as readonly unknown[]) {
    const target = followRefs(part, root);
    if (!isJsonObject(target) || seen.has(target)) continue;
    seen.add(target);
    const inner = Array.isArray(target['allOf']) ? mergedParts(target, root, seen) : target;
    const properties = { ...objectAt(inner, 'properties'), ...objectAt(merged, 'properties') };
    const required = [...new Set([...listAt(inner, 'required'), ...listAt(merged, 'required')])];
    merged = {
      ...inner,
      ...merged,
      ...(Object.keys(properties).length > 0 ? { properties } : {}),
      ...(required.length > 0 ? { required } : {}),
    };
  }
  return merged;
}

function objectAt(schema: SchemaObject, key: string): Readonly<Record<string, unknown>> {
  return isJsonObject(schema[key]) ? schema[key] : {};
}

function listAt(schema: SchemaObject, key: string): readonly string[] {
  return Array.isArray(schema[key]) ? (schema[key] as readonly string[]) : [];
}
