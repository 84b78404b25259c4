import { createDefinitions, isRecord } from './definitions.ts';
import type { Definitions } from './definitions.ts';
import { objectType } from './object-type.ts';
import { below } from './schema-writer.ts';
import type { SchemaPlace, SchemaWriter } from './schema-writer.ts';
import { arrayOf, intersectionOf, literalType, tight, unionOf, unknownType } from './type-text.ts';
import type { TypeNames, TypeText } from './type-text.ts';

/** Maximum depth of a type; anything deeper is `unknown`. */
const maxDepth = 16;
const maxEnumValues = 100;

/** Types of one schema document. */
export interface SchemaTypes {
  readonly root: TypeText;
  /** Aliases for the named definitions that the document uses. */
  readonly aliases: readonly string[];
}

/**
 * Returns the TypeScript types of a JSON Schema document, draft-07 or 2020-12. Malformed parts are reported and become
 * `unknown`; keywords that a type cannot express are left out.
 */
export function schemaTypes(
  document: unknown,
  options: {
    /** Prefix of the names of its aliases. */
    readonly prefix: string;
    readonly names: TypeNames;
    readonly indentation: string;
    readonly report: (path: string, problem: string) => void;
    readonly closedMark?: string | undefined;
  },
): SchemaTypes {
  const definitions = createDefinitions(document);
  const known = new Map<unknown, string>();
  const pending: { readonly schema: unknown; readonly name: string; readonly path: string }[] = [];
  const writer: SchemaWriter = { typeOf, report: options.report, closedMark: options.closedMark };

  const root = typeOf(document, { path: '#', depth: 0, indentation: options.indentation });
  const aliases: string[] = [];
  for (let alias = pending.shift(); alias !== undefined; alias = pending.shift()) {
    const type = aliasLoops(alias.schema, definitions)
      ? loop(alias.path)
      : typeOf(alias.schema, { path: alias.path, depth: 0, indentation: '' });
    aliases.push(`type ${alias.name} = ${type.text};`);
  }
  return { root, aliases };

  function typeOf(schema: unknown, place: SchemaPlace): TypeText {
    if (schema === true) return unknownType;
    if (schema === false) return tight('never');
    if (!isRecord(schema)) return malformed(place, 'is not a schema');
    if (place.depth > maxDepth) return unknownType;
    const types = [refType(schema, place), valueType(schema, place), ...combinedTypes(schema, place)];
    const type = intersectionOf(types);
    return schema['nullable'] === true ? unionOf([type, tight('null')]) : type;
  }

  function refType(schema: Record<string, unknown>, place: SchemaPlace): TypeText {
    const ref = schema['$ref'];
    if (ref === undefined) return unknownType;
    if (typeof ref !== 'string') return malformed(place, 'has a $ref that is not a string');
    const target = definitions.find(ref);
    if (target === undefined) return malformed(place, `refers to ${ref}, which is not in the schema`);
    let name = known.get(target);
    if (name === undefined) {
      name = options.names.add(options.prefix, ref);
      known.set(target, name);
      pending.push({ schema: target, name, path: ref });
    }
    return tight(name);
  }

  function valueType(schema: Record<string, unknown>, place: SchemaPlace): TypeText {
    if ('const' in schema) return literal(schema['const']);
    if (schema['enum'] !== undefined) return enumType(schema['enum'], place);
    const { type } = schema;
    if (type === undefined) return impliedType(schema, place);
    if (Array.isArray(type)) return unionOf(type.map((each) => primitiveType(each, schema, place)));
    return primitiveType(type, schema, place);
  }

  function impliedType(schema: Record<string, unknown>, place: SchemaPlace): TypeText {
    if (isRecord(schema['properties']) || schema['additionalProperties'] !== undefined)
      return objectType(schema, place, writer);
    return schema['items'] !== undefined || schema['prefixItems'] !== undefined
      ? arrayType(schema, place)
      : unknownType;
  }

  function primitiveType(type: unknown, schema: Record<string, unknown>, place: SchemaPlace): TypeText {
    if (type === 'string' || type === 'boolean' || type === 'null') return tight(type);
    if (type === 'number' || type === 'integer') return tight('number');
    if (type === 'object') return objectType(schema, place, writer);
    if (type === 'array') return arrayType(schema, place);
    return malformed(place, `has the type ${JSON.stringify(type)}, which does not exist`);
  }

  function enumType(values: unknown, place: SchemaPlace): TypeText {
    if (!Array.isArray(values) || values.length === 0)
      return malformed(place, 'has an enum that is not a list of values');
    if (values.length > maxEnumValues) return unionOf([...new Set(values.map(jsonType))].map(tight));
    return unionOf(values.map(literal));
  }

  function arrayType(schema: Record<string, unknown>, place: SchemaPlace): TypeText {
    const { items, prefixItems } = schema;
    const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined;
    if (tuple === undefined) return arrayOf(items === undefined ? unknownType : typeOf(items, below(place, 'items')));
    const required = typeof schema['minItems'] === 'number' ? schema['minItems'] : tuple.length;
    const parts = tuple.map((item, index) => {
      const type = typeOf(item, below(place, `items/${index}`));
      if (index < required) return type.text;
      return `${type.binds === 'tight' ? type.text : `(${type.text})`}?`;
    });
    const rest = Array.isArray(prefixItems) ? items : schema['additionalItems'];
    if (isRecord(rest) || rest === true) parts.push(`...${arrayOf(typeOf(rest, below(place, 'items'))).text}`);
    return tight(`[${parts.join(', ')}]`);
  }

  function combinedTypes(schema: Record<string, unknown>, place: SchemaPlace): readonly TypeText[] {
    const types: TypeText[] = [];
    for (const keyword of ['anyOf', 'oneOf', 'allOf'] as const) {
      const variants = schema[keyword];
      if (variants === undefined) continue;
      if (!Array.isArray(variants)) {
        types.push(malformed(place, `has an ${keyword} that is not a list`));
        continue;
      }
      const each = variants.map((variant, index) => typeOf(variant, below(place, `${keyword}/${index}`)));
      types.push(keyword === 'allOf' ? intersectionOf(each) : unionOf(each));
    }
    return types;
  }

  function malformed(place: SchemaPlace, problem: string): TypeText {
    options.report(place.path, problem);
    return unknownType;
  }

  function loop(path: string): TypeText {
    options.report(path, 'is defined only as itself');
    return unknownType;
  }
}

function literal(value: unknown): TypeText {
  const text = literalType(value);
  return text === undefined ? tight(jsonType(value)) : tight(text);
}

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'unknown[]';
  return typeof value === 'object' ? 'Record<string, unknown>' : typeof value;
}

// TypeScript refuses an alias that refers to itself without an object or array in between.
function aliasLoops(start: unknown, definitions: Definitions): boolean {
  const seen = new Set<unknown>();
  const leads = (schema: unknown): boolean => {
    if (!isRecord(schema)) return false;
    const parts = ['anyOf', 'oneOf', 'allOf'].flatMap((key) =>
      Array.isArray(schema[key]) ? (schema[key] as unknown[]) : [],
    );
    if (typeof schema['$ref'] === 'string') parts.push(definitions.find(schema['$ref']));
    return parts.some((part) => {
      if (part === start) return true;
      if (seen.has(part)) return false;
      seen.add(part);
      return leads(part);
    });
  };
  return leads(start);
}
