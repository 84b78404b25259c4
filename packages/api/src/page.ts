import { array, integer, object, string } from './schema.ts';
import type { ObjectSchema, Schema } from './schema.ts';

/** A part of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The `cursor` of the next page; absent on the last one. */
  readonly next?: string;
}

/** Parameters of the query of every list that has pages. */
export const pageQuery = {
  limit: integer({ minimum: 1, maximum: 200, description: 'Entries per page; default 50.' }),
  cursor: string({ minLength: 1, maxLength: 1_000, description: '"next" of the previous page.' }),
} as const;

/** Returns the schema of a part of a list. */
export function page<Item>(items: Schema<Item>): ObjectSchema<Page<Item>> {
  return object({ items: array(items) }, { next: string() });
}
