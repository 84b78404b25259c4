import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { test } from 'vitest';
import { api, openApiDocument, operations, pathParameters, problemStatus } from '../src/index.ts';
import { enumOf, integer, object, sameAs, string } from '../src/schema.ts';

test('every request schema compiles in strict mode and refuses unknown keys', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  for (const { id, operation } of operations) {
    for (const schema of [operation.query, operation.body]) {
      if (schema === undefined) continue;
      assert.equal(ajv.compile(schema)({ unheardOf: 1 }), false, id);
      assert.equal(schema['additionalProperties'], false, id);
    }
  }
});

test('every response and event schema compiles', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  for (const { operation } of operations) {
    for (const response of Object.values(operation.responses)) {
      if (response.type === 'json') ajv.compile(response.schema);
    }
    if (operation.events !== undefined) ajv.compile(operation.events);
  }
});

test('no two operations share a method and a path', () => {
  const places = operations.map(({ operation: { method, path } }) => `${method} ${path}`);
  assert.equal(new Set(places).size, places.length);
});

test('query and body of an operation have no key in common, so that a client can take both as one object', () => {
  for (const { id, operation } of operations) {
    const inQuery = Object.keys(operation.query?.properties ?? {});
    const both = inQuery.filter((name) => name in (operation.body?.properties ?? {}));
    assert.deepEqual(both, [], id);
  }
});

test('every reference of the OpenAPI document resolves, and every named schema is described', () => {
  const document = openApiDocument(operations) as unknown as {
    readonly components: { readonly schemas: Readonly<Record<string, object>> };
  };
  const references = JSON.stringify(document).match(/#\/components\/schemas\/\w+/g) ?? [];
  assert.ok(references.length > 50);
  for (const reference of references) {
    assert.ok(reference.slice('#/components/schemas/'.length) in document.components.schemas, reference);
  }
});

test('the OpenAPI document lists streams of events and the codes of refusals', () => {
  const document = JSON.stringify(openApiDocument([{ id: 'runs.events', operation: api.runs.events }]));
  assert.match(document, /"text\/event-stream":\{"schema":\{"\$ref":"#\/components\/schemas\/RunEvent"\}\}/);
  assert.match(document, /"404":\{"description":"Refused: E_RUN_NOT_FOUND\."/);
});

test('the parameters of a path are read from its braces', () => {
  assert.deepEqual(pathParameters('/v1/runs/{id}/events'), ['id']);
  assert.deepEqual(pathParameters('/health'), []);
});

test('every refusal has a status of HTTP', () => {
  for (const status of Object.values(problemStatus)) assert.ok(status >= 400 && status < 600);
});

test('a schema that differs from the type of the kernel does not compile', () => {
  interface Owner {
    readonly name: string;
    readonly size?: number;
  }
  sameAs<Owner>()(object({ name: string() }, { size: integer() }));
  // @ts-expect-error a property is missing
  sameAs<Owner>()(object({ name: string() }));
  // @ts-expect-error a property is required that may be absent
  sameAs<Owner>()(object({ name: string(), size: integer() }));
  // @ts-expect-error a property has another type
  sameAs<Owner>()(object({ name: enumOf(['a']) }, { size: integer() }));
});
