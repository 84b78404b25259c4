import type { ErrorObject } from 'ajv';
import type { JsonSchema } from '@ravi/kernel';
import type { SchemaCache } from './compile-schema.ts';
import { describeProblem } from './describe-problem.ts';

/** Keywords that judge a value through alternatives: undecided while a place below is. */
const combinators = new Set(['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', 'contains']);

/**
 * What is wrong with `args`, in plain words, or `undefined`. Places in `undecided` hold something else than they will
 * (an artifact ref), so problems at, below and, for alternatives, above them are left for the check after resolution.
 * @throws KernelError `E_TOOL_INVALID` when the schema itself is not valid
 */
export function validateArguments(
  cache: SchemaCache,
  schema: JsonSchema,
  args: unknown,
  undecided: readonly (readonly (string | number)[])[] = [],
): string | undefined {
  const validator = cache.compile(schema);
  if (undecided.length === 0) {
    const [problem] = validator.validate(args);
    return problem === undefined ? undefined : describeProblem(problem, schema);
  }
  const pointers = undecided.map(pointerOf);
  const problem = validator.validateAll(args).find((each) => !isUndecided(each, pointers));
  return problem === undefined ? undefined : describeProblem(problem, schema);
}

function isUndecided(problem: ErrorObject, pointers: readonly string[]): boolean {
  const place = `${problem.instancePath}/`;
  return pointers.some((pointer) => {
    if (place.startsWith(`${pointer}/`)) return true;
    if (!`${pointer}/`.startsWith(place)) return false;
    // Within an alternative every branch reports; only the decision above it would count, and that is open.
    return (
      combinators.has(problem.keyword) || /\/(anyOf|oneOf|not|if|then|else|contains)(\/|$)/.test(problem.schemaPath)
    );
  });
}

function pointerOf(path: readonly (string | number)[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
