import { Ajv } from 'ajv';
import type { ErrorObject, Options, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { KernelError } from '@ravi/kernel';
import type { JsonSchema } from '@ravi/kernel';
import { linearRegExp } from './linear-regexp.ts';

/** The largest schema that is compiled, in characters of JSON; compile time grows with it. */
const maxSchemaCharacters = 262_144;
/** How deep a schema may nest. */
const maxSchemaDepth = 64;

/** A compiled schema. */
export interface SchemaValidator {
  /** The first problem, or none. */
  validate(value: unknown): readonly ErrorObject[];
  /** Every problem: for values of which some places cannot be judged yet. Compiled at its first use. */
  validateAll(value: unknown): readonly ErrorObject[];
}

const maxCached = 4_096;

/** Compiled schemas: by identity, since tools are frozen, and by content, since foreign tools are listed again and again. */
export class SchemaCache {
  readonly #byIdentity = new WeakMap<JsonSchema, SchemaValidator>();
  readonly #byContent = new Map<string, SchemaValidator>();

  /**
   * Compiles a JSON Schema once, draft-07 or 2020-12 by its `$schema`. Formats are annotations, nothing is coerced,
   * only own properties count, patterns run in linear time.
   * @throws KernelError `E_TOOL_INVALID` for a schema that is too large, too deep or not valid
   */
  compile(schema: JsonSchema): SchemaValidator {
    const known = this.#byIdentity.get(schema);
    if (known !== undefined) return known;
    const validator = this.#compileContent(schema);
    this.#byIdentity.set(schema, validator);
    return validator;
  }

  #compileContent(schema: JsonSchema): SchemaValidator {
    const text = JSON.stringify(schema);
    const known = this.#byContent.get(text);
    if (known !== undefined) return known;
    const validator = compile(schema, text);
    // The oldest goes first, which keeps a process that sees endless foreign schemas bounded.
    if (this.#byContent.size >= maxCached) this.#byContent.delete(this.#byContent.keys().next().value as string);
    this.#byContent.set(text, validator);
    return validator;
  }
}

function compile(schema: JsonSchema, text: string): SchemaValidator {
  if (text.length > maxSchemaCharacters) {
    throw invalid(`it is larger than ${maxSchemaCharacters} characters (${text.length})`);
  }
  if (depthOf(schema) > maxSchemaDepth) throw invalid(`it nests deeper than ${maxSchemaDepth} levels`);
  const first = compileWith(schema, false);
  let all: ValidateFunction | undefined;
  return {
    validate: (value) => run(first, value),
    validateAll: (value) => run((all ??= compileWith(schema, true)), value),
  };
}

function run(validate: ValidateFunction, value: unknown): readonly ErrorObject[] {
  return validate(value) ? [] : (validate.errors ?? []);
}

function compileWith(schema: JsonSchema, allErrors: boolean): ValidateFunction {
  const options: Options = {
    strict: false,
    validateFormats: false,
    ownProperties: true,
    allErrors,
    addUsedSchema: false,
    logger: false,
    code: { regExp: linearRegExp },
  };
  try {
    // One class instance per schema: `$id`s of foreign schemas may collide.
    const ajv = isDraft07(schema) ? new Ajv(options) : new Ajv2020(options);
    return ajv.compile(withoutDialect(schema));
  } catch (cause) {
    throw invalid(cause instanceof Error ? cause.message : 'it does not compile', cause);
  }
}

function isDraft07(schema: JsonSchema): boolean {
  return typeof schema['$schema'] === 'string' && /draft-0[4-7]/.test(schema['$schema']);
}

// The dialect chose the class above; ajv refuses spellings of it that it does not know.
function withoutDialect(schema: JsonSchema): JsonSchema {
  if (schema['$schema'] === undefined) return schema;
  const { $schema: _dialect, ...rest } = schema;
  return rest;
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let deepest = 0;
  for (const child of Object.values(value)) {
    deepest = Math.max(deepest, depthOf(child));
    if (deepest > maxSchemaDepth) break;
  }
  return deepest + 1;
}

function invalid(reason: string, cause?: unknown): KernelError {
  return new KernelError('E_TOOL_INVALID', `The schema is not valid: ${reason}`, { cause });
}
