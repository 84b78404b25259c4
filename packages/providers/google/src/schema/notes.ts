import type { SchemaObject } from '@ravi/provider-kit';

/** The schema with these keywords of the original told in its description. */
export function withNotes(schema: SchemaObject, original: SchemaObject, keywords: readonly string[]): SchemaObject {
  const notes = keywords
    .filter((key) => original[key] !== undefined && original[key] !== false)
    .map((key) => `${key}: ${JSON.stringify(original[key])}`);
  if (notes.length === 0) return schema;
  const { description } = schema;
  const words = `(${notes.join(', ')})`;
  return { ...schema, description: typeof description === 'string' ? `${description} ${words}` : words };
}
