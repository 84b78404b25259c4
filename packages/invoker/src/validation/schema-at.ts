import { isKernelError } from '@ravi/kernel';
import type { JsonSchema } from '@ravi/kernel';
import { createPatternCompiler } from './linear-regexp.ts';
import { Run } from './run.ts';

/** Form of content that a schema asks for at one place. */
export type WantedContent = 'text' | 'bytes' | 'json' | 'any';

/** Content that a schema asks for at one place. */
export interface PlaceContent {
  readonly wanted: WantedContent;
  /** True if text or bytes fit there and the schema sets no values or pattern, so a stream skips no check but the length. */
  readonly isStreamable: boolean;
}

/**
 * Finds the content that a schema asks for at places of one set of arguments: `text` for a string, `bytes` for a string of format
 * `binary`, `json` for an object, array, number or boolean, `any` if it says nothing or allows both. Follows properties, items,
 * local `$ref`s, alternatives and conditions. All places together may take as much work as one validation.
 */
export class ContentLookup {
  readonly #root: JsonSchema;
  readonly #run = new Run();
  readonly #compile = createPatternCompiler(this.#run);

  constructor(root: JsonSchema) {
    this.#root = root;
    this.#run.start();
  }

  /** Returns the content at `path`. @throws KernelError `E_TOOL_INVALID` for a schema that takes too much work */
  at(path: readonly (string | number)[]): PlaceContent {
    let places = this.#expand([this.#root]);
    for (const step of path) places = this.#expand(places.flatMap((place) => this.#below(place, step)));
    const found = new Set(places.flatMap(wantedBy));
    const isStreamable = (found.size === 0 || found.has('text') || found.has('bytes')) && !places.some(setsValues);
    return { wanted: joined(found), isStreamable };
  }

  #below(schema: JsonSchema, step: string | number): readonly JsonSchema[] {
    if (typeof step === 'number') return itemAt(schema, step);
    const { properties = {}, patternProperties = {} } = schema as Readonly<
      Record<string, Readonly<Record<string, unknown>>>
    >;
    const named = Object.hasOwn(properties, step) ? schemas(properties[step]) : [];
    const byPattern = Object.entries(patternProperties).flatMap(([pattern, value]) =>
      this.#mayMatch(pattern, step) ? schemas(value) : [],
    );
    return named.length + byPattern.length > 0 ? [...named, ...byPattern] : schemas(schema['additionalProperties']);
  }

  // A pattern that cannot be compiled makes the schema invalid when the arguments are checked.
  #mayMatch(pattern: string, name: string): boolean {
    try {
      return this.#compile(pattern)(name);
    } catch (error) {
      if (isKernelError(error)) throw error;
      return true;
    }
  }

  // The schema with everything that its references and combinators add; each once, so that recursion ends.
  #expand(start: readonly JsonSchema[]): readonly JsonSchema[] {
    const all = new Set(start);
    for (const schema of all) {
      this.#run.charge(1);
      for (const branch of branchesOf(schema)) schemas(branch).forEach((each) => all.add(each));
      if (typeof schema['$ref'] === 'string') {
        schemas(resolve(schema['$ref'], this.#root)).forEach((each) => all.add(each));
      }
    }
    return [...all];
  }
}

function branchesOf(schema: JsonSchema): readonly unknown[] {
  const {
    anyOf = [],
    oneOf = [],
    allOf = [],
    dependentSchemas = {},
  } = schema as Readonly<Record<string, readonly unknown[]>>;
  return [...anyOf, ...oneOf, ...allOf, schema['then'], schema['else'], ...Object.values(dependentSchemas)];
}

function itemAt(schema: JsonSchema, index: number): readonly JsonSchema[] {
  const tuple = (schema['prefixItems'] ?? (Array.isArray(schema['items']) ? schema['items'] : undefined)) as
    | readonly unknown[]
    | undefined;
  return schemas(tuple?.[index] ?? (Array.isArray(schema['items']) ? schema['additionalItems'] : schema['items']));
}

function joined(found: ReadonlySet<WantedContent>): WantedContent {
  if (found.size === 1) return [...found][0] as WantedContent;
  return found.has('bytes') && !found.has('json') ? 'bytes' : 'any';
}

// A reference that leads nowhere here may set anything.
function setsValues(schema: JsonSchema): boolean {
  const { $ref, format } = schema;
  return (
    ['enum', 'const', 'pattern', 'not', '$dynamicRef', '$recursiveRef'].some((keyword) =>
      Object.hasOwn(schema, keyword),
    ) ||
    (format !== undefined && format !== 'binary') ||
    (typeof $ref === 'string' && !$ref.startsWith('#'))
  );
}

function wantedBy(schema: JsonSchema): readonly WantedContent[] {
  const types = Array.isArray(schema['type']) ? (schema['type'] as readonly unknown[]) : [schema['type']];
  return types.flatMap((type): readonly WantedContent[] => {
    if (type === 'string') return [schema['format'] === 'binary' ? 'bytes' : 'text'];
    if (type === undefined || type === 'null') return [];
    return ['json'];
  });
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
