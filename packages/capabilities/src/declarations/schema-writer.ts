import type { TypeText } from './type-text.ts';

/** Writes the types of one schema document; shared by the writers of its parts. */
export interface SchemaWriter {
  /** Returns the type of `schema`, which is at `place` in the document. */
  typeOf(schema: unknown, place: SchemaPlace): TypeText;
  report(path: string, problem: string): void;
  /** A member for the types of objects that take no other properties. */
  readonly closedMark: string | undefined;
}

/** Place of a schema in its document. */
export interface SchemaPlace {
  readonly path: string;
  readonly depth: number;
  readonly indentation: string;
}

/** Returns the place of a part, with the same indentation. */
export function below(place: SchemaPlace, part: string): SchemaPlace {
  return { ...place, depth: place.depth + 1, path: `${place.path}/${part}` };
}
