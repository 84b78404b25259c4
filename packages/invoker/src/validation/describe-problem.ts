import type { JsonSchema } from '@ravi/kernel';
import { nearNames } from '@ravi/support';
import type { Problem } from './run.ts';

const maxCharacters = 4_000;
const alternatives = new Set(['anyOf', 'oneOf']);

/** Value that a schema describes, as the subject of the sentence about a problem. */
export type Subject = 'The arguments' | 'The result' | 'The answer';

/** Describes for a model, in one sentence, what is wrong with its arguments, or another value, and where; `undefined` if nothing is. */
export function describeProblem(
  problems: readonly Problem[],
  schema: JsonSchema,
  subject: Subject = 'The arguments',
): string | undefined {
  const [first] = problems;
  if (first === undefined) return undefined;
  const hasAlternatives = problems.some((each) => alternatives.has(each.keyword));
  const text = hasAlternatives ? describeAlternatives(problems, schema, subject) : describe(first, schema, subject);
  // Names of properties and constants may be as long as the arguments.
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}…`;
}

// The alternative that matched furthest was probably meant; if all failed at the same place, any of them would do.
function describeAlternatives(problems: readonly Problem[], schema: JsonSchema, subject: Subject): string {
  const causes = problems.filter((each) => !alternatives.has(each.keyword));
  const [furthest = problems[0] as Problem] = causes.toSorted((left, right) => depthOf(right) - depthOf(left));
  const rivals = causes.filter((each) => each.instancePath === furthest.instancePath);
  if (rivals.length > 1 && rivals.every((each) => each.keyword === 'type')) {
    return `${placeOf(furthest.instancePath, subject)} must be ${typeNames([...new Set(rivals.flatMap(typesOf))])}`;
  }
  if (rivals.length > 1 && rivals.every((each) => each.keyword === 'const')) {
    return `${placeOf(furthest.instancePath, subject)} must be one of ${list(rivals.map(constOf))}`;
  }
  return describe(rivals.find((each) => each.keyword !== 'type') ?? furthest, schema, subject);
}

function constOf({ params }: Problem): unknown {
  return (params as { readonly allowedValue: unknown }).allowedValue;
}

function depthOf({ instancePath }: Problem): number {
  return instancePath.split('/').length;
}

function typesOf({ params }: Problem): readonly string[] {
  const { type } = params as { readonly type?: string | readonly string[] };
  return type === undefined ? [] : [type].flat();
}

function describe(problem: Problem, schema: JsonSchema, subject: Subject): string {
  const place = placeOf(problem.instancePath, subject);
  const { params } = problem;
  switch (problem.keyword) {
    case 'required':
      return `${place} ${isPlural(place) ? 'are' : 'is'} missing the property "${String(params['missingProperty'])}"`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return unknownProperty(place, problem, schema);
    case 'type':
      return `${place} must be ${typeNames(typesOf(problem))}`;
    case 'enum':
      return `${place} must be one of ${list(params['allowedValues'] as readonly unknown[])}`;
    case 'const':
      return `${place} must be ${JSON.stringify(params['allowedValue'])}`;
    case 'pattern':
      return `${place} must match the pattern ${String(params['pattern'])}`;
    default:
      return `${place} ${problem.message?.replace('must NOT', 'must not') ?? 'is not valid'}`;
  }
}

function unknownProperty(place: string, problem: Problem, schema: JsonSchema): string {
  const params = problem.params as { additionalProperty?: string; unevaluatedProperty?: string };
  const name = params.additionalProperty ?? params.unevaluatedProperty ?? '';
  const known = problem.instancePath === '' ? Object.keys((schema['properties'] as object | undefined) ?? {}) : [];
  const near = nearNames(name, known);
  const hint = near.length === 0 ? '' : `; did you mean ${near.map((each) => `"${each}"`).join(' or ')}?`;
  return `${place} ${isPlural(place) ? 'have' : 'has'} the unknown property "${name}"${hint}`;
}

function isPlural(place: string): boolean {
  return place === 'The arguments';
}

function placeOf(pointer: string, subject: Subject): string {
  if (pointer === '') return subject;
  const steps = pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const path = steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join('');
  return `"${path.replace(/^\./, '')}"`;
}

function typeNames(names: readonly string[]): string {
  return names.map((name) => (/^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`)).join(' or ');
}

function list(values: readonly unknown[]): string {
  const shown = values.slice(0, 20).map((value) => JSON.stringify(value));
  return values.length > shown.length ? `${shown.join(', ')}, … (${values.length} values)` : shown.join(', ');
}
