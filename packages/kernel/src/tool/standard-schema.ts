import type { JsonSchema } from '../base/json.ts';

/**
 * Subset of Standard Schema v1 and of its JSON Schema extension that `defineTool` uses. Implemented by zod, valibot and
 * arktype. Source: standardschema.dev, `@standard-schema/spec` 1.1.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
      readonly output: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
    };
  };
}

/** Validated value, or the issues of an invalid one. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] };

/** Returns true if `schema` is a Standard Schema and not a JSON Schema document. */
export function isStandardSchema(schema: unknown): schema is StandardSchema {
  return (typeof schema === 'object' || typeof schema === 'function') && schema !== null && '~standard' in schema;
}

/**
 * Returns the JSON Schema of a Standard Schema.
 * @throws TypeError if the library does not implement the JSON Schema extension
 */
export function jsonSchemaOf(schema: StandardSchema, side: 'input' | 'output'): JsonSchema {
  const convert = schema['~standard'].jsonSchema?.[side];
  if (convert === undefined) {
    const { vendor } = schema['~standard'];
    throw new TypeError(`The ${vendor} schema has no JSON Schema form; convert it with the library's own function`);
  }
  return convert({ target: 'draft-2020-12' });
}
