import type { SchemaObject } from '@ravi/provider-kit';

/** Adds these keywords of the original schema to the description. */
export function withNotes(schema: SchemaObject, original: SchemaObject, keywords: readonly string[]): SchemaObject {
  const notes = keywords
    .filter((key) => original[key] !== undefined && original[key] !== false)
    .map((key) => `${key}: ${JSON.stringify(original[key])}`);
  return notes.length === 0 ? schema : { ...schema, ...description(schema['description'], `(${notes.join(', ')})`) };
}

/** Joins descriptions into one; none if there are none. */
export function description(...words: readonly unknown[]): { readonly description?: string } {
  const said = words.filter((word) => typeof word === 'string');
  return said.length === 0 ? {} : { description: said.join(' ') };
}
