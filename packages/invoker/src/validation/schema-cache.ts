import { isKernelError } from '@ravi/kernel';
import type { JsonSchema, KernelError } from '@ravi/kernel';
import { compileSchema } from './schema-compiler.ts';
import type { SchemaValidator } from './schema-compiler.ts';

const maxCached = 4_096;
/** Characters of all schemas in the cache by content; a compiled schema takes about ten times as many bytes. */
const maxCachedCharacters = 8_388_608;

/**
 * Cache of compiled schemas: by identity, because tools are frozen, and by content, because foreign tools are listed
 * again and again. Invalid schemas are cached too.
 */
export class SchemaCache {
  readonly #byIdentity = new WeakMap<JsonSchema, SchemaValidator | KernelError>();
  readonly #byContent = new Map<string, SchemaValidator | KernelError>();
  #characters = 0;

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
    this.#byContent.set(text, compiled);
    this.#characters += text.length;
    this.#dropOldest();
    return compiled;
  }

  // A process may see an endless number of foreign schemas.
  #dropOldest(): void {
    for (const text of this.#byContent.keys()) {
      if (this.#byContent.size <= maxCached && this.#characters <= maxCachedCharacters) return;
      this.#byContent.delete(text);
      this.#characters -= text.length;
    }
  }

  #tryCompile(schema: JsonSchema, text: string): SchemaValidator | KernelError {
    try {
      return compileSchema(schema, text);
    } catch (error) {
      if (!isKernelError(error)) throw error;
      return error;
    }
  }
}
