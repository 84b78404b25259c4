import type { JsonObject, JsonValue } from '@ravi/kernel';
import { answerParts, answerSchemas } from '../answers.ts';
import type { Operation } from './operation.ts';

const problemSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: { code: { type: 'string', pattern: '^E_[A-Z_]+$' }, message: { type: 'string' } },
    },
  },
};

/** The OpenAPI 3.1 document of operations, from the schemas that check their requests. */
function openApiDocument(operations: readonly Operation[]): JsonObject {
  const paths: Record<string, Record<string, JsonValue>> = {};
  for (const operation of operations) {
    paths[operation.path] ??= {};
    Object.assign(paths[operation.path] ?? {}, { [operation.method]: describe(operation) });
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Ravi', version: '1' },
    paths,
    components: {
      schemas: { Problem: problemSchema, ...answerParts } as unknown as JsonObject,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: 'ravi_session' },
      },
    },
    security: [{ token: [] }, { session: [] }],
  };
}

/** `GET /v1/openapi.json`, which describes itself too. */
export function withOpenApi(operations: readonly Operation[]): readonly Operation[] {
  const all: Operation[] = [...operations];
  let document: JsonObject | undefined;
  all.push({
    method: 'get',
    path: '/v1/openapi.json',
    summary: 'This document.',
    answer: () => (document ??= openApiDocument(all)),
  });
  return all;
}

function describe({ method, path, summary, role, query = {}, body, isOpen }: Operation): JsonObject {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const inQuery = Object.entries(query).map(([name, schema]) => ({ name, in: 'query', schema }));
  const content = { 'application/json': { schema: body ?? {} } };
  return {
    operationId: `${method} ${path}`,
    summary,
    parameters: [...inPath, ...inQuery] as unknown as JsonValue,
    responses: {
      '2XX': { description: 'Done.', ...answerOf(method, path) },
      default: {
        description: 'Refused.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
    ...(role === undefined ? {} : { 'x-role': role }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: content as unknown as JsonValue } }),
    ...(isOpen === true ? { security: [] } : {}),
  };
}

function answerOf(method: string, path: string): JsonObject {
  const schema = answerSchemas[`${method} ${path}`];
  return schema === undefined ? {} : { content: { 'application/json': { schema } } as unknown as JsonObject };
}
