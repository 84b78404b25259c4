import type { JsonSchema, JsonObject } from '@ravi/kernel';
import { jsonTextProblem } from '@ravi/support';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { problem } from './problem.ts';

const words: Readonly<Record<string, string>> = {
  object: 'a JSON object',
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
};

// A test checks the schemas of all operations. Their meta schema would take a tenth of a start to compile.
const ofOperations = { verbose: true, strict: true, meta: false, validateSchema: false } as const;
const bodies = new Ajv2020({ ...ofOperations, allowUnionTypes: true });
// Query values are text, so "5" is accepted as a number.
const queries = new Ajv2020({ ...ofOperations, coerceTypes: true });

/** Checks a value. @throws KernelError `E_REQUEST_INVALID` that lists its mistakes */
export type Validate = (value: unknown) => void;

/** Creates a check of bodies, which compiles the schema when it is first used. */
export function bodyValidator(schema: JsonSchema): Validate {
  return validator(() => bodies.compile(schema));
}

/**
 * Creates a check of query parameters, which also converts them to the types of their schemas. It compiles the schema when it
 * is first used.
 */
export function queryValidator(schema: JsonSchema): Validate {
  return validator(() => queries.compile(schema));
}

// Compiling all of them would be a third of a start.
function validator(compile: () => ValidateFunction): Validate {
  let compiled: ValidateFunction | undefined;
  return (value) => {
    const validate = (compiled ??= compile());
    if (validate(value)) return;
    throw problem('E_REQUEST_INVALID', (validate.errors ?? []).map(describe).join('; '));
  };
}

// Values are not repeated, because they may be secrets.
function describe({ keyword, instancePath, params, parentSchema, message = '' }: ErrorObject): string {
  const place = instancePath.slice(1).replaceAll('/', '.');
  const { properties = {} } = parentSchema as { readonly properties?: Readonly<Record<string, JsonSchema>> };
  if (keyword === 'additionalProperties') {
    const known = Object.keys(properties);
    const keys = known.length === 0 ? 'there are no keys' : `the keys are ${known.join(', ')}`;
    return `"${params['additionalProperty']}" is not a known key; ${keys}`;
  }
  if (keyword === 'required') {
    const name = String(params['missingProperty']);
    const type = words[String(properties[name]?.['type'])];
    return type === undefined ? `"${name}" is missing` : `"${name}" is missing and must be ${type}`;
  }
  if (keyword === 'type') {
    const types = [params['type']].flat().map((type) => words[String(type)] ?? String(type));
    return `"${place}" must be ${types.join(' or ')}`;
  }
  if (keyword === 'enum') return `"${place}" must be one of ${(params['allowedValues'] as unknown[]).join(', ')}`;
  return `"${place}" ${message}`;
}

/**
 * Returns the parameters of a query by name. Every name, even `__proto__`, becomes an own property.
 * @throws KernelError `E_REQUEST_INVALID` for a duplicate parameter
 */
export function readQuery(url: string): Record<string, string> {
  if (!url.includes('?')) return {};
  const given = [...new URL(url).searchParams];
  const query = Object.fromEntries(given);
  if (Object.keys(query).length === given.length) return query;
  const names = given.map(([name]) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  throw problem('E_REQUEST_INVALID', `The query parameter "${repeated}" occurs twice`);
}

/** Refuses bodies above `maxBytes`, announced or streamed, before they are read completely. */
export function limitBody(maxBytes: number): MiddlewareHandler {
  return bodyLimit({
    maxSize: maxBytes,
    onError: () => {
      throw problem('E_BODY_TOO_LARGE', `The body is larger than ${maxBytes} bytes`);
    },
  });
}

/**
 * Reads the body as a JSON object.
 * @throws KernelError `E_CONTENT_TYPE`, `E_REQUEST_INVALID`
 */
export async function readBody({ req }: Context): Promise<JsonObject> {
  requireJson(req.header('content-type') ?? '', req.header('content-encoding') ?? 'identity');
  const body = parse(decode(await req.arrayBuffer()));
  if (!isObject(body)) throw problem('E_REQUEST_INVALID', 'The body must be a JSON object');
  return body;
}

function requireJson(contentType: string, encoding: string): void {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  if (type !== 'application/json') {
    throw problem('E_CONTENT_TYPE', `The content type must be application/json, got "${type}"`);
  }
  const isOtherCharset = parameters.some((part) => part.startsWith('charset=') && !/^charset="?utf-?8"?$/.test(part));
  if (isOtherCharset || encoding.toLowerCase() !== 'identity') {
    throw problem('E_CONTENT_TYPE', 'The body must be JSON in UTF-8, without a content encoding');
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw problem('E_REQUEST_INVALID', 'The body is not UTF-8');
  }
}

function parse(text: string): unknown {
  const tooMuch = jsonTextProblem(text);
  if (tooMuch !== undefined) throw problem('E_REQUEST_INVALID', `The body ${tooMuch}`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw problem('E_REQUEST_INVALID', `The body is not JSON: ${(error as SyntaxError).message}`);
  }
}
