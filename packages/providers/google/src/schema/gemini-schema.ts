import { followRefs, isJsonObject, mapSubschemas, resolveRef } from '@ravi/provider-kit';
import type { PortableSchema, SchemaObject } from '@ravi/provider-kit';
import { createDefinitions } from './definitions.ts';
import type { Definitions } from './definitions.ts';
import { withNotes } from './notes.ts';
import { typedAlternatives } from './typed-alternatives.ts';

/** What goes out as it is. Source: Google's reference of `responseJsonSchema`; the last two by requests that were accepted. */
const plain = new Set(
  'title description format enum minItems maxItems minimum maximum required propertyOrdering default pattern'.split(
    ' ',
  ),
);
/** Told in words instead, since the model should know. */
const noted = ['minLength', 'maxLength', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'uniqueItems'];
/** Said otherwise below, or no constraint. */
const handled = new Set(
  (
    'type properties additionalProperties items additionalItems prefixItems anyOf oneOf allOf const nullable ' +
    '$ref $defs definitions $id id $anchor $comment examples example deprecated readOnly writeOnly ' +
    'minProperties maxProperties contentEncoding contentMediaType'
  ).split(' '),
);

/** Schemas within schemas, definitions apart. */
const maxDepth = 48;
/** Schemas in all. More than any tool has, and less than takes time. */
const maxNodes = 20_000;

interface State {
  readonly root: SchemaObject;
  readonly definitions: Definitions;
  /** What had its `allOf` put in one already. */
  readonly merged: Set<SchemaObject>;
  readonly changes: Set<string>;
  nodes: number;
}

/**
 * A portable schema in the words that Gemini documents for `parametersJsonSchema`. It may allow more than the original and
 * never less; limits that Gemini does not know go into the descriptions. What is referred to becomes a definition, once,
 * wherever it stands.
 */
export function geminiSchema(root: SchemaObject): Extract<PortableSchema, { readonly schema: SchemaObject }> {
  const changes = new Set<string>();
  const state: State = { root, definitions: createDefinitions(), merged: new Set(), changes, nodes: 0 };
  const { $defs: _defs, definitions: _definitions, ...rest } = root;
  const schema = node(rest, state, 0);
  const $defs = state.definitions.converted(
    (given) => (typeof given['$ref'] === 'string' ? node(given, state, 1) : whole(given, state, 1)),
    (pointer) => changes.add(`where "${pointer}" needs itself it may be anything`),
  );
  return { schema: $defs === undefined ? schema : { ...schema, $defs }, changes: [...changes] };
}

function node(given: unknown, state: State, depth: number): SchemaObject {
  if (!isJsonObject(given)) return {};
  if (depth > maxDepth) {
    state.changes.add(`what lies deeper than ${maxDepth} levels may be anything`);
    return {};
  }
  if (state.nodes >= maxNodes) {
    state.changes.add(`what lies behind the first ${maxNodes} schemas in it may be anything`);
    return {};
  }
  state.nodes++;
  if (typeof given['$ref'] === 'string') return reference(given, given['$ref'], state, depth);
  // Its parts may lead back to it, by any number of ways.
  if (state.merged.has(given)) return state.definitions.pointerTo(given, '#/merged');
  return whole(given, state, depth);
}

/** A schema that is no reference. */
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

/** The schemas directly below this one. */
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

/** Beside a reference nothing else may stand. It becomes one to a definition, apart from a few words that stand elsewhere. */
function reference(given: SchemaObject, $ref: string, state: State, depth: number): SchemaObject {
  const { description } = given;
  const target = $ref === '#' ? undefined : resolveRef(state.root, $ref);
  if (target === undefined) {
    state.changes.add(`what "${$ref}" stands for may be anything`);
    return typeof description === 'string' ? { description } : {};
  }
  if (isJsonObject(target) && (/^#\/(?:\$defs|definitions)\/[^/]+$/u.test($ref) || !isLeaf(target))) {
    const pointer = state.definitions.pointerTo(target, $ref);
    return typeof description === 'string' ? { description, anyOf: [pointer] } : pointer;
  }
  const inner = node(target, state, depth + 1);
  return typeof description === 'string' ? { ...inner, description } : inner;
}

/** Whether nothing is below a schema or behind it. */
function isLeaf(schema: SchemaObject): boolean {
  let below = 0;
  mapSubschemas(schema, () => below++);
  return below === 0 && !('$ref' in schema);
}

/** All parts of `allOf` in one, each once, as far as they speak of different things. */
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
