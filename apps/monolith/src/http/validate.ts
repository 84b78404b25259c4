import type { JsonSchema } from '@ravi/kernel';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { problem } from './problem.ts';

const words: Readonly<Record<string, string>> = {
  object: 'a JSON object',
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
};

const bodies = new Ajv2020({ verbose: true, strict: true, allowUnionTypes: true });
// A query is text: "5" is the number that a schema asks for.
const queries = new Ajv2020({ verbose: true, strict: true, coerceTypes: true });

/** Checks a value and throws `E_REQUEST_INVALID` for what is wrong with it. */
export type Validate = (value: unknown) => void;

/** A check of bodies. */
export function bodyValidator(schema: JsonSchema): Validate {
  return validator(bodies.compile(schema));
}

/** A check of the parameters of a query, which turns them into the types that their schemas say. */
export function queryValidator(properties: Readonly<Record<string, JsonSchema>>): Validate {
  return validator(queries.compile({ type: 'object', properties, additionalProperties: false }));
}

function validator(validate: ValidateFunction): Validate {
  return (value) => {
    if (validate(value)) return;
    throw problem('E_REQUEST_INVALID', (validate.errors ?? []).map(describe).join('; '));
  };
}

// Values are not repeated: they may be secrets.
function describe({ keyword, instancePath, params, parentSchema, message = '' }: ErrorObject): string {
  const place = instancePath.slice(1).replaceAll('/', '.');
  const { properties = {} } = parentSchema as { readonly properties?: Readonly<Record<string, JsonSchema>> };
  if (keyword === 'additionalProperties') {
    const known = Object.keys(properties).join(', ') || 'none';
    return `"${params['additionalProperty']}" is not a known key; known are ${known}`;
  }
  if (keyword === 'required') {
    const name = String(params['missingProperty']);
    return `"${name}" must be ${words[String(properties[name]?.['type'])] ?? 'there'}`;
  }
  if (keyword === 'type') {
    const types = [params['type']].flat().map((type) => words[String(type)] ?? String(type));
    return `"${place}" must be ${types.join(' or ')}`;
  }
  if (keyword === 'enum') return `"${place}" must be one of ${(params['allowedValues'] as unknown[]).join(', ')}`;
  return `"${place}" ${message}`;
}
