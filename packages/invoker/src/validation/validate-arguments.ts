import type { JsonSchema } from '@ravi/kernel';
import { describeProblem } from './describe-problem.ts';
import type { Subject } from './describe-problem.ts';
import type { Problem } from './run.ts';
import { SchemaCache } from './schema-cache.ts';

/** Keywords that combine the results of other schemas: undecided while a place below is undecided. */
const combinators = new Set(['anyOf', 'oneOf', 'not', 'if', 'contains', 'unevaluatedProperties', 'unevaluatedItems']);

/**
 * Validates `args` and describes the first problem in plain words; `undefined` if there is no problem. Places in
 * `undecided` hold an artifact ref instead of their final content, so problems at and below them, and of alternatives
 * above them, are left for the check after the ref is resolved.
 * @throws KernelError `E_TOOL_INVALID` when the schema itself is invalid
 */
export function validateArguments(
  cache: SchemaCache,
  schema: JsonSchema,
  args: unknown,
  undecided: readonly (readonly (string | number)[])[] = [],
): string | undefined {
  const validator = cache.compile(schema);
  if (undecided.length === 0) return describeProblem(validator.validate(args), schema);
  return describeProblem(findProblems(cache, schema, args, undecided.map(pointerOf)), schema);
}

/**
 * Validates a value that is not arguments, and describes the first problem with it; `undefined` if there is none.
 * @throws KernelError `E_TOOL_INVALID` when the schema itself is invalid
 */
export function validateValue(
  cache: SchemaCache,
  schema: JsonSchema,
  value: unknown,
  subject: Subject,
): string | undefined {
  return describeProblem(cache.compile(schema).validate(value), schema, subject);
}

/** Returns every problem, except those that depend on the values at the JSON pointers in `undecided`. */
export function findProblems(
  cache: SchemaCache,
  schema: JsonSchema,
  args: unknown,
  undecided: readonly string[],
): readonly Problem[] {
  const problems = cache.compile(schema).validateAll(args);
  return undecided.length === 0 ? problems : decided(problems, undecided);
}

function decided(problems: readonly Problem[], pointers: readonly string[]): readonly Problem[] {
  const above = new Set(pointers.flatMap(withPlacesAbove));
  // Every branch of an alternative reports its own problems, so all of them are open if the alternative is.
  const open = problems
    .filter((each) => combinators.has(each.keyword) && above.has(each.instancePath))
    .map((each) => each.instancePath);
  const undecided = new Set([...pointers, ...open]);
  return problems.filter((each) => !withPlacesAbove(each.instancePath).some((place) => undecided.has(place)));
}

// Sets instead of comparisons: there may be thousands of problems and a thousand places.
function withPlacesAbove(pointer: string): readonly string[] {
  const steps = pointer.split('/');
  return steps.map((_, index) => steps.slice(0, index + 1).join('/'));
}

/** Returns a path as a JSON pointer. */
export function pointerOf(path: readonly (string | number)[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Describes in plain words what is wrong with arguments; `undefined` if nothing is. @throws KernelError `E_TOOL_INVALID` for an invalid schema */
export type ArgumentCheck = (schema: JsonSchema, args: unknown) => string | undefined;

/** Creates the check that the invoker applies to arguments, for values that are not tool calls. Compiled schemas are cached. */
export function createArgumentCheck(): ArgumentCheck {
  const schemas = new SchemaCache();
  return (schema, args) => validateArguments(schemas, schema, args);
}
