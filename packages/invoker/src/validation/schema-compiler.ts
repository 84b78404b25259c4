import { isKernelError, KernelError } from '@ravi/kernel';
import type { JsonSchema, JsonValue } from '@ravi/kernel';
import { emptyArray } from '@ravi/support';
import { Ajv } from 'ajv';
import type { ErrorObject, Options, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { canonicalJson } from '../arguments/digest.ts';
import { createLinearRegExp } from './linear-regexp.ts';
import { createStepCounter, stepKeyword, withReferenceSteps } from './reference-steps.ts';
import type { StepCounter } from './reference-steps.ts';

/** Validates a value and returns its problems; empty if the value is valid. @throws KernelError `E_TOOL_INVALID` if it cannot be validated */
export type Validate = (value: unknown) => readonly ErrorObject[];

/** Compiles untrusted schemas. */
export interface SchemaCompiler {
  /** Refuses an invalid schema. @throws KernelError `E_TOOL_INVALID` */
  check(schema: JsonSchema, text: string): void;
  /** Compiles a schema; `allErrors` continues after the first problem. @throws KernelError `E_TOOL_INVALID` */
  compile(schema: JsonSchema, text: string, options: { readonly allErrors: boolean }): Validate;
}

const options: Options = {
  strict: false,
  validateFormats: false,
  ownProperties: true,
  logger: false,
  // With inlined references a schema of 74 KB became gigabytes of code.
  inlineRefs: false,
};

/**
 * Creates a compiler for draft-07 and 2020-12, chosen by `$schema`. Formats are annotations, nothing is coerced, only own
 * properties count, patterns and `uniqueItems` run in linear time, and references are counted.
 */
export function createSchemaCompiler(): SchemaCompiler {
  // The meta-schema takes 15 ms to compile: once per dialect, not once per schema.
  const dialects = new Map<typeof Ajv, Ajv>();

  return {
    check(schema, text) {
      checkSchemaLimits(schema, text);
      const Dialect = dialectOf(schema);
      const ajv = dialects.get(Dialect) ?? new Dialect(options);
      dialects.set(Dialect, ajv);
      if (ajv.validateSchema(withoutDialect(schema)) !== true) throw invalidSchema(firstProblem(ajv.errors));
    },
    compile(schema, text, { allErrors }) {
      const steps = createStepCounter();
      const validate = build(withReferenceSteps(schema, text), allErrors, steps);
      return (value) => {
        steps.start(value);
        return run(validate, value);
      };
    },
  };
}

function build(schema: JsonSchema, allErrors: boolean, steps: StepCounter): ValidateFunction {
  try {
    const Dialect = dialectOf(schema);
    // One instance per schema: `$id`s of foreign schemas may collide.
    const ajv = new Dialect({
      ...options,
      meta: false,
      validateSchema: false,
      allErrors,
      code: { regExp: createLinearRegExp(), optimize: false },
    });
    const step = (): boolean => {
      if (steps.step()) return true;
      throw invalidSchema('its references refer to each other without end');
    };
    // Before the reference: after a failure ajv evaluates no further keywords.
    const before = Dialect === Ajv ? '$ref' : '$dynamicRef';
    ajv.addKeyword({ keyword: stepKeyword, schemaType: 'boolean', errors: false, before, validate: step });
    ajv.removeKeyword('uniqueItems').addKeyword({
      keyword: 'uniqueItems',
      type: 'array',
      schemaType: 'boolean',
      compile: (isUnique: boolean) => (isUnique ? hasNoDuplicates : () => true),
      error: { message: 'must NOT have duplicate items' },
    });
    const validate = ajv.compile(withoutDialect(schema));
    if ('$async' in validate) throw new Error('it is asynchronous ($async)');
    return validate;
  } catch (cause) {
    throw invalidSchema(cause instanceof Error ? cause.message : 'it does not compile', cause);
  }
}

function run(validate: ValidateFunction, value: unknown): readonly ErrorObject[] {
  try {
    return validate(value) ? emptyArray : (validate.errors ?? emptyArray);
  } catch (cause) {
    if (isKernelError(cause)) throw cause;
    throw invalidSchema('it is too deep to be followed', cause);
  }
}

// ajv compares every pair, which takes minutes for a long list.
function hasNoDuplicates(list: readonly JsonValue[]): boolean {
  return new Set(list.map(canonicalJson)).size === list.length;
}

function dialectOf(schema: JsonSchema): typeof Ajv {
  return typeof schema['$schema'] === 'string' && /draft-0[4-7]/.test(schema['$schema']) ? Ajv : Ajv2020;
}

// The dialect has already chosen the class, and ajv refuses spellings of `$schema` that it does not know.
function withoutDialect(schema: JsonSchema): JsonSchema {
  if (schema['$schema'] === undefined) return schema;
  const { $schema: _dialect, ...rest } = schema;
  return rest;
}

function firstProblem(errors: readonly ErrorObject[] | null | undefined): string {
  const [problem] = errors ?? [];
  if (problem === undefined) return 'it does not fit its dialect';
  return `${problem.instancePath.slice(1).replaceAll('/', '.') || 'it'} ${problem.message ?? 'is not valid'}`;
}

/** Largest schema that is compiled, in characters of JSON. */
const maxSchemaCharacters = 262_144;
/** Maximum nesting depth of a schema. */
const maxSchemaDepth = 64;
/** Maximum number of objects and lists in a schema: 4 000 compile in about half a second; the largest real schema known has 1 247. */
const maxSchemaNodes = 4_000;

/**
 * Refuses a schema that would take too long to compile: the compiler cannot be interrupted, so its input is bounded.
 * @throws KernelError `E_TOOL_INVALID` naming the limit
 */
function checkSchemaLimits(schema: JsonSchema, text: string): void {
  if (text.length > maxSchemaCharacters) {
    throw invalidSchema(`it is larger than ${maxSchemaCharacters} characters (${text.length})`);
  }
  let nodes = 0;
  function visit(value: unknown, depth: number): void {
    if (typeof value !== 'object' || value === null) return;
    if (depth > maxSchemaDepth) throw invalidSchema(`it nests deeper than ${maxSchemaDepth} levels`);
    if (++nodes > maxSchemaNodes) throw invalidSchema(`it has more than ${maxSchemaNodes} objects and lists`);
    for (const child of Object.values(value)) visit(child, depth + 1);
  }
  visit(schema, 1);
}

// The error of every schema that cannot be used.
function invalidSchema(reason: string, cause?: unknown): KernelError {
  return new KernelError('E_TOOL_INVALID', `The schema is not valid: ${reason}`, { cause });
}
