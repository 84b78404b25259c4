import type { ErrorObject } from 'ajv';
import { nearNames } from '@ravi/kernel';
import type { JsonSchema } from '@ravi/kernel';

/** One sentence that tells a model what is wrong with its arguments and where. */
export function describeProblem(problem: ErrorObject, schema: JsonSchema): string {
  const place = placeOf(problem.instancePath);
  const params = problem.params as Record<string, unknown>;
  switch (problem.keyword) {
    case 'required':
      return `${place === 'The arguments' ? 'The arguments are' : `${place} is`} missing the property "${String(params['missingProperty'])}"`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return unknownProperty(place, problem, schema);
    case 'type':
      return `${place} must be ${typeNames(params['type'])}`;
    case 'enum':
      return `${place} must be one of ${list(params['allowedValues'] as readonly unknown[])}`;
    case 'const':
      return `${place} must be ${JSON.stringify(params['allowedValue'])}`;
    case 'pattern':
      return `${place} must match the pattern ${String(params['pattern'])}`;
    default:
      return `${place} ${problem.message ?? 'is not valid'}`;
  }
}

function unknownProperty(place: string, problem: ErrorObject, schema: JsonSchema): string {
  const params = problem.params as { additionalProperty?: string; unevaluatedProperty?: string };
  const name = params.additionalProperty ?? params.unevaluatedProperty ?? '';
  const known = problem.instancePath === '' ? Object.keys((schema['properties'] as object | undefined) ?? {}) : [];
  const near = nearNames(name, known);
  const hint = near.length === 0 ? '' : `; did you mean ${near.map((each) => `"${each}"`).join(' or ')}?`;
  return `${place === 'The arguments' ? 'The arguments have' : `${place} has`} the unknown property "${name}"${hint}`;
}

function placeOf(pointer: string): string {
  if (pointer === '') return 'The arguments';
  const steps = pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const path = steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join('');
  return `"${path.replace(/^\./, '')}"`;
}

function typeNames(types: unknown): string {
  const names = Array.isArray(types) ? (types as readonly string[]) : String(types).split(',');
  return names.map((name) => (/^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`)).join(' or ');
}

function list(values: readonly unknown[]): string {
  const shown = values.slice(0, 20).map((value) => JSON.stringify(value));
  return values.length > shown.length ? `${shown.join(', ')}, … (${values.length} values)` : shown.join(', ');
}
