import assert from 'node:assert/strict';
import { isKernelError, systemClock } from '@ravi/kernel';
import type { JsonObject } from '@ravi/kernel';
import plugin, { createOpenApiSource } from '@ravi/openapi';
import { createFakeClock, startLoopbackServer } from '@ravi/testkit';
import { pluginContract } from '@ravi/testkit/plugin';
import { test } from 'vitest';
import { documentOf, openTools } from './open-tools.ts';

pluginContract(test, plugin, { name: 'pets', document: 'https://127.0.0.1:1/openapi.json' });

const get = (operationId: string, more: object = {}): object => ({ get: { operationId, ...more } });
const json = (schema: unknown): object => ({ content: { 'application/json': { schema } } });

test('names, descriptions and risks come from operations and methods', async () => {
  const methods = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace'];
  const item = Object.fromEntries(
    methods.map((method) => [method, { operationId: method, summary: `Does ${method}.` }]),
  );
  const document = documentOf({
    '/a': item,
    '/b/{c}': { get: { parameters: [{ name: 'c', in: 'path', schema: {} }] } },
  });
  const risks = async (trust: boolean): Promise<object> => {
    await using pets = await openTools(document, { trust });
    return Object.fromEntries([...pets.tools].map(([name, { risk }]) => [name, risk]));
  };
  const changing = { pets__post: 'high', pets__put: 'high', pets__patch: 'high', pets__delete: 'critical' };
  assert.deepEqual(await risks(false), { ...changing, pets__get: 'high', pets__head: 'high', pets__get_b_c: 'high' });
  assert.deepEqual(await risks(true), { ...changing, pets__get: 'safe', pets__head: 'safe', pets__get_b_c: 'safe' });
  await using pets = await openTools(document, {
    risk: { post: 'safe', 'openapi:pets/get*': 'critical', delete: 'high' },
  });
  assert.equal(pets.tool('pets__post').risk, 'safe');
  assert.equal(pets.tool('pets__get_b_c').risk, 'critical');
  assert.equal(pets.tool('pets__delete').risk, 'high');
  assert.equal(pets.tool('pets__put').description, 'Does put.\nPUT /a');
});

test('operations that would share a name have names of their own, in any order', async () => {
  const paths = { '/a/b': { get: {} }, '/a_b': { get: {} }, '/x': get('same'), '/y': get('same') };
  await using forward = await openTools(documentOf(paths));
  await using backward = await openTools(documentOf(Object.fromEntries(Object.entries(paths).toReversed())));
  const names = [...forward.tools.keys()];
  assert.equal(new Set(names).size, 4);
  assert.deepEqual(names.toSorted(), [...backward.tools.keys()].toSorted());
  for (const [name, { description }] of forward.tools) assert.equal(description, backward.tool(name).description);
});

test('allow and deny choose operations by pattern', async () => {
  const paths = { '/a': get('listPets'), '/b': get('listOwners'), '/c': get('readPet') };
  await using pets = await openTools(documentOf(paths), { allow: ['list*'], deny: ['openapi:pets/*Owners'] });
  assert.deepEqual([...pets.tools.keys()], ['pets__listPets']);
  assert.throws(
    () => createOpenApiSource({ name: 'pets', document: 'a', allow: [''], clock: systemClock }),
    (error) => isKernelError(error, 'E_CONFIG_INVALID'),
  );
});

test('schemas are self-contained: references, loops and what the other side writes', async () => {
  const schemas = {
    Pet: {
      type: 'object',
      required: ['id', 'name', 'secret'],
      properties: {
        id: { type: 'string', readOnly: true },
        name: { type: 'string', example: 'Rex', 'x-internal': 1 },
        secret: { $ref: '#/components/schemas/Secret' },
        parent: { $ref: '#/components/schemas/Pet' },
      },
      discriminator: { propertyName: 'name' },
      $id: 'https://example.com/pet',
    },
    Secret: { type: 'string', writeOnly: true },
  };
  const pet = { $ref: '#/components/schemas/Pet' };
  const operation = {
    operationId: 'save',
    requestBody: { $ref: '#/components/requestBodies/Pet' },
    responses: { 200: json(pet), 202: { description: 'later' }, 400: json({ type: 'integer' }) },
    parameters: [{ $ref: '#/components/parameters/Dry' }],
  };
  const components = {
    schemas,
    requestBodies: { Pet: { required: true, ...json(pet) } },
    parameters: { Dry: { name: 'dry', in: 'query', description: 'Try only.', schema: { type: 'boolean' } } },
  };
  await using pets = await openTools(documentOf({ '/a': { put: operation } }, { components }));
  const tool = pets.tool('pets__save');
  const definition = (required: readonly string[]): object => ({
    type: 'object',
    required,
    properties: {
      id: { type: 'string', readOnly: true },
      name: { type: 'string' },
      secret: { $ref: '#/$defs/Secret' },
      parent: { $ref: '#/$defs/Pet' },
    },
  });
  const Secret = { type: 'string', writeOnly: true };
  assert.deepEqual(tool.inputSchema, {
    type: 'object',
    properties: { dry: { description: 'Try only.', type: 'boolean' }, body: { $ref: '#/$defs/Pet' } },
    required: ['body'],
    additionalProperties: false,
    $defs: { Pet: definition(['name', 'secret']), Secret },
  });
  assert.deepEqual(tool.outputSchema, {
    anyOf: [{ $ref: '#/$defs/Pet' }, { type: 'null' }],
    $defs: { Pet: definition(['id', 'name']), Secret },
  });
  await using unchecked = await openTools(documentOf({ '/a': { put: operation } }, { components }), {
    checkResults: false,
  });
  assert.equal(unchecked.tool('pets__save').outputSchema, undefined);
});

test('a document of version 3.0 in YAML is read too', async () => {
  await using pets = await openTools(`
openapi: 3.0.3
info: { title: Pets, version: 2024-01-01 }
paths:
  /a:
    get:
      operationId: list
      parameters:
        - { name: limit, in: query, schema: { type: integer, minimum: 0, exclusiveMinimum: true, nullable: true } }
        - { name: kind, in: query, schema: { type: string, enum: [cat], nullable: true } }
`);
  assert.deepEqual((pets.tool('pets__list').inputSchema as JsonObject)['properties'], {
    limit: { type: ['integer', 'null'], exclusiveMinimum: 0 },
    kind: { anyOf: [{ type: 'string', enum: ['cat'] }, { type: 'null' }] },
  });
  assert.equal(pets.source.remote?.status().protocol, 'OpenAPI 3.0.3');
});

test('an operation that cannot be called is reported and hides no other', async () => {
  const ref = (target: string): object => ({ parameters: [{ name: 'p', in: 'query', schema: { $ref: target } }] });
  const paths = {
    '/good': get('good'),
    '/outside': get('outside', ref('https://example.com/schema.json')),
    '/file': get('file', ref('file:///etc/passwd')),
    '/nothing': get('nothing', ref('#/components/schemas/None')),
    '/proto': get('proto', ref('#/__proto__/x')),
    '/loop': get('loop', { parameters: [{ $ref: '#/components/parameters/Loop' }] }),
    '/server': get('server', { servers: [{ url: 'https://evil.example' }] }),
    '/servers': { servers: [{ url: 'https://evil.example' }], ...get('servers') },
    '/{missing}': get('missing'),
    '/a/../b': get('dots'),
    '/q?x=1': get('query'),
    '/body': get('body', { requestBody: json({}) }),
    '/style': get('style', { parameters: [{ name: 'p', in: 'path', style: 'form' }] }),
    '/odd': { get: 'text' },
    relative: get('relative'),
    '/huge': get('huge', {
      parameters: [{ name: 'p', in: 'query', schema: { anyOf: Array.from({ length: 5_000 }, () => ({})) } }],
    }),
  };
  const document = documentOf(paths, {
    components: { parameters: { Loop: { $ref: '#/components/parameters/Loop' } } },
  });
  await using pets = await openTools(document);
  assert.deepEqual([...pets.tools.keys()], ['pets__good']);
  const expected = {
    '/outside': /leaves the document/,
    '/file': /leaves the document/,
    '/nothing': /names nothing/,
    '/proto': /names nothing/,
    '/loop': /refers to itself/,
    '/server': /a server of its own/,
    '/servers': /a server of its own/,
    '/{missing}': /no parameter "missing"/,
    '/a/../b': /not only a path/,
    '/q?x=1': /not only a path/,
    '/body': /a GET has no body/,
    '/style': /has the style "form"/,
    '/odd': /not an object/,
    '/huge': /more than 4000 objects/,
  };
  assert.deepEqual(Object.keys(pets.failures).length, Object.keys(expected).length, JSON.stringify(pets.failures));
  for (const [path, pattern] of Object.entries(expected))
    assert.match(pets.failures[`GET ${path}`] ?? '', pattern, path);
});

test('text that is not a document, and bombs, leave the source failed and the process alive', async () => {
  const deep = `{"openapi":"3.1.0","paths":${'['.repeat(1_000_000)}`;
  const laughs = [
    'a: &a [x, x, x, x, x, x, x, x, x, x]',
    ...'bcdefghij'
      .split('')
      .map(
        (name, index) =>
          `${name}: &${name} [${Array.from({ length: 10 }, () => `*${'abcdefghij'[index]}`).join(', ')}]`,
      ),
  ].join('\n');
  const wide = JSON.stringify(documentOf({}, { x: Array.from({ length: 1_100_000 }, () => 0) }));
  const cases: readonly (readonly [string, RegExp])[] = [
    ['', /not an object/],
    ['[]', /not an object/],
    ['{"openapi":"2.0"}', /not of version/],
    ['{"swagger":"2.0"', /not JSON/],
    ['a: [', /neither JSON nor YAML/],
    [deep, /deeper than 100 levels/],
    [`openapi: 3.1.0\nx: ${'['.repeat(100_000)}`, /neither JSON nor YAML|deeper/],
    [`openapi: 3.1.0\nx:\n  ${'- '.repeat(100_000)}1`, /neither JSON nor YAML|deeper/],
    [`openapi: 3.1.0\n${laughs}`, /neither JSON nor YAML|more than/],
    [wide, /more than 1000000 values/],
    [`# ${'x'.repeat(2_200_000)}\nopenapi: 3.1.0`, /YAML and larger/],
    [JSON.stringify(documentOf({}, { x: 'x'.repeat(17_000_000) })), /larger than 16777216 bytes/],
  ];
  for (const [text, pattern] of cases) {
    await using pets = await openTools(text);
    const status = pets.source.remote?.status();
    assert.equal(status?.state, 'failed', text.slice(0, 60));
    assert.match(status?.message ?? '', pattern, text.slice(0, 60));
    assert.equal(pets.tools.size, 0);
  }
});

test('more operations than the limit are reported', async () => {
  const paths = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`/p${index}`, get(`op${index}`)]));
  await using pets = await openTools(documentOf(paths), { limits: { operations: 10 } });
  assert.equal(pets.tools.size, 10);
  assert.match(pets.failures['paths'] ?? '', /30 operations are more than 10; choose some with "allow"/);
});

test('a file that does not exist is a mistake of the configuration', async () => {
  const source = createOpenApiSource({ name: 'pets', document: './none.json', clock: systemClock });
  const opening = source.open({ signal: new AbortController().signal, onChange: () => undefined });
  await assert.rejects(opening, (error) => isKernelError(error, 'E_CONFIG_INVALID'));
});

test('the server is that of the configuration or of the document, and never one that a foreign document names', async () => {
  const documents: Record<string, object> = {
    '/own': documentOf({ '/a': get('a') }, { servers: [{ url: '/v{n}/', variables: { n: { default: '2' } } }] }),
    '/none': documentOf({ '/a': get('a') }),
    '/other': documentOf({ '/a': get('a') }, { servers: [{ url: 'https://evil.example/v1' }] }),
    '/odd': documentOf({ '/a': get('a') }, { servers: [{ url: 'ftp://evil.example/' }] }),
  };
  await using server = await startLoopbackServer(({ path }) => ({ body: documents[path] ?? null }));
  const open = (path: string, configured?: string): ReturnType<typeof openTools> =>
    openTools('', { document: `${server.url}${path}?key=secret`.replace('?key=secret', ''), server: configured });
  const placeOf = async (path: string, configured?: string): Promise<string | undefined> => {
    await using pets = await open(path, configured);
    return pets.source.remote?.status().place;
  };
  assert.equal(await placeOf('/own'), `${server.url}/v2/`);
  assert.equal(await placeOf('/none'), `${server.url}/`);
  assert.equal(await placeOf('/other', 'https://api.example/v1'), 'https://api.example/v1');
  for (const path of ['/other', '/odd']) {
    await using pets = await open(path);
    const { state, message } = pets.source.remote?.status() ?? {};
    assert.equal(state, 'failed');
    assert.match(
      message ?? '',
      path === '/other' ? /names another server, https:\/\/evil.example; set "server"/ : /neither https nor http/,
    );
    assert.equal(pets.tools.size, 0);
  }
});

test('a document of an address is held for its changes, one of a file is not', async () => {
  await using server = await startLoopbackServer(() => ({ body: documentOf({}) }));
  await using remote = await openTools('', { document: server.url, server: undefined });
  await using local = await openTools(documentOf({}));
  assert.equal(remote.source.remote?.status().holdsChanges, true);
  assert.equal(local.source.remote?.status().holdsChanges, false);
});

test('a document at a private address, is not fetched', async () => {
  await using server = await startLoopbackServer(() => ({ body: documentOf({ '/a': get('a') }) }));
  await using pets = await openTools('', { document: server.url, allowPrivateAddresses: false });
  assert.match(pets.source.remote?.status().message ?? '', /private address/);
  assert.equal(server.requests.length, 0);
});

test('a document that cannot be fetched is fetched again, and reconnect reads a new one', async () => {
  let answer: { status?: number; body: unknown } = { status: 503, body: '' };
  await using server = await startLoopbackServer(() => answer);
  const clock = createFakeClock();
  const changed = Promise.withResolvers<void>();
  const source = createOpenApiSource({ name: 'pets', document: server.url, allowPrivateAddresses: true, clock });
  await using opened = await source.open({ signal: new AbortController().signal, onChange: changed.resolve });
  assert.match(opened.remote?.status().message ?? '', /answered 503/);
  answer = { body: documentOf({ '/a': get('first') }) };
  clock.advance(5_000);
  await changed.promise;
  assert.equal(opened.remote?.status().state, 'ready');
  assert.deepEqual(
    opened.content().tools.map(({ name }) => name),
    ['pets__first'],
  );
  answer = { body: documentOf({ '/a': get('second') }) };
  await opened.remote?.reconnect();
  assert.deepEqual(
    opened.content().tools.map(({ name }) => name),
    ['pets__second'],
  );
  answer = { body: 'nonsense' };
  await opened.remote?.reconnect();
  assert.equal(opened.remote?.status().state, 'failed');
  assert.deepEqual(
    opened.content().tools.map(({ name }) => name),
    ['pets__second'],
  );
});
