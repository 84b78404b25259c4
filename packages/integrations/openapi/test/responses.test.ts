import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { isKernelError } from '@ravi/kernel';
import type { BlobRef, ErrorBlock } from '@ravi/kernel';
import { startLoopbackServer } from '@ravi/testkit';
import { test } from 'vitest';
import { documentOf, openTools } from './open-tools.ts';

const read = { operationId: 'read', parameters: [{ name: 'p', in: 'query', schema: { type: 'string' } }] };

test('JSON becomes the value, text that looks like JSON stays text', async () => {
  await using server = await startLoopbackServer(({ path }) =>
    path === '/a?p=json'
      ? { body: { a: [1] }, headers: { 'content-type': 'application/vnd.api+json; charset=utf-8' } }
      : { body: '{"a":1}', headers: { 'content-type': 'text/plain' } },
  );
  await using pets = await openTools(documentOf({ '/a': { get: read } }), { server: server.url });
  const json = await pets.call('pets__read', { p: 'json' });
  assert.deepEqual([json.structuredContent, json.content, json.isError], [{ a: [1] }, [], false]);
  const text = await pets.call('pets__read', { p: 'text' });
  assert.deepEqual([text.structuredContent, text.content], [undefined, [{ type: 'text', text: '{"a":1}' }]]);
});

test('no content is null, and HEAD gives status and headers', async () => {
  await using server = await startLoopbackServer(({ method }) =>
    method === 'HEAD' ? { body: '', headers: { 'x-total': '7', 'set-cookie': 'a=b' } } : { status: 204, body: '' },
  );
  await using pets = await openTools(
    documentOf({ '/a': { post: { operationId: 'post' }, head: { operationId: 'head' } } }),
    {
      server: server.url,
    },
  );
  assert.equal((await pets.call('pets__post')).structuredContent, null);
  const { status, headers } = (await pets.call('pets__head')).structuredContent as {
    status: number;
    headers: Record<string, string>;
  };
  assert.deepEqual([status, headers['x-total'], headers['set-cookie']], [200, '7', undefined]);
});

test('other content is stored as an artifact while it arrives', async () => {
  await using server = await startLoopbackServer(() => ({
    body: ['abc', 'def'],
    headers: { 'content-type': 'image/png' },
  }));
  await using pets = await openTools(documentOf({ '/a': { get: read } }), { server: server.url });
  const stored: [string, string][] = [];
  const storeArtifact = async (data: unknown, mediaType: string): Promise<BlobRef> => {
    stored.push([await new Response(data as ReadableStream).text(), mediaType]);
    return 'blob_1';
  };
  const { content } = await pets.call('pets__read', {}, { storeArtifact });
  assert.deepEqual(content, [{ type: 'image', mediaType: 'image/png', source: { kind: 'blob', ref: 'blob_1' } }]);
  assert.deepEqual(stored, [['abcdef', 'image/png']]);
});

test('a failure has its status, its reason and the pause that the server asks for', async () => {
  await using server = await startLoopbackServer(({ path }) =>
    path.endsWith('busy')
      ? { status: 429, headers: { 'retry-after': '7' }, body: { title: 'Slow down' } }
      : { status: 404, body: `no such pet\u001b[31m${'x'.repeat(100_000)}`, headers: { 'content-type': 'text/plain' } },
  );
  await using pets = await openTools(documentOf({ '/a': { get: read } }), { server: server.url });
  const busy = await pets.call('pets__read', { p: 'busy' });
  assert.equal(busy.isError, true);
  assert.deepEqual(busy.content, [
    {
      type: 'error',
      code: 'E_HTTP_429',
      message: 'GET /a ended with HTTP 429: {"title":"Slow down"}',
      retryable: true,
      retryAfterMs: 7_000,
    },
  ]);
  const [missing] = (await pets.call('pets__read')).content as [ErrorBlock];
  assert.match(missing.message, /^GET \/a ended with HTTP 404: no such petx+$/);
  assert.ok(missing.message.length < 2_100);
  assert.equal(missing.retryable, false);
});

test('a server that ends, hangs or is away affects the call only', async () => {
  await using server = await startLoopbackServer(({ path }) =>
    path.endsWith('breaks')
      ? { body: ['{"a":'], breaks: true, headers: { 'content-type': 'application/json' } }
      : { body: [''], hangs: true, headers: { 'content-type': 'application/json' } },
  );
  await using pets = await openTools(documentOf({ '/a': { get: read } }), {
    server: server.url,
    limits: { callMs: 200 },
  });
  await assert.rejects(pets.call('pets__read', { p: 'breaks' }), (error) =>
    isKernelError(error, 'E_SOURCE_UNAVAILABLE'),
  );
  await assert.rejects(pets.call('pets__read', { p: 'hangs' }), (error) => isKernelError(error, 'E_FETCH_TIMEOUT'));
  const controller = new AbortController();
  const call = pets.call('pets__read', { p: 'hangs' }, { signal: controller.signal });
  const reason = new Error('cancelled');
  controller.abort(reason);
  await assert.rejects(call, (error) => error === reason);
  await server[Symbol.asyncDispose]();
  await assert.rejects(pets.call('pets__read'), (error) => {
    assert.ok(isKernelError(error, 'E_SOURCE_UNAVAILABLE'));
    assert.match(error.message, /could not be reached \(ECONNREFUSED\)$/);
    return error.retryable;
  });
});

test('hostile answers are refused: deep, long, endless and false JSON', async () => {
  const server = createServer(({ url }, response) => {
    response.setHeader('content-type', 'application/json');
    if (url === '/a?p=deep') response.end('['.repeat(1_000_000));
    else if (url === '/a?p=false') response.end('{"a":');
    else if (url === '/a?p=long') {
      response.writeHead(200, { 'content-length': 1e9 });
      response.write('[');
    } else {
      const flood = (): void => {
        while (!response.destroyed && response.write('1,'.repeat(50_000)));
      };
      response.on('drain', flood);
      response.write('[');
      flood();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await using pets = await openTools(documentOf({ '/a': { get: read } }), { server: url });
  const ends = async (p: string, code: string): Promise<void> => {
    await assert.rejects(pets.call('pets__read', { p }), (error) => isKernelError(error, code), p);
  };
  await ends('deep', 'E_OUTPUT_INVALID');
  await ends('false', 'E_OUTPUT_INVALID');
  await ends('long', 'E_FETCH_TOO_LARGE');
  await ends('endless', 'E_FETCH_TOO_LARGE');
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('a server that sends a credential back does not bring it into the conversation', async () => {
  await using server = await startLoopbackServer(({ path, headers }) => ({
    status: path.endsWith('fails') ? 401 : 200,
    body: { echo: headers.authorization, text: 'kept' },
  }));
  const securitySchemes = { token: { type: 'http', scheme: 'bearer' }, login: { type: 'http', scheme: 'basic' } };
  const operations = {
    get: { ...read, security: [{ token: [] }] },
    post: { operationId: 'login', security: [{ login: [] }] },
  };
  await using pets = await openTools(documentOf({ '/a': operations }, { components: { securitySchemes } }), {
    server: server.url,
    credentials: { token: 'very-secret-token', login: { username: 'ada', password: 'password-of-ada' } },
  });
  assert.deepEqual((await pets.call('pets__read')).structuredContent, { echo: 'Bearer [redacted]', text: 'kept' });
  const failed = JSON.stringify(await pets.call('pets__read', { p: 'fails' }));
  assert.match(failed, /HTTP 401/);
  assert.ok(!failed.includes('very-secret-token'));
  assert.deepEqual((await pets.call('pets__login')).structuredContent, { echo: 'Basic [redacted]', text: 'kept' });
});

test('a redirect is followed on the same host only', async () => {
  await using other = await startLoopbackServer(() => ({ body: 'stolen' }));
  await using server = await startLoopbackServer(({ path }) =>
    path === '/new'
      ? { body: { new: true } }
      : { status: 302, headers: { location: path === '/a?p=away' ? other.url : '/new' }, body: '' },
  );
  await using pets = await openTools(documentOf({ '/a': { get: read } }), { server: server.url });
  assert.deepEqual((await pets.call('pets__read')).structuredContent, { new: true });
  await assert.rejects(pets.call('pets__read', { p: 'away' }), (error) => isKernelError(error, 'E_FETCH_REFUSED'));
  assert.equal(other.requests.length, 0);
});
