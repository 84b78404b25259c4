import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { JsonObject } from '@ravi/kernel';
import { startLoopbackServer } from '@ravi/testkit';
import { test } from 'vitest';
import { documentOf, openTools } from './open-tools.ts';

const list = ['blue', 'black'];
const object = { R: 100, G: 200 };

/** The examples of the specification, https://spec.openapis.org/oas/v3.1.1.html#style-examples. */
const styles: readonly (readonly [place: string, style: string, explode: boolean, value: unknown, sent: string])[] = [
  ['path', 'simple', false, 'blue', '/x/blue'],
  ['path', 'simple', false, list, '/x/blue,black'],
  ['path', 'simple', false, object, '/x/R,100,G,200'],
  ['path', 'simple', true, object, '/x/R=100,G=200'],
  ['path', 'label', false, 'blue', '/x/.blue'],
  ['path', 'label', false, list, '/x/.blue,black'],
  ['path', 'label', true, list, '/x/.blue.black'],
  ['path', 'label', true, object, '/x/.R=100.G=200'],
  ['path', 'matrix', false, 'blue', '/x/;c=blue'],
  ['path', 'matrix', false, list, '/x/;c=blue,black'],
  ['path', 'matrix', true, list, '/x/;c=blue;c=black'],
  ['path', 'matrix', false, object, '/x/;c=R,100,G,200'],
  ['path', 'matrix', true, object, '/x/;R=100;G=200'],
  ['query', 'form', true, 'blue', '/x?c=blue'],
  ['query', 'form', false, list, '/x?c=blue,black'],
  ['query', 'form', true, list, '/x?c=blue&c=black'],
  ['query', 'form', false, object, '/x?c=R,100,G,200'],
  ['query', 'form', true, object, '/x?R=100&G=200'],
  ['query', 'spaceDelimited', false, list, '/x?c=blue%20black'],
  ['query', 'pipeDelimited', false, list, '/x?c=blue%7Cblack'],
  ['query', 'deepObject', true, object, '/x?c%5BR%5D=100&c%5BG%5D=200'],
  ['query', 'form', true, 'a&b=c#d/é', '/x?c=a%26b%3Dc%23d%2F%C3%A9'],
  ['path', 'simple', false, 'a/b?c#d%2e', '/x/a%2Fb%3Fc%23d%252e'],
];

test('parameters are written in the style of the document', async () => {
  await using server = await startLoopbackServer(() => ({ body: null }));
  const paths = Object.fromEntries(
    styles.map(([place, style, explode], index) => [
      place === 'path' ? `/${index}/x/{c}` : `/${index}/x`,
      { get: { operationId: `op${index}`, parameters: [{ name: 'c', in: place, style, explode, schema: {} }] } },
    ]),
  );
  await using pets = await openTools(documentOf(paths), { server: server.url });
  for (const [index, [, , , value]] of styles.entries())
    await pets.call(`pets__op${index}`, { c: value } as JsonObject);
  assert.deepEqual(
    server.requests.map(({ path }) => path),
    styles.map(([, , , , sent], index) => `/${index}${sent}`),
  );
});

test('headers, cookies, JSON parameters and reserved characters are sent as declared', async () => {
  await using server = await startLoopbackServer(() => ({ body: null }));
  const parameters = [
    { name: 'X-List', in: 'header', schema: { type: 'array' } },
    { name: 'theme', in: 'cookie', schema: { type: 'string' } },
    { name: 'filter', in: 'query', content: { 'application/json': { schema: { type: 'object' } } } },
    { name: 'url', in: 'query', allowReserved: true, schema: { type: 'string' } },
    { name: 'Host', in: 'header', schema: { type: 'string' } },
    { name: 'Authorization', in: 'header', schema: { type: 'string' } },
  ];
  await using pets = await openTools(documentOf({ '/a': { parameters, get: { operationId: 'a' } } }), {
    server: server.url,
  });
  const { properties } = pets.tool('pets__a').inputSchema as { properties: object };
  assert.deepEqual(Object.keys(properties), ['X-List', 'theme', 'filter', 'url']);
  await pets.call('pets__a', { 'X-List': [1, 2], theme: 'a;b', filter: { a: 'ä' }, url: 'http://a/?b&c#d' });
  const [request] = server.requests;
  assert.equal(request?.headers['x-list'], '1,2');
  assert.equal(request?.headers.cookie, 'theme=a%3Bb');
  assert.equal(request?.path, '/a?filter=%7B%22a%22%3A%22%C3%A4%22%7D&url=http://a/?b%26c%23d');
});

test('arguments of the same name differ by their place', async () => {
  await using server = await startLoopbackServer(() => ({ body: null }));
  const operation = {
    operationId: 'move',
    parameters: [
      { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'id', in: 'query', schema: { type: 'string' } },
      { name: 'body', in: 'query', schema: { type: 'string' } },
    ],
    requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
  };
  await using pets = await openTools(documentOf({ '/a/{id}': { post: operation } }), { server: `${server.url}/base/` });
  const { required } = pets.tool('pets__move').inputSchema as { required: unknown };
  assert.deepEqual(required, ['path_id', 'body']);
  await pets.call('pets__move', { path_id: '1', query_id: '2', query_body: '3', body: { x: [1, null] } });
  const [request] = server.requests;
  assert.deepEqual([request?.method, request?.path], ['POST', '/base/a/1?id=2&body=3']);
  assert.deepEqual(request?.body, { x: [1, null] });
  assert.equal(request?.headers['content-type'], 'application/json');
});

test('a call never leaves its operation', async () => {
  await using server = await startLoopbackServer(() => ({ body: null }));
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
  const paths = {
    '/pets/{id}': { delete: { operationId: 'remove', parameters } },
    '/a/{id}/b': { get: { operationId: 'get', parameters } },
  };
  await using pets = await openTools(documentOf(paths), { server: `${server.url}/v1` });
  const refused = (error: unknown): boolean => isKernelError(error, 'E_ARGUMENTS_INVALID');
  for (const id of ['', '.', '..']) {
    await assert.rejects(pets.call('pets__remove', { id }), refused, id);
    await assert.rejects(pets.call('pets__get', { id }), refused, id);
  }
  await pets.call('pets__remove', { id: '../..' });
  await pets.call('pets__remove', { id: '\\..\\' });
  await pets.call('pets__remove', { id: '%2e%2e' });
  await pets.call('pets__remove', { id: '@evil.test/?#' });
  assert.deepEqual(
    server.requests.map(({ path }) => path),
    ['/v1/pets/..%2F..', '/v1/pets/%5C..%5C', '/v1/pets/%252e%252e', '/v1/pets/%40evil.test%2F%3F%23'],
  );
});

test('a header cannot be split by an argument', async () => {
  await using server = await startLoopbackServer(() => ({ body: null }));
  const parameters = [{ name: 'X-A', in: 'header', schema: { type: 'string' } }];
  await using pets = await openTools(documentOf({ '/a': { get: { operationId: 'a', parameters } } }), {
    server: server.url,
  });
  await assert.rejects(pets.call('pets__a', { 'X-A': 'a\r\nX-B: c' }), (error: unknown) =>
    isKernelError(error, 'E_ARGUMENTS_INVALID'),
  );
  assert.equal(server.requests.length, 0);
});

test('forms are written as browsers write them', async () => {
  await using server = await startLoopbackServer(() => ({ body: null }));
  const schema = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'array' }, c: { type: 'object' } } };
  const operation = {
    operationId: 'send',
    requestBody: { content: { 'application/x-www-form-urlencoded': { schema } } },
  };
  await using pets = await openTools(documentOf({ '/a': { post: operation } }), { server: server.url });
  await pets.call('pets__send', { body: { a: 'x y&z', b: [1, 2], c: { d: 1 } } });
  const [request] = server.requests;
  assert.equal(request?.body, 'a=x%20y%26z&b=1&b=2&c=%7B%22d%22%3A1%7D');
  assert.equal(request?.headers['content-type'], 'application/x-www-form-urlencoded');
});

test('a key that makes a repeated call harmless comes from the runtime', async () => {
  await using server = await startLoopbackServer(() => ({ body: null }));
  const parameters = [{ name: 'Idempotency-Key', in: 'header', required: true, schema: { type: 'string' } }];
  await using pets = await openTools(documentOf({ '/a': { post: { operationId: 'pay', parameters } } }), {
    server: server.url,
  });
  assert.deepEqual(pets.tool('pets__pay').inputSchema['properties'], {});
  await pets.call('pets__pay', {}, { idempotencyKey: 'run-7/call-3' });
  assert.equal(server.requests[0]?.headers['idempotency-key'], 'run-7/call-3');
});

test('each kind of credential is sent where its scheme says, and no argument replaces it', async () => {
  await using server = await startLoopbackServer(() => ({ body: null }));
  const securitySchemes = {
    inHeader: { type: 'apiKey', in: 'header', name: 'X-Key' },
    inQuery: { type: 'apiKey', in: 'query', name: 'key' },
    inCookie: { type: 'apiKey', in: 'cookie', name: 'session' },
    token: { type: 'http', scheme: 'Bearer' },
    login: { type: 'http', scheme: 'basic' },
    oauth: { type: 'oauth2', flows: {} },
  };
  const parameters = [
    { name: 'x-key', in: 'header', schema: { type: 'string' } },
    { name: 'key', in: 'query', schema: { type: 'string' } },
    { name: 'page', in: 'query', schema: { type: 'string' } },
  ];
  const paths = Object.fromEntries(
    Object.keys(securitySchemes).map((name) => [
      `/${name}`,
      { get: { operationId: name, parameters, security: [{ [name]: [] }] } },
    ]),
  );
  const both = { get: { operationId: 'both', security: [{ unknown: [] }, { inHeader: [], inQuery: [] }, {}] } };
  const none = { get: { operationId: 'none', security: [] } };
  const document = documentOf(
    { ...paths, '/both': both, '/none': none },
    { components: { securitySchemes }, security: [{ token: [] }] },
  );
  await using pets = await openTools(document, {
    server: server.url,
    credentials: {
      inHeader: 'header-key',
      inQuery: 'query key',
      inCookie: 'cookie=key',
      token: 'bearer-token',
      login: { username: 'ada', password: 'pass:wörd' },
      oauth: 'oauth-token',
    },
  });
  const sent = async (name: string): Promise<object> => {
    await pets.call(`pets__${name}`);
    const request = server.requests.at(-1);
    const { authorization, cookie, 'x-key': key } = request?.headers ?? {};
    return {
      ...(authorization ? { authorization } : {}),
      ...(cookie ? { cookie } : {}),
      ...(key ? { key } : {}),
      query: request?.path.split('?')[1] ?? '',
    };
  };
  assert.deepEqual(await sent('inHeader'), { key: 'header-key', query: '' });
  assert.deepEqual(await sent('inQuery'), { query: 'key=query%20key' });
  assert.deepEqual(await sent('inCookie'), { cookie: 'session=cookie%3Dkey', query: '' });
  assert.deepEqual(await sent('token'), { authorization: 'Bearer bearer-token', query: '' });
  const basic = Buffer.from('ada:pass:wörd').toString('base64');
  assert.deepEqual(await sent('login'), { authorization: `Basic ${basic}`, query: '' });
  assert.deepEqual(await sent('oauth'), { authorization: 'Bearer oauth-token', query: '' });
  assert.deepEqual(await sent('both'), { key: 'header-key', query: 'key=query%20key' });
  assert.deepEqual(await sent('none'), { query: '' });
  assert.deepEqual(Object.keys(pets.tool('pets__inHeader').inputSchema['properties'] as object), ['key', 'page']);
  assert.deepEqual(Object.keys(pets.tool('pets__inQuery').inputSchema['properties'] as object), ['x-key', 'page']);
});

test('a member of an object replaces no credential and no other parameter', async () => {
  await using server = await startLoopbackServer(() => ({ body: null }));
  const securitySchemes = {
    inQuery: { type: 'apiKey', in: 'query', name: 'api_key' },
    inCookie: { type: 'apiKey', in: 'cookie', name: 'session' },
  };
  const parameters = [
    { name: 'filter', in: 'query', schema: { type: 'object' } },
    { name: 'owner', in: 'query', schema: { type: 'string' } },
    { name: 'theme', in: 'cookie', schema: { type: 'object' } },
  ];
  const get = { operationId: 'list', parameters, security: [{ inQuery: [], inCookie: [] }] };
  await using pets = await openTools(documentOf({ '/pets': { get } }, { components: { securitySchemes } }), {
    server: server.url,
    credentials: { inQuery: 'real-key', inCookie: 'real-session' },
  });
  const forged = [
    { filter: { api_key: 'mine' } },
    { filter: { API_KEY: 'mine' } },
    { filter: { owner: 'eve' }, owner: 'ada' },
    { filter: { owner: 'eve' } },
    { theme: { session: 'mine' } },
  ];
  for (const args of forged) {
    await assert.rejects(pets.call('pets__list', args), (error) => isKernelError(error, 'E_ARGUMENTS_INVALID'));
  }
  await pets.call('pets__list', { filter: { session: 'short' }, owner: 'ada', theme: { owner: 'dark' } });
  assert.deepEqual(
    server.requests.map(({ path, headers }) => [path, headers.cookie]),
    [['/pets?session=short&owner=ada&api_key=real-key', 'owner=dark; session=real-session']],
  );
});

test('no argument gives a request another method than the one that its risk was judged by', async () => {
  await using server = await startLoopbackServer(() => ({ body: null }));
  const names = ['X-HTTP-Method-Override', 'x-http-method', 'X-Method-Override'];
  const parameters = names.map((name) => ({ name, in: 'header', schema: { type: 'string' } }));
  await using pets = await openTools(documentOf({ '/pets': { get: { operationId: 'list', parameters } } }), {
    server: server.url,
  });
  assert.deepEqual(pets.tool('pets__list').inputSchema['properties'], {});
  await pets.call('pets__list', { 'X-HTTP-Method-Override': 'DELETE' });
  assert.equal(server.requests[0]?.headers['x-http-method-override'], undefined);
});

test('an operation without configured credentials is not offered, and the report names its schemes', async () => {
  const security = [{ a: [], b: [] }, { c: [] }];
  await using pets = await openTools(documentOf({ '/a': { get: { operationId: 'a', security } } }));
  assert.equal(pets.tools.size, 0);
  assert.match(pets.failures['GET /a'] ?? '', /credentials for "a" and "b", or "c"; set "credentials"/);
});
