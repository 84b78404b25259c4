import type { JsonSchema } from '@ravi/kernel';
import type { ErrorObject } from 'ajv';
import { describeProblem } from './describe-problem.ts';
import { SchemaCache } from './schema-cache.ts';

/** Keywords that judge a value by what alternatives say: undecided while a place below is. */
const combinators = new Set(['anyOf', 'oneOf', 'not', 'if', 'contains', 'unevaluatedProperties', 'unevaluatedItems']);

/**
 * What is wrong with `args`, in plain words, or `undefined`. Places in `undecided` hold something else than they will
 * (an artifact ref), so problems at and below them, and of alternatives above them, are left for the check after
 * resolution.
 * @throws KernelError `E_TOOL_INVALID` when the schema itself is not valid
 */
export function validateArguments(
  cache: SchemaCache,
  schema: JsonSchema,
  args: unknown,
  undecided: readonly (readonly (string | number)[])[] = [],
): string | undefined {
  const validator = cache.compile(schema);
  if (undecided.length === 0) return describeProblem(validator.validate(args), schema);
  const problems = validator.validateAll(args);
  if (problems.length === 0) return undefined;
  return describeProblem(decided(problems, undecided.map(pointerOf)), schema);
}

function decided(problems: readonly ErrorObject[], pointers: readonly string[]): readonly ErrorObject[] {
  // Every branch of an alternative reports its own problems, so with the alternative all of them are open.
  const open = problems
    .filter((each) => combinators.has(each.keyword))
    .map((each) => each.instancePath)
    .filter((path) => pointers.some((pointer) => isWithin(pointer, path)));
  const undecided = [...pointers, ...open];
  return problems.filter((each) => !undecided.some((place) => isWithin(each.instancePath, place)));
}

function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

function pointerOf(path: readonly (string | number)[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Says in plain words what is wrong with arguments; `undefined` for nothing. @throws KernelError `E_TOOL_INVALID` for a schema that is none */
export type ArgumentCheck = (schema: JsonSchema, args: unknown) => string | undefined;

/** The check that the invoker makes, for arguments of what is no tool. Compiled schemas are kept. */
export function createArgumentCheck(): ArgumentCheck {
  const schemas = new SchemaCache();
  return (schema, args) => validateArguments(schemas, schema, args);
}
