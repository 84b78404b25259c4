import { isKernelError } from '@ravi/kernel';
import type { JsonSchema, KernelError } from '@ravi/kernel';
import type { ErrorObject } from 'ajv';
import { createSchemaCompiler } from './schema-compiler.ts';
import type { Validate } from './schema-compiler.ts';

/** A compiled schema. */
export interface SchemaValidator {
  /** Returns the first problem with its details; empty if the value is valid. */
  validate(value: unknown): readonly ErrorObject[];
  /** Returns every problem, for values with places that cannot be judged yet. Compiled at the first use. */
  validateAll(value: unknown): readonly ErrorObject[];
}

const maxCached = 4_096;

/**
 * Cache of compiled schemas: by identity, because tools are frozen, and by content, because foreign tools are listed
 * again and again. Invalid schemas are cached too.
 */
export class SchemaCache {
  readonly #compiler = createSchemaCompiler();
  readonly #byIdentity = new WeakMap<JsonSchema, SchemaValidator | KernelError>();
  readonly #byContent = new Map<string, SchemaValidator | KernelError>();

  /** Compiles a JSON Schema once. @throws KernelError `E_TOOL_INVALID` for a schema that is too large, too deep or invalid */
  compile(schema: JsonSchema): SchemaValidator {
    let known = this.#byIdentity.get(schema);
    if (known === undefined) {
      known = this.#compileContent(schema);
      this.#byIdentity.set(schema, known);
    }
    if (isKernelError(known)) throw known;
    return known;
  }

  #compileContent(schema: JsonSchema): SchemaValidator | KernelError {
    const text = JSON.stringify(schema);
    const known = this.#byContent.get(text);
    if (known !== undefined) return known;
    const compiled = this.#tryCompile(schema, text);
    // Drop the oldest entry: a process may see an endless number of foreign schemas.
    if (this.#byContent.size >= maxCached) this.#byContent.delete(this.#byContent.keys().next().value as string);
    this.#byContent.set(text, compiled);
    return compiled;
  }

  #tryCompile(schema: JsonSchema, text: string): SchemaValidator | KernelError {
    const compiler = this.#compiler;
    try {
      compiler.check(schema, text);
      const validate = compiler.compile(schema, text, { allErrors: false });
      let all: Validate | undefined;
      return {
        validate,
        validateAll: (value) => (all ??= compiler.compile(schema, text, { allErrors: true }))(value),
      };
    } catch (error) {
      if (!isKernelError(error)) throw error;
      return error;
    }
  }
}
