import assert from 'node:assert/strict';
import { operations } from '@ravi/api';
import type { Operation } from '@ravi/api';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';

const ajv = new Ajv2020({ strict: false, allErrors: true });
const checks = new Map<string, ValidateFunction>();

/** Throws if a JSON response differs from the table of operations. A key that the schema does not name is wrong too. */
export function checkResponse(method: string, address: string, status: number, body: unknown): void {
  const path = address.split('?', 1)[0] ?? '';
  const found = operations.find(({ operation }) => isAt(operation, method, path));
  const response = found?.operation.responses[status];
  if (response?.type !== 'json') {
    if (found !== undefined) assert.ok(status >= 300, `${found.id} has no response ${status}`);
    return;
  }
  const key = `${found?.id} ${status}`;
  const check = checks.get(key) ?? ajv.compile(closed(response.schema) as object);
  checks.set(key, check);
  assert.ok(check(body), `${key} of ${address}: ${problemsOf(check)} in ${JSON.stringify(body)}`);
}

// Of paths that match, the one without parameters is served.
function isAt(operation: Operation, method: string, path: string): boolean {
  if (operation.method !== method.toLowerCase()) return false;
  if (operation.path === path) return true;
  const isTaken = operations.some(({ operation: other }) => other.method === operation.method && other.path === path);
  return !isTaken && patternOf(operation.path).test(path);
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

/** Returns the schema with every object that names its keys allowing no others. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return 'properties' in parts && parts['type'] === 'object' ? { additionalProperties: false, ...parts } : parts;
}

function problemsOf({ errors }: ValidateFunction): string {
  const lines = (errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
  return lines.join('; ');
}
