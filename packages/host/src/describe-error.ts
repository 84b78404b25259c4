import { nearNames, syntaxErrorPlace } from '@ravi/support';
import type { ErrorObject } from 'ajv';

/** Returns the message of a thrown value of any type. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Describes a failed import, starting with the place of a syntax error if Node reports it. */
export function importProblem(thrown: unknown): string {
  const place = syntaxErrorPlace(thrown);
  return place === undefined ? messageOf(thrown) : `${place}: ${messageOf(thrown)}`;
}

/**
 * Describes ajv errors as text that starts with the key: `server.port must be at least 0`. Expects `verbose` errors. Values
 * are not repeated, because an option may hold a secret.
 */
export function describeErrors(errors: readonly ErrorObject[], place: string): readonly string[] {
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf');
  const isBranch = (error: ErrorObject): boolean =>
    choices.some((choice) => error !== choice && error.schemaPath.startsWith(`${choice.schemaPath}/`));
  // The rule that a name breaks is an error of its own, which says more.
  const isNamed = ({ keyword }: ErrorObject): boolean => keyword === 'propertyNames';
  return errors
    .filter((error) => !isBranch(error) && !isNamed(error))
    .map((error) => describe(error, placeOf(error.instancePath, place)));
}

function describe(error: ErrorObject, place: string): string {
  // Of a name that breaks a rule, ajv says the place of its object.
  const at = error.propertyName === undefined ? place : joinPlace(place, error.propertyName);
  const subject = at === '' ? 'the configuration' : error.propertyName === undefined ? at : `the name of ${at}`;
  const { limit } = error.params;
  switch (error.keyword) {
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return unknownKey(error, at);
    case 'required':
      return `${subject} needs "${error.params['missingProperty']}"`;
    case 'type':
      return `${subject} must be ${isVariable(error) ? '{ "$env": "NAME" }' : typeWords(error.params['type'])}, not ${typeOf(error.data, error.params['type'])}`;
    case 'enum':
      return `${subject} must be one of ${(error.params['allowedValues'] as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`;
    case 'const':
      return `${subject} must be ${JSON.stringify(error.params['allowedValue'])}`;
    case 'minimum':
      return `${subject} must be at least ${limit}`;
    case 'maximum':
      return `${subject} must be at most ${limit}`;
    case 'minLength':
      return limit === 1 ? `${subject} must not be empty` : `${subject} must have at least ${limit} characters`;
    case 'minItems':
      return limit === 1 ? `${subject} must not be empty` : `${subject} must have at least ${limit} entries`;
    case 'anyOf':
    case 'oneOf':
      return `${subject} matches none of its allowed forms`;
    default:
      return `${subject} ${error.message?.replace('must NOT', 'must not') ?? `breaks the rule "${error.keyword}"`}`;
  }
}

// A value that must come from the environment: people write the value itself.
function isVariable({ parentSchema }: ErrorObject): boolean {
  return (parentSchema?.['required'] as readonly string[] | undefined)?.includes('$env') === true;
}

function unknownKey(error: ErrorObject, at: string): string {
  const key = String(error.params['additionalProperty'] ?? error.params['unevaluatedProperty']);
  const known = Object.keys((error.parentSchema?.['properties'] as object | undefined) ?? {});
  const near = nearNames(key, known);
  const hint =
    near.length > 0
      ? `did you mean ${list(near)}?`
      : known.length > 0
        ? `the keys are ${list(known)}`
        : 'this object takes no keys';
  return `${joinPlace(at, key)} is not a known key; ${hint}`;
}

function list(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}

/** Converts a JSON pointer to a key such as `plugins.modelProvider[0].use`. */
function placeOf(pointer: string, place: string): string {
  const segments = pointer.split('/').slice(1);
  return segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~')).reduce(joinPlace, place);
}

function joinPlace(place: string, key: string): string {
  if (/^\d+$/.test(key)) return `${place}[${key}]`;
  if (!/^[\w$]+$/.test(key)) return `${place}[${JSON.stringify(key)}]`;
  return place === '' ? key : `${place}.${key}`;
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

function typeWords(type: string | readonly string[]): string {
  return [type]
    .flat()
    .map((name) => typeNames[name] ?? name)
    .join(' or ');
}

function typeOf(value: unknown, wanted: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'number' && [wanted].flat().includes('integer')) return 'a fraction';
  const type = Array.isArray(value) ? 'array' : typeof value;
  return typeNames[type] ?? type;
}
