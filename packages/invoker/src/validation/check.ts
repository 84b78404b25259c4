import type { JsonSchema } from '@ravi/kernel';
import type { Place, Run } from './run.ts';
import type { Seen } from './seen.ts';

/**
 * Checks a value and returns true if it is valid. Problems are reported if there is a `place`; evaluated properties and
 * items are added to `seen` if there is one.
 */
export type Check = (value: unknown, place: Place | undefined, seen: Seen | undefined) => boolean;

/** JSON object with own properties. */
export type Members = Readonly<Record<string, unknown>>;

/** Dialect of a schema: draft-04 to draft-07, or 2020-12. */
export type Dialect = 'draft-07' | '2020-12';

/** Parts of the compiler that keywords use. */
export interface CompileContext {
  readonly dialect: Dialect;
  readonly run: Run;
  /** True if the schema has `unevaluatedProperties` or `unevaluatedItems`, so that every alternative has to be evaluated. */
  readonly tracks: boolean;
  /** Compiles a subschema. @throws Error if it is invalid */
  subschema(schema: unknown): Check;
  /** Compiles a pattern. @throws Error if it is not supported or too large */
  pattern(source: string): (text: string) => boolean;
  /** Resolves `$ref` or `$dynamicRef` of this schema. @throws Error for a reference without target */
  reference(keyword: '$ref' | '$dynamicRef', schema: JsonSchema): Check;
}

/** Checks of one schema, by the type of value that they apply to. */
export interface Checks {
  readonly any: Check[];
  readonly number: Check[];
  readonly string: Check[];
  readonly array: Check[];
  readonly object: Check[];
}
