import { isRecord } from './definitions.ts';
import { below } from './schema-writer.ts';
import type { SchemaPlace, SchemaWriter } from './schema-writer.ts';
import { docComment, propertyName, tight, unionOf, unknownType } from './type-text.ts';
import type { TypeText } from './type-text.ts';

const constraints = [
  'format',
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
] as const;

/** Returns the type of an object: its documented properties, and an index signature if it may have more. */
export function objectType(schema: Record<string, unknown>, place: SchemaPlace, writer: SchemaWriter): TypeText {
  const properties = propertiesOf(schema, place, writer);
  const required = requiredOf(schema, properties);
  const indentation = `${place.indentation}  `;
  const lines = properties.map(([name, property]) => {
    const type = writer.typeOf(property, {
      depth: place.depth + 1,
      path: `${place.path}/properties/${name}`,
      indentation,
    });
    const mark = required.has(name) ? '' : '?';
    return `${docComment(docOf(property), indentation)}${indentation}${propertyName(name)}${mark}: ${type.text};`;
  });
  const index = indexType(schema, place, writer);
  if (writer.closedMark !== undefined && schema['additionalProperties'] === false) lines.push(writer.closedMark);
  if (lines.length === 0) return tight(index === undefined ? emptyObject(schema) : `{ [key: string]: ${index.text} }`);
  // Every declared property must fit the index signature.
  if (index !== undefined) lines.push(`${indentation}[key: string]: unknown;`);
  return tight(`{\n${lines.join('\n')}\n${place.indentation}}`);
}

function emptyObject(schema: Record<string, unknown>): string {
  const isClosed = schema['additionalProperties'] === false || isRecord(schema['properties']);
  return isClosed ? '{}' : '{ [key: string]: unknown }';
}

function propertiesOf(
  schema: Record<string, unknown>,
  place: SchemaPlace,
  writer: SchemaWriter,
): readonly (readonly [string, unknown])[] {
  const { properties } = schema;
  if (properties === undefined) return [];
  if (isRecord(properties)) return Object.entries(properties);
  writer.report(place.path, 'has properties that are not an object');
  return [];
}

function requiredOf(
  schema: Record<string, unknown>,
  properties: readonly (readonly [string, unknown])[],
): ReadonlySet<unknown> {
  const { required } = schema;
  if (Array.isArray(required)) return new Set(required);
  // Draft-03 style, which some servers still send.
  return new Set(
    properties.filter(([, property]) => isRecord(property) && property['required'] === true).map(([name]) => name),
  );
}

function indexType(schema: Record<string, unknown>, place: SchemaPlace, writer: SchemaWriter): TypeText | undefined {
  const { additionalProperties, patternProperties } = schema;
  const types: TypeText[] = [];
  if (isRecord(patternProperties)) {
    for (const [pattern, property] of Object.entries(patternProperties)) {
      types.push(writer.typeOf(property, below(place, `patternProperties/${pattern}`)));
    }
  }
  if (isRecord(additionalProperties))
    types.push(writer.typeOf(additionalProperties, below(place, 'additionalProperties')));
  if (additionalProperties === true) types.push(unknownType);
  return types.length === 0 ? undefined : unionOf(types);
}

function docOf(schema: unknown): readonly string[] {
  if (!isRecord(schema)) return [];
  const lines: string[] = [];
  if (typeof schema['description'] === 'string') lines.push(schema['description'].replaceAll(/\s+/g, ' ').trim());
  if (schema['default'] !== undefined) lines.push(`@default ${shortJson(schema['default'])}`);
  for (const keyword of constraints) {
    const value = schema[keyword];
    if (typeof value === 'number' || typeof value === 'string') lines.push(`@${keyword} ${value}`);
  }
  if (schema['deprecated'] === true) lines.push('@deprecated');
  return lines.filter((line) => line !== '');
}

function shortJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
