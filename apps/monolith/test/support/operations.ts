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
}

/** Every operation that a server's document knows. */
export async function readOperations(url: string, headers: Record<string, string>): Promise<DescribedOperation[]> {
  const response = await fetch(`${url}/v1/openapi.json`, { headers });
  // oxlint-disable-next-line typescript/no-explicit-any
  const document: any = await response.json();
  assert.equal(document.openapi, '3.1.0');
  // oxlint-disable-next-line typescript/no-explicit-any
  const all = Object.entries<any>(document.paths).flatMap(([path, methods]) =>
    // oxlint-disable-next-line typescript/no-explicit-any
    Object.entries<any>(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      role: operation['x-role'],
      isOpen: operation.security?.length === 0,
      parameters: operation.parameters,
      body: operation.requestBody?.content['application/json'].schema,
    })),
  );
  assert.ok(all.length > 20, String(all.length));
  return all;
}

/** The path of an operation with a value in place of each parameter. */
export function pathWith({ path }: DescribedOperation, value: string): string {
  return path.replaceAll(/\{\w+\}/g, value);
}
