import { isJsonObject } from '../wire.ts';
import { followRefs, hasRecursion, mapSubschemas } from './subschemas.ts';
import { acceptsNull, nullable } from './nullable.ts';
import type { SchemaObject } from './subschemas.ts';

/** What a provider demands of a schema that it should enforce word by word. */
export interface StrictRules {
  /** Keywords that it refuses. */
  readonly forbidden: ReadonlySet<string>;
  /** Formats that it knows; others are left out of the schema. */
  readonly formats: ReadonlySet<string>;
  /** Each property must be required: an optional one becomes required and may be null. */
  readonly allRequired: boolean;
  /** Definitions may refer to themselves. */
  readonly recursion: boolean;
  /** An object without properties may stand below the root. */
  readonly emptyObjects: boolean;
  /** Objects and arrays may stand beside other types in one `type`; `true` when absent. */
  readonly mixedTypes?: boolean;
  /** References may be alternatives; where not, what they stand for takes their place. `true` when absent. */
  readonly referencesInAnyOf?: boolean;
  readonly maxProperties: number;
  readonly maxDepth: number;
  readonly maxEnumValues: number;
  /** Of names, enum values and constants together. */
  readonly maxNameChars: number;
}

/** What is in a strict schema, for limits over all tools of a request. */
export interface SchemaCounts {
  properties: number;
  optional: number;
  unions: number;
  enumValues: number;
  nameChars: number;
  depth: number;
}

/** A schema that holds the rules, or the first reason why there is none. */
export type StrictSchema =
  | {
      readonly schema: SchemaObject;
      /** Whether optional properties became nullable ones: then {@link stripNulls} has to undo it. */
      readonly isRewritten: boolean;
      readonly counts: SchemaCounts;
    }
  | { readonly refused: string };

class NotStrict extends Error {}

/** What is kept, unless a provider forbids it; everything else says nothing that an argument could break. */
const vocabulary = new Set(
  (
    'type enum const description format pattern $ref $defs definitions properties required additionalProperties items ' +
    'anyOf oneOf allOf minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems'
  ).split(' '),
);

/**
 * Rewrites a portable schema for strict mode: objects closed, all properties required where the rules say so and then
 * nullable, formats it does not know left out. Refused when that would change what the tool can be given: a map, an untyped
 * place, a keyword that the rules forbid, a limit that is passed.
 */
export function strictSchema(schema: SchemaObject, rules: StrictRules): StrictSchema {
  const counts: SchemaCounts = { properties: 0, optional: 0, unions: 0, enumValues: 0, nameChars: 0, depth: 0 };
  const state: State = { root: schema, rules, counts, isRewritten: false, open: new Set(), nodes: 0 };
  try {
    if (!rules.recursion && hasRecursion(schema)) return { refused: 'it refers to itself' };
    const strict = strictNode(schema, state, 0);
    return { schema: strict, isRewritten: state.isRewritten, counts };
  } catch (error) {
    if (!(error instanceof NotStrict)) throw error;
    return { refused: error.message };
  }
}

/** More than the limits of any provider allow, with all that they do not count. */
const maxNodes = 50_000;

interface State {
  readonly root: SchemaObject;
  readonly rules: StrictRules;
  readonly counts: SchemaCounts;
  /** Within which schemas the one at hand is. */
  readonly open: Set<SchemaObject>;
  isRewritten: boolean;
  nodes: number;
}

function strictNode(schema: unknown, state: State, depth: number): SchemaObject {
  const { rules, counts } = state;
  if (!isJsonObject(schema)) throw new NotStrict('a place of it takes anything');
  if (state.open.has(schema)) throw new NotStrict('it refers to itself among alternatives');
  if (++state.nodes > maxNodes) throw new NotStrict(`it has more than ${maxNodes} schemas`);
  const node: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (rules.forbidden.has(key)) throw new NotStrict(`"${key}" is not allowed in strict mode`);
    if (!vocabulary.has(key)) continue;
    if (key === 'format' && !rules.formats.has(String(value))) continue;
    node[key] = value;
  }
  if ('$ref' in node) return refNode(node);
  if (!['type', 'enum', 'const', 'anyOf', 'oneOf'].some((key) => key in node)) {
    throw new NotStrict('a place of it takes anything');
  }
  countValues(node, counts);
  const types = [node['type'] ?? []].flat();
  if ('anyOf' in node || types.length > 1) counts.unions++;
  const isObject = types.includes('object');
  if (rules.mixedTypes === false && types.length > 1 && (isObject || types.includes('array'))) {
    throw new NotStrict(`"type": ${JSON.stringify(types)} mixes what holds others with what does not`);
  }
  const level = depth + (isObject || types.includes('array') ? 1 : 0);
  counts.depth = Math.max(counts.depth, level);
  if (isObject) closeObject(node, state, depth);
  if (types.includes('array') && !isJsonObject(node['items'])) throw new NotStrict('an array of it takes anything');
  checkLimits(counts, rules);
  if (rules.referencesInAnyOf === false && Array.isArray(node['anyOf'])) {
    node['anyOf'] = node['anyOf'].map((inner) => followRefs(inner, state.root));
  }
  state.open.add(schema);
  const strict = mapSubschemas(node, (inner) => (inner === false ? false : strictNode(inner, state, level)));
  state.open.delete(schema);
  return strict;
}

function refNode(node: Record<string, unknown>): SchemaObject {
  const { $ref } = node;
  if (typeof $ref !== 'string' || !$ref.startsWith('#'))
    throw new NotStrict(`"$ref": ${JSON.stringify($ref)} is elsewhere`);
  const others = Object.keys(node).filter(
    (key) => key !== '$ref' && key !== 'description' && key !== '$defs' && key !== 'definitions',
  );
  if (others.length > 0) throw new NotStrict(`"${others[0] ?? ''}" stands beside "$ref"`);
  return { $ref };
}

function closeObject(node: Record<string, unknown>, state: State, depth: number): void {
  const { rules, counts } = state;
  const properties = isJsonObject(node['properties']) ? node['properties'] : {};
  const names = Object.keys(properties);
  const open = node['additionalProperties'];
  if (open === true || isJsonObject(open)) throw new NotStrict('an object of it takes any property');
  if (names.length === 0 && depth > 0 && !(rules.emptyObjects && open === false)) {
    throw new NotStrict('an object of it has no properties');
  }
  const required = Array.isArray(node['required']) ? (node['required'] as readonly string[]) : [];
  if (required.some((name) => !Object.hasOwn(properties, name)))
    throw new NotStrict('it requires a property that it does not describe');
  const optional = names.filter((name) => !required.includes(name));
  counts.properties += names.length;
  counts.optional += optional.length;
  counts.nameChars += names.join('').length;
  node['additionalProperties'] = false;
  node['properties'] = properties;
  if (!rules.allRequired) return;
  node['required'] = names;
  if (optional.length === 0) return;
  state.isRewritten = true;
  node['properties'] = Object.fromEntries(
    names.map((name) => {
      const inner = properties[name];
      if (!optional.includes(name) || acceptsNull(inner)) return [name, inner];
      return [name, nullable(inner, rules)];
    }),
  );
}

function countValues(node: SchemaObject, counts: SchemaCounts): void {
  if (Array.isArray(node['enum'])) {
    counts.enumValues += node['enum'].length;
    counts.nameChars += node['enum'].map(String).join('').length;
  }
  if ('const' in node) counts.nameChars += String(node['const']).length;
  for (const key of ['$defs', 'definitions']) {
    if (isJsonObject(node[key])) counts.nameChars += Object.keys(node[key]).join('').length;
  }
}

function checkLimits(counts: SchemaCounts, rules: StrictRules): void {
  const { properties, depth, enumValues, nameChars } = counts;
  if (properties > rules.maxProperties) throw new NotStrict(`it has more than ${rules.maxProperties} properties`);
  if (depth > rules.maxDepth) throw new NotStrict(`it is deeper than ${rules.maxDepth} levels`);
  if (enumValues > rules.maxEnumValues) throw new NotStrict(`it has more than ${rules.maxEnumValues} enum values`);
  if (nameChars > rules.maxNameChars)
    throw new NotStrict(`its names and values have more than ${rules.maxNameChars} characters`);
}
