/** Where a schema stands. */
export interface SchemaPlace {
  readonly path: string;
  readonly depth: number;
  readonly indentation: string;
}

/** The place of a part, indented no further. */
export function below(place: SchemaPlace, part: string): SchemaPlace {
  return { ...place, depth: place.depth + 1, path: `${place.path}/${part}` };
}
