import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import { createFakeClock, settle } from '@ravi/testkit';
import { test } from 'vitest';
import type { HttpServerOptions } from '../src/index.ts';
import { startProtectedServer } from '@ravi/mcp-testing';
import { openSource } from './support/open-source.ts';
import { openSource as openForCallers, signInAs } from './support/sign-in.ts';
import { serveSse } from './support/sse-server.ts';

function optionsOf(url: string, more: Partial<HttpServerOptions> = {}): HttpServerOptions {
  return { name: 'older', url, transport: 'sse', allowPrivateAddresses: true, ...more };
}

test('a server over SSE is listed and called', async () => {
  await using server = await serveSse();
  await using source = await openSource(optionsOf(server.url));
  assert.deepEqual(
    [source.state(), source.open.remote?.status().protocol, source.names()],
    ['ready', '2025-11-25', ['older__work']],
  );
  const { content } = await source.call('older__work', { value: 'hello' });
  assert.deepEqual(content, [{ type: 'text', text: '{"value":"hello"}' }]);
});

test('without a choice of transport, a server that refuses streamable HTTP is asked over SSE', async () => {
  await using server = await serveSse();
  await using source = await openSource(optionsOf(server.url, { transport: 'auto' }));
  assert.deepEqual([source.state(), source.names()], ['ready', ['older__work']]);
});

test('with the transport http, a server that knows SSE only is not reached', async () => {
  await using server = await serveSse();
  await using source = await openSource(optionsOf(server.url, { transport: 'http' }));
  assert.equal(source.state(), 'failed');
  assert.equal(server.seen.includes('stream'), false);
});

test('a tool of a server over SSE needs no approval if the options call it safe, and has risk high otherwise', async () => {
  await using server = await serveSse();
  await using careful = await openSource(optionsOf(server.url));
  await using lenient = await openSource(optionsOf(server.url, { risk: { work: 'safe' } }));
  assert.deepEqual([careful.tool('older__work').risk, lenient.tool('older__work').risk], ['high', 'safe']);
});

test('after the end of its event stream a server over SSE is greeted again on a new one, and calls work', async () => {
  const clock = createFakeClock();
  await using server = await serveSse();
  await using source = await openSource(optionsOf(server.url), clock);
  server.endStreams();
  await source.until(() => source.state() === 'failed');
  assert.deepEqual(source.names(), ['older__work']);
  clock.advance(1_000);
  await source.until(() => source.state() === 'ready');
  assert.deepEqual(
    server.seen.filter((what) => what === 'stream' || what === 'initialize'),
    ['stream', 'initialize', 'stream', 'initialize'],
  );
  const { content } = await source.call('older__work', { value: 'again' });
  assert.deepEqual(content, [{ type: 'text', text: '{"value":"again"}' }]);
});

test('a call whose event stream ends fails at once, says that it may have run, and is not repeated', async () => {
  await using server = await serveSse(() => 'never');
  await using source = await openSource(optionsOf(server.url), createFakeClock());
  const call = source.call('older__work');
  const failed = assert.rejects(call, (error) => {
    assert.ok(isKernelError(error, 'E_SOURCE_UNAVAILABLE'), String(error));
    assert.match(error.message, /lost during the call: .*The call may have run/);
    return true;
  });
  while (!server.seen.includes('tools/call')) await settle();
  server.endStreams();
  await failed;
  assert.equal(server.seen.filter((method) => method === 'tools/call').length, 1);
});

test('a call to a server over SSE that has forgotten its session fails, and the server is greeted again', async () => {
  const clock = createFakeClock();
  await using server = await serveSse();
  await using source = await openSource(optionsOf(server.url), clock);
  server.forget();
  await assert.rejects(source.call('older__work'), (error) => {
    assert.ok(isKernelError(error, 'E_SOURCE_UNAVAILABLE'), String(error));
    assert.match(error.message, /HTTP 404.*The call may have run/);
    return true;
  });
  assert.equal(source.state(), 'failed');
  clock.advance(1_000);
  await source.until(() => source.state() === 'ready');
  const { content } = await source.call('older__work', { value: 'again' });
  assert.deepEqual(content, [{ type: 'text', text: '{"value":"again"}' }]);
  assert.equal(server.seen.filter((method) => method === 'tools/call').length, 1);
});

test('a caller signs in at a server over SSE, and a token that expires between two calls is refreshed', async () => {
  await using authorization = await startProtectedServer();
  await using server = await serveSse(undefined, authorization);
  // Its tokens are for the server over SSE.
  Object.assign(authorization, { url: server.url });
  await using source = await openForCallers(server, undefined, { transport: 'sse' });
  assert.equal(source.open.remote?.status().state, 'sign-in');
  await signInAs(authorization, source.signIn, 'ada');
  await source.until(() => source.open.remote?.status().state === 'ready');
  assert.equal(await source.call('ada', {}, 'files__work'), '{}');

  // From now on the server answers messages with 401, also those of the open stream.
  authorization.expireTokens();
  assert.equal(await source.call('ada', {}, 'files__work'), '{}');
  assert.deepEqual(
    authorization.tokenRequests.map((request) => request.get('grant_type')),
    ['authorization_code', 'refresh_token'],
  );
  assert.equal(server.seen.filter((method) => method === 'tools/call').length, 2);
});
