import { isSchemaObject, resolveRef } from '@ravi/provider-kit';
import type { PortableSchema, SchemaObject } from '@ravi/provider-kit';
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

/** Schemas within schemas, references followed where they stand. */
const maxDepth = 48;

interface State {
  readonly root: SchemaObject;
  readonly definitions: Readonly<Record<string, unknown>>;
  readonly changes: Set<string>;
}

/**
 * A portable schema in the words that Gemini documents for `parametersJsonSchema`. It may allow more than the original and
 * never less; limits that Gemini does not know go into the descriptions.
 */
export function geminiSchema(root: SchemaObject): Extract<PortableSchema, { readonly schema: SchemaObject }> {
  const definitions = { ...objectAt(root, 'definitions'), ...objectAt(root, '$defs') };
  const state: State = { root, definitions, changes: new Set() };
  const { $defs: _defs, definitions: _definitions, ...rest } = root;
  const schema = node(rest, state, 0);
  if (!JSON.stringify(schema).includes('"$ref"')) return { schema, changes: [...state.changes] };
  const converted = Object.fromEntries(
    Object.entries(definitions).map(([name, inner]) => [name, node(inner, state, 1)]),
  );
  const $defs = withoutRequiredCycles(converted, state);
  return { schema: { ...schema, $defs }, changes: [...state.changes] };
}

function node(given: unknown, state: State, depth: number): SchemaObject {
  if (!isSchemaObject(given)) return {};
  if (depth > maxDepth) {
    state.changes.add(`what lies deeper than ${maxDepth} levels may be anything`);
    return {};
  }
  if (typeof given['$ref'] === 'string') return reference(given, given['$ref'], state, depth);
  const schema = Array.isArray(given['allOf']) ? mergedParts(given, state, depth) : given;
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
  if (isSchemaObject(properties)) {
    copy['properties'] = Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, below(inner)]));
  }
  if (typeof additionalProperties === 'boolean') copy['additionalProperties'] = additionalProperties;
  else if (isSchemaObject(additionalProperties)) copy['additionalProperties'] = below(additionalProperties);
  const tuple = Array.isArray(prefixItems) ? prefixItems : items;
  if (Array.isArray(tuple)) copy['prefixItems'] = list(tuple);
  if (isSchemaObject(items)) copy['items'] = below(items);
  const alternatives = [schema['anyOf'], schema['oneOf']].find(Array.isArray);
  if (alternatives !== undefined) copy['anyOf'] = list(alternatives);
  return copy;
}

/** Beside a reference nothing else may stand. One into the definitions stays, any other is put in its place. */
function reference(given: SchemaObject, $ref: string, state: State, depth: number): SchemaObject {
  const name = /^#\/(?:\$defs|definitions)\/([^/]+)$/u.exec($ref)?.[1];
  const key = name === undefined ? undefined : decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~');
  const { description } = given;
  if (key !== undefined && Object.hasOwn(state.definitions, key)) {
    const pointer = { $ref: `#/$defs/${name}` };
    return typeof description === 'string' ? { description, anyOf: [pointer] } : pointer;
  }
  const target = $ref === '#' ? undefined : resolveRef(state.root, $ref);
  if (target === undefined) {
    state.changes.add(`what "${$ref}" stands for may be anything`);
    return typeof description === 'string' ? { description } : {};
  }
  const inner = node(target, state, depth + 1);
  return typeof description === 'string' ? { ...inner, description } : inner;
}

/** All parts of `allOf` in one, as far as they speak of different things. */
function mergedParts(given: SchemaObject, state: State, depth: number): SchemaObject {
  const { allOf, ...own } = given;
  let merged: SchemaObject = own;
  for (const part of allOf as readonly unknown[]) {
    if (!isSchemaObject(part)) continue;
    const target = typeof part['$ref'] === 'string' ? resolveRef(state.root, part['$ref']) : part;
    if (!isSchemaObject(target) || depth > maxDepth) continue;
    const inner = Array.isArray(target['allOf']) ? mergedParts(target, state, depth + 1) : target;
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

/** A definition may reach itself through optional properties only; elsewhere the reference becomes anything. */
function withoutRequiredCycles(definitions: Record<string, SchemaObject>, state: State): Record<string, SchemaObject> {
  const cut = (schema: SchemaObject, owner: string, isRequired: boolean): SchemaObject => {
    const $ref = schema['$ref'];
    if (typeof $ref === 'string') {
      const name = $ref.slice('#/$defs/'.length);
      if (!isRequired || !reaches(definitions, name, owner)) return schema;
      state.changes.add(`where "${$ref}" needs itself it may be anything`);
      return {};
    }
    const required = listAt(schema, 'required');
    const copy: Record<string, unknown> = { ...schema };
    if (isSchemaObject(schema['properties'])) {
      copy['properties'] = Object.fromEntries(
        Object.entries(schema['properties']).map(([name, inner]) => [
          name,
          cut(inner as SchemaObject, owner, isRequired && required.includes(name)),
        ]),
      );
    }
    for (const key of ['items', 'additionalProperties']) {
      if (isSchemaObject(schema[key])) copy[key] = cut(schema[key], owner, isRequired);
    }
    for (const key of ['anyOf', 'prefixItems']) {
      if (Array.isArray(schema[key]))
        copy[key] = schema[key].map((inner: SchemaObject) => cut(inner, owner, isRequired));
    }
    return copy;
  };
  return Object.fromEntries(Object.entries(definitions).map(([name, schema]) => [name, cut(schema, name, true)]));
}

/** Whether the definition `from` refers to `target`, at any distance. */
function reaches(
  definitions: Readonly<Record<string, SchemaObject>>,
  from: string,
  target: string,
  seen: Set<string> = new Set(),
): boolean {
  if (from === target) return true;
  if (seen.has(from)) return false;
  seen.add(from);
  const text = JSON.stringify(definitions[from] ?? {});
  return [...text.matchAll(/"\$ref":"#\/\$defs\/([^"]*)"/gu)].some(([, next = '']) =>
    reaches(definitions, next, target, seen),
  );
}

function objectAt(schema: SchemaObject, key: string): Readonly<Record<string, unknown>> {
  return isSchemaObject(schema[key]) ? schema[key] : {};
}

function listAt(schema: SchemaObject, key: string): readonly string[] {
  return Array.isArray(schema[key]) ? (schema[key] as readonly string[]) : [];
}
