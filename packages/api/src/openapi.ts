import type { JsonObject, JsonValue } from '@ravi/kernel';
import { components } from './components.ts';
import { pathParameters } from './operation.ts';
import type { ApiResponse, Operation } from './operation.ts';
import type { NamedOperation } from './operations.ts';
import { problemStatus } from './problem.ts';
import type { ProblemCode } from './problem.ts';
import type { Schema } from './schema.ts';

/** Returns the OpenAPI 3.1 document of operations. */
export function openApiDocument(operations: readonly NamedOperation[]): JsonObject {
  const paths: Record<string, Record<string, JsonValue>> = {};
  for (const { id, operation } of operations) {
    (paths[operation.path] ??= {})[operation.method] = describe(id, operation);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Ravi', version: '1' },
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(components).map(([name, schema]) => [name, expand(schema)])),
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: 'ravi_session' },
      },
    },
    security: [{ token: [] }, { session: [] }],
  };
}

function describe(id: string, operation: Operation): JsonObject {
  const { path, summary, role, query, body, takesContent, keyed, isOpen } = operation;
  const inPath = pathParameters(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const inQuery = Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    schema: refer(schema),
  }));
  return {
    operationId: id,
    summary,
    parameters: [...inPath, ...inQuery, ...(keyed === undefined ? [] : [keyParameter])],
    responses: responsesOf(operation),
    ...(role === undefined ? {} : { 'x-role': role }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: contentOf('application/json', body) } }),
    ...(takesContent === true ? { requestBody: { required: true, content: { '*/*': {} } } } : {}),
    ...(isOpen === true ? { security: [] } : {}),
  };
}

const keyParameter: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Requests with the same key and content have one effect: each gets the response, or the run, of the first. A key counts for its caller and is kept for two days. Another content is refused with 422. If the outcome of the first request is unknown, a repeated one is refused with 409. A server without a state store keeps keys in memory.',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
};

const keyErrors: readonly ProblemCode[] = ['E_KEY_REUSED', 'E_CALL_UNKNOWN'];

function responsesOf({ responses, refusals: special = {}, events, errors, keyed }: Operation): JsonObject {
  const described: Record<string, JsonValue> = {};
  const codes = keyed === undefined ? errors : [...errors, ...keyErrors];
  const refusals: Partial<Record<number, ProblemCode[]>> = Object.groupBy(codes, (code) => problemStatus[code]);
  for (const [status, codes = []] of Object.entries(refusals)) described[status] = refusal(codes);
  for (const [status, { schema }] of Object.entries(special)) {
    described[status] = { ...refusal(refusals[Number(status)] ?? []), content: contentOf('application/json', schema) };
  }
  for (const [status, response] of Object.entries(responses)) described[status] = success(response);
  if (events !== undefined) {
    const known = (described['200'] ?? {}) as { readonly content?: JsonObject };
    const content = { ...known.content, ...contentOf('text/event-stream', events) };
    described['200'] = { description: 'Success. "event", "id" and "data" of each event are one object here.', content };
  }
  return { ...described, default: refusal([]) };
}

function success(response: ApiResponse): JsonObject {
  const description = 'Success.';
  if (response.type === 'empty') return { description };
  if (response.type === 'raw') return { description, content: { [response.mediaType]: {} } };
  return { description, content: contentOf('application/json', response.schema) };
}

function refusal(codes: readonly ProblemCode[]): JsonObject {
  const description = codes.length === 0 ? 'Refused.' : `Refused: ${codes.join(', ')}.`;
  return { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } } };
}

function contentOf(mediaType: string, schema: Schema<unknown>): JsonObject {
  return { [mediaType]: { schema: refer(schema) } };
}

const names: ReadonlyMap<unknown, string> = new Map(
  Object.entries(components).map(([name, schema]) => [schema, name] as const),
);

/** Replaces schemas that have a name by references. */
function refer(part: unknown): JsonValue {
  const name = names.get(part);
  return name === undefined ? expand(part) : { $ref: `#/components/schemas/${name}` };
}

function expand(part: unknown): JsonValue {
  if (Array.isArray(part)) return part.map(refer);
  if (typeof part !== 'object' || part === null) return part as JsonValue;
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, refer(value)]));
}
