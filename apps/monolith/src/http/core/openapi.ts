import { api, openApiDocument, operations } from '@ravi/api';
import type { JsonObject } from '@ravi/kernel';
import { implement } from './implement.ts';
import type { Endpoint } from './implement.ts';

/** Adds `GET /v1/openapi.json`, which describes the endpoints of this server and itself. */
export function withOpenApi(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  let document: JsonObject | undefined;
  const own = implement(api.server.openapi, () => (document ??= describe()));
  const all = [...endpoints, own];

  function describe(): JsonObject {
    const served = new Set(all.map(({ operation }) => operation));
    return openApiDocument(operations.filter(({ operation }) => served.has(operation)));
  }
  return all;
}
