import assert from 'node:assert/strict';
import { operations, pathParameters } from '@ravi/api';
import type { JsonSchema } from '@ravi/kernel';

/** An operation of the API, with what the attacks need. */
export interface DescribedOperation {
  readonly method: string;
  readonly path: string;
  readonly role: string | undefined;
  readonly isOpen: boolean;
  readonly parameters: readonly { readonly name: string; readonly in: 'path' | 'query'; readonly schema: JsonSchema }[];
  /** Schema of the body; absent if the operation takes none. */
  readonly body: JsonSchema | undefined;
  /** True if it responds with a stream of events that has no end. */
  readonly isEndless: boolean;
}

/** The part of an OpenAPI document that the tests read. */
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Returns every operation of the API table that a server serves according to its document. */
export async function readOperations(url: string, headers: Record<string, string>): Promise<DescribedOperation[]> {
  const response = await fetch(`${url}/v1/openapi.json`, { headers });
  const { openapi, paths } = (await response.json()) as Document;
  assert.equal(openapi, '3.1.0');
  const served = operations.filter(({ operation: { method, path } }) => paths[path]?.[method] !== undefined);
  assert.equal(served.length, Object.values(paths).flatMap(Object.keys).length, 'the document is the table');
  assert.ok(served.length > 20, String(served.length));
  return served.map(({ operation }) => ({
    method: operation.method.toUpperCase(),
    path: operation.path,
    role: operation.role,
    isOpen: operation.isOpen === true,
    parameters: [
      ...pathParameters(operation.path).map((name) => ({ name, in: 'path' as const, schema: { type: 'string' } })),
      ...Object.entries(operation.query?.properties ?? {}).map(([name, schema]) => ({
        name,
        in: 'query' as const,
        schema,
      })),
    ],
    body: operation.body,
    isEndless: operation.events !== undefined && operation.endEvent === undefined && operation.method === 'get',
  }));
}

/** The path of an operation with a value in place of each parameter. */
export function pathWith({ path }: DescribedOperation, value: string): string {
  return path.replaceAll(/\{\w+\}/g, value);
}
