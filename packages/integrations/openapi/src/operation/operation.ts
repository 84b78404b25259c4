import type { JsonObject, JsonSchema, JsonValue } from '@ravi/kernel';
import { isObject, resolved, shown, textMember, Unusable } from '../document/json-pointer.ts';
import { SchemaCopier } from '../document/own-schema.ts';
import { namesServers } from '../document/server-address.ts';
import { readCredentials } from './credentials.ts';
import type { Credential, SentCredential } from './credentials.ts';
import { isIdempotencyKey, readParameters } from './parameters.ts';
import type { Parameter } from './parameters.ts';
import { readRequestBody } from './request-body.ts';
import type { RequestBody } from './request-body.ts';
import { readResponses } from './responses.ts';
import type { Responses } from './responses.ts';

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const;

/** Method of an operation, in upper case. */
export type Method = Uppercase<(typeof methods)[number]>;

/** Operation of a document that can be called. */
export interface Operation extends Responses {
  /** Name for patterns and overrides: the `operationId`, otherwise method and path in one word. */
  readonly name: string;
  readonly method: Method;
  /** With places for parameters, such as `/pets/{id}`. */
  readonly path: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly parameters: readonly Parameter[];
  readonly body: RequestBody | undefined;
  readonly credentials: readonly SentCredential[];
}

/** Operations of a document, and those that cannot be called. */
export interface Operations {
  readonly operations: readonly Operation[];
  readonly failures: readonly { readonly from: string; readonly message: string }[];
  /** Names of all operations, also of those that are not offered or cannot be called. */
  readonly names: readonly string[];
}

/** Options of {@link readOperations}. */
export interface ReadOperationsOptions {
  readonly isOffered: (name: string) => boolean;
  readonly credentials: Readonly<Record<string, Credential>>;
  readonly maxOperations: number;
}

const maxDescription = 4_000;
/** Characters of all schemas of a document; each tool has a copy of what it refers to. */
const maxSchemaCharacters = 64 * 1024 * 1024;

/** Reads the operations of a document. One that cannot be called is a failure and does not hide the others. */
export function readOperations(document: JsonObject, options: ReadOperationsOptions): Operations {
  const operations: Operation[] = [];
  const failures: { from: string; message: string }[] = [];
  let characters = 0;
  const all = namedOperations(document);
  const listed = all.filter(({ name }) => options.isOffered(name));
  for (const each of listed.slice(0, options.maxOperations)) {
    try {
      const operation = readOperation(document, each, options);
      characters += sizeOf(operation);
      if (characters > maxSchemaCharacters) throw new Unusable('the schemas of the document are too large together');
      operations.push(operation);
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      failures.push({ from: each.label, message: error.message });
    }
  }
  if (listed.length > options.maxOperations) {
    const message = `${listed.length} operations are more than ${options.maxOperations}; choose some with "allow"`;
    failures.push({ from: 'paths', message });
  }
  return { operations, failures, names: all.map(({ name }) => name) };
}

interface NamedOperation {
  readonly name: string;
  /** Method and path, for reports. */
  readonly label: string;
  readonly method: Method;
  readonly path: string;
  readonly item: JsonValue;
  readonly part: JsonValue;
}

function namedOperations(document: JsonObject): readonly NamedOperation[] {
  const paths = isObject(document['paths']) ? document['paths'] : {};
  const found = Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((key) => {
      const part = isObject(item) ? item[key] : undefined;
      if (part === undefined || !path.startsWith('/')) return [];
      const method = key.toUpperCase() as Method;
      return [
        {
          id: textMember(part, 'operationId') ?? '',
          label: `${method} ${path}`,
          method,
          path,
          item: item ?? null,
          part,
        },
      ];
    }),
  );
  const short = ({ id, method, path }: (typeof found)[number]): string =>
    id === '' ? `${method.toLowerCase()}${path.replaceAll(/[^A-Za-z0-9]+/g, '_').replace(/_$/, '')}` : id;
  const uses = Map.groupBy(found, short);
  // Operations that would share a name have their method and path instead, in any order.
  return found.map((each) => ({ ...each, name: uses.get(short(each))?.length === 1 ? short(each) : each.label }));
}

function readOperation(
  document: JsonObject,
  { name, label, method, path, item, part }: NamedOperation,
  options: ReadOperationsOptions,
): Operation {
  const pathItem = resolved(document, item, 'the path');
  const operation = resolved(document, part, 'the operation');
  if (namesServers(pathItem) || namesServers(operation)) throw new Unusable('it names a server of its own');
  const credentials = readCredentials(document, operation, options.credentials);
  // What a credential fills is not for the caller.
  const isCredential = (parameter: Parameter): boolean =>
    credentials.some(
      (each) => each.place === parameter.place && each.name.toLowerCase() === parameter.name.toLowerCase(),
    );
  const copier = new SchemaCopier(document, 'request');
  const parameters = readParameters(document, [pathItem, operation], copier).filter((each) => !isCredential(each));
  checkPath(path, parameters);
  const body = readRequestBody(document, operation, copier);
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) throw new Unusable(`a ${method} has no body`);
  return {
    name,
    method,
    path,
    description: descriptionOf(operation, pathItem, label),
    inputSchema: inputSchemaOf(parameters, body, copier.definitions()),
    parameters,
    body,
    credentials,
    ...readResponses(document, operation),
  };
}

function checkPath(path: string, parameters: readonly Parameter[]): void {
  const known = new Set(parameters.filter(({ place }) => place === 'path').map(({ name }) => name));
  const named = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
  const missing = named.find((name) => !known.has(name));
  if (missing !== undefined) throw new Unusable(`the path has no parameter ${shown(missing)}`);
  if (/[?#\\]|\/\.{1,2}(?:\/|$)/.test(path)) throw new Unusable('the path is not only a path');
}

function descriptionOf(operation: JsonObject, item: JsonObject, label: string): string {
  const texts = [operation, item].flatMap((part) => [textMember(part, 'summary'), textMember(part, 'description')]);
  const parts = new Set(texts.flatMap((text) => (text === undefined || text.trim() === '' ? [] : [text.trim()])));
  // The last line is true even if the text of the document is not.
  return [[...parts].join('\n').slice(0, maxDescription), label].filter((text) => text !== '').join('\n');
}

function inputSchemaOf(
  parameters: readonly Parameter[],
  body: RequestBody | undefined,
  definitions: JsonObject | undefined,
): JsonSchema {
  const chosen = parameters.filter((parameter) => !isIdempotencyKey(parameter));
  const properties = chosen.map(({ argument, schema }) => [argument, schema] as const);
  const required = chosen.filter(({ isRequired }) => isRequired).map(({ argument }) => argument);
  if (body?.isRequired === true) required.push('body');
  return {
    type: 'object',
    properties: Object.fromEntries(body === undefined ? properties : [...properties, ['body', body.schema] as const]),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...(definitions === undefined ? {} : { $defs: definitions }),
  };
}

function sizeOf({ inputSchema, outputSchema }: Operation): number {
  return JSON.stringify(inputSchema).length + (outputSchema === undefined ? 0 : JSON.stringify(outputSchema).length);
}
