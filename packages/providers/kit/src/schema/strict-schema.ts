import { isJsonObject } from '../wire.ts';
import { followRefs, hasRecursion, mapSubschemas, resolveRef } from './subschemas.ts';
import { acceptsNull, nullable } from './nullable.ts';
import type { SchemaObject } from './subschemas.ts';

/** Rules of a provider for strictly enforced schemas. */
export interface StrictRules {
  /** Keywords that the provider rejects. */
  readonly forbidden: ReadonlySet<string>;
  /** Supported formats; others are removed from the schema. */
  readonly formats: ReadonlySet<string>;
  /** True if each property must be required: an optional one becomes required and nullable. */
  readonly allRequired: boolean;
  /** True if definitions may refer to themselves. */
  readonly recursion: boolean;
  /** True if objects below the root may have no properties. */
  readonly emptyObjects: boolean;
  /** True (default) if one `type` may combine object or array with other types. */
  readonly mixedTypes?: boolean;
  /** True (default) if alternatives may be references; otherwise references are replaced by their targets. */
  readonly referencesInAnyOf?: boolean;
  readonly maxProperties: number;
  readonly maxDepth: number;
  readonly maxEnumValues: number;
  /** Total characters of names, enum values and constants. */
  readonly maxNameChars: number;
}

/** Counts of a strict schema, for limits over all tools of a request. */
export interface SchemaCounts {
  properties: number;
  optional: number;
  unions: number;
  enumValues: number;
  nameChars: number;
  depth: number;
}

/** Schema that meets the rules, or the first reason why there is none. */
export type StrictSchema =
  | {
      readonly schema: SchemaObject;
      /** True if optional properties became nullable: then {@link stripNulls} must revert it. */
      readonly isRewritten: boolean;
      readonly counts: SchemaCounts;
    }
  | { readonly refused: string };

class NotStrict extends Error {}

/** Keywords that are kept unless a provider forbids them; no other keyword restricts arguments. */
const vocabulary = new Set(
  (
    'type enum const description format pattern $ref $defs definitions properties required additionalProperties items ' +
    'anyOf oneOf allOf minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems'
  ).split(' '),
);

/**
 * Rewrites a portable schema for strict mode: closes objects, makes all properties required and nullable if the rules
 * say so, removes unsupported formats. Refused if that would change what the tool accepts: a map, an untyped value, a
 * forbidden keyword, an exceeded limit.
 */
export function strictSchema(schema: SchemaObject, rules: StrictRules): StrictSchema {
  const counts: SchemaCounts = { properties: 0, optional: 0, unions: 0, enumValues: 0, nameChars: 0, depth: 0 };
  const state: State = { root: schema, rules, counts, isRewritten: false, open: new Set(), nodes: 0 };
  try {
    if (!rules.recursion && hasRecursion(schema)) return { refused: 'it refers to itself' };
    const strict = strictNode(schema, state, 0);
    const lost = danglingRef(strict);
    if (lost !== undefined) return { refused: `"$ref": "${lost}" points at a part that strict mode moves` };
    return { schema: strict, isRewritten: state.isRewritten, counts };
  } catch (error) {
    if (!(error instanceof NotStrict)) throw error;
    return { refused: error.message };
  }
}

/** More than the limits of any provider allow, including everything that they do not count. */
const maxNodes = 50_000;

interface State {
  readonly root: SchemaObject;
  readonly rules: StrictRules;
  readonly counts: SchemaCounts;
  /** Ancestors of the current schema. */
  readonly open: Set<SchemaObject>;
  isRewritten: boolean;
  nodes: number;
}

function strictNode(schema: unknown, state: State, depth: number): SchemaObject {
  const { rules, counts } = state;
  if (!isJsonObject(schema)) throw new NotStrict('part of it accepts any value');
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
    throw new NotStrict('part of it accepts any value');
  }
  countValues(node, counts);
  const types = [node['type'] ?? []].flat();
  if ('anyOf' in node || types.length > 1) counts.unions++;
  const isObject = types.includes('object');
  if (rules.mixedTypes === false && types.length > 1 && (isObject || types.includes('array'))) {
    throw new NotStrict(`"type": ${JSON.stringify(types)} mixes containers with other types`);
  }
  const level = depth + (isObject || types.includes('array') ? 1 : 0);
  counts.depth = Math.max(counts.depth, level);
  if (isObject) closeObject(node, state, depth);
  if (types.includes('array') && !isJsonObject(node['items'])) throw new NotStrict('an array in it accepts any item');
  checkLimits(counts, rules);
  if (rules.referencesInAnyOf === false && Array.isArray(node['anyOf'])) {
    node['anyOf'] = node['anyOf'].map((inner) => followRefs(inner, state.root));
  }
  state.open.add(schema);
  const strict = mapSubschemas(node, (inner) => (inner === false ? false : strictNode(inner, state, level)));
  state.open.delete(schema);
  return strict;
}

/** Returns the first reference without a target, which the rewriting has moved into an alternative. */
function danglingRef(root: SchemaObject): string | undefined {
  let lost: string | undefined;
  const visit = (schema: unknown): unknown => {
    if (!isJsonObject(schema) || lost !== undefined) return schema;
    const { $ref } = schema;
    if (typeof $ref === 'string' && resolveRef(root, $ref) === undefined) lost = $ref;
    return mapSubschemas(schema, visit);
  };
  visit(root);
  return lost;
}

function refNode(node: Record<string, unknown>): SchemaObject {
  const { $ref } = node;
  if (typeof $ref !== 'string' || !$ref.startsWith('#'))
    throw new NotStrict(`"$ref": ${JSON.stringify($ref)} is not a local reference`);
  const others = Object.keys(node).filter(
    (key) => key !== '$ref' && key !== 'description' && key !== '$defs' && key !== 'definitions',
  );
  if (others.length > 0) throw new NotStrict(`"${others[0] ?? ''}" is next to "$ref"`);
  return { $ref };
}

function closeObject(node: Record<string, unknown>, state: State, depth: number): void {
  const { rules, counts } = state;
  const properties = isJsonObject(node['properties']) ? node['properties'] : {};
  const names = Object.keys(properties);
  const open = node['additionalProperties'];
  if (open === true || isJsonObject(open)) throw new NotStrict('an object in it accepts any property');
  if (names.length === 0 && depth > 0 && !(rules.emptyObjects && open === false)) {
    throw new NotStrict('an object in it has no properties');
  }
  const required = Array.isArray(node['required']) ? (node['required'] as readonly string[]) : [];
  if (required.some((name) => !Object.hasOwn(properties, name)))
    throw new NotStrict('it requires a property that it does not define');
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
