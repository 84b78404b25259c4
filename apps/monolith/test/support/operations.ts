import assert from 'node:assert/strict';
import type { JsonSchema } from '@ravi/kernel';

/** An operation as the OpenAPI document of a server tells of it. */
export interface DescribedOperation {
  readonly method: string;
  readonly path: string;
  readonly role: string | undefined;
  readonly isOpen: boolean;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: JsonSchema }[];
  /** Schema of the body; absent where none is taken. */
  readonly body: JsonSchema | undefined;
  /** True if it responds with a stream of events that does not end with a run. */
  readonly isEndless: boolean;
}

/** The part of an OpenAPI document that the tests read. */
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly 'x-role'?: string;
  readonly security?: readonly unknown[];
  readonly parameters: DescribedOperation['parameters'];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: JsonSchema } } };
}

/** Every operation that a server's document knows. */
export async function readOperations(url: string, headers: Record<string, string>): Promise<DescribedOperation[]> {
  const response = await fetch(`${url}/v1/openapi.json`, { headers });
  const document = (await response.json()) as Document;
  assert.equal(document.openapi, '3.1.0');
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      role: operation['x-role'],
      isOpen: operation.security?.length === 0,
      parameters: operation.parameters,
      body: operation.requestBody?.content['application/json'].schema,
      isEndless: path === '/v1/approvals/events',
    })),
  );
  assert.ok(all.length > 20, String(all.length));
  return all;
}

/** The path of an operation with a value in place of each parameter. */
export function pathWith({ path }: DescribedOperation, value: string): string {
  return path.replaceAll(/\{\w+\}/g, value);
}
