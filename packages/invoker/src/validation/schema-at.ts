import type { JsonSchema } from '@ravi/kernel';

/** Form of content that a schema asks for at one place. */
export type WantedContent = 'text' | 'bytes' | 'json' | 'any';

/**
 * Returns the form of content that `schema` asks for at `path`: `text` for a string, `bytes` for a string of format
 * `binary`, `json` for an object, array, number or boolean, `any` if it says nothing or allows both. Follows properties,
 * items, local `$ref`s and alternatives.
 */
export function wantedAt(schema: JsonSchema, path: readonly (string | number)[]): WantedContent {
  let places: readonly JsonSchema[] = expand([schema], schema);
  for (const step of path)
    places = expand(
      places.flatMap((place) => below(place, step)),
      schema,
    );
  const wanted = new Set(places.flatMap(wantedBy));
  if (wanted.size === 1) return [...wanted][0] as WantedContent;
  return wanted.has('bytes') && !wanted.has('json') ? 'bytes' : 'any';
}

function wantedBy(schema: JsonSchema): readonly WantedContent[] {
  const types = Array.isArray(schema['type']) ? (schema['type'] as readonly unknown[]) : [schema['type']];
  return types.flatMap((type): readonly WantedContent[] => {
    if (type === 'string') return [schema['format'] === 'binary' ? 'bytes' : 'text'];
    if (type === undefined || type === 'null') return [];
    return ['json'];
  });
}

function below(schema: JsonSchema, step: string | number): readonly JsonSchema[] {
  if (typeof step === 'number') {
    const tuple = (schema['prefixItems'] ?? (Array.isArray(schema['items']) ? schema['items'] : undefined)) as
      | readonly unknown[]
      | undefined;
    return schemas(tuple?.[step] ?? (Array.isArray(schema['items']) ? schema['additionalItems'] : schema['items']));
  }
  const properties = schema['properties'] as Readonly<Record<string, unknown>> | undefined;
  if (properties !== undefined && Object.hasOwn(properties, step)) return schemas(properties[step]);
  return schemas(schema['additionalProperties']);
}

// The schema with everything that its references and combinators add; each once, so that recursion ends.
function expand(start: readonly JsonSchema[], root: JsonSchema): readonly JsonSchema[] {
  const all = new Set(start);
  for (const schema of all) {
    for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
      for (const branch of (schema[keyword] as readonly unknown[] | undefined) ?? [])
        schemas(branch).forEach((each) => all.add(each));
    }
    if (typeof schema['$ref'] === 'string') schemas(resolve(schema['$ref'], root)).forEach((each) => all.add(each));
  }
  return [...all];
}

function resolve(reference: string, root: JsonSchema): unknown {
  if (!reference.startsWith('#')) return undefined;
  let place: unknown = root;
  for (const step of reference.slice(1).split('/').filter(Boolean)) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, key)) return undefined;
    place = (place as Record<string, unknown>)[key];
  }
  return place;
}

function schemas(value: unknown): readonly JsonSchema[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? [value as JsonSchema] : [];
}
