import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { isKernelError } from '@ravi/kernel';
import { test } from 'vitest';
import { openSource, scriptOptions } from './support/open-source.ts';

test('a tool of a server on standard streams is named after the server and is called', async () => {
  await using source = await openSource(scriptOptions('honest'));
  assert.deepEqual(source.names(), ['script__work']);
  assert.equal(source.tool('script__work').risk, 'high');
  const result = await source.call('script__work', { value: 'hello' });
  assert.deepEqual(result, { content: [{ type: 'text', text: '{"value":"hello"}' }], isError: false });
  const status = source.open.remote?.status();
  assert.deepEqual(
    { state: status?.state, protocol: status?.protocol, program: status?.program, holdsChanges: status?.holdsChanges },
    { state: 'ready', protocol: '2025-11-25', program: { name: 'scripted', version: '1.0.0' }, holdsChanges: true },
  );
});

test('a server sees the environment that its options name, and no other variable of the host', async () => {
  process.env['RAVI_TEST_SECRET'] = 'hunter2';
  await using source = await openSource({ ...scriptOptions('environment'), env: { ONLY: 'this' } });
  const { content } = await source.call('script__work');
  const seen = JSON.parse((content[0] as { text: string }).text) as Record<string, string>;
  assert.deepEqual(Object.keys(seen).toSorted(), ['ONLY', 'PATH']);
  delete process.env['RAVI_TEST_SECRET'];
});

test('all pages of a list are read', async () => {
  await using source = await openSource(scriptOptions('paged'));
  assert.deepEqual(source.names(), ['script__work-0', 'script__work-1', 'script__work-2']);
});

test('a tool that a server adds while it runs appears, and the others stay the same objects', async () => {
  await using source = await openSource(scriptOptions('growing'));
  const before = source.tool('script__work');
  await source.call('script__work');
  await source.until(() => source.names().length === 2);
  assert.deepEqual(source.names(), ['script__work', 'script__more']);
  assert.equal(source.tool('script__work'), before);
});

test('progress is passed on, and a cancelled call is cancelled at the server', async () => {
  await using source = await openSource(scriptOptions('patient'));
  const abort = new AbortController();
  const begun = Promise.withResolvers<unknown>();
  const call = source.call('script__work', { value: 'wait' }, { signal: abort.signal, progress: begun.resolve });
  assert.deepEqual(await begun.promise, { fraction: 0.25, message: 'begun' });
  abort.abort(new Error('stopped'));
  await assert.rejects(call, /stopped/);
  const { content } = await source.call('script__work', { value: 'count' });
  assert.deepEqual(content, [{ type: 'text', text: '0 waiting' }]);
});

test('a server that ends during a call fails it with the reason, and is started again', async () => {
  await using source = await openSource(scriptOptions('mortal'));
  await assert.rejects(source.call('script__work', { value: 'die' }), (error) => {
    assert.ok(isKernelError(error, 'E_SOURCE_UNAVAILABLE'));
    assert.match(error.message, /The MCP server script was lost during the call: .*The call may have run/);
    return true;
  });
  // Waits for the next attempt instead of failing.
  const { content } = await source.call('script__work', { value: 'live' });
  assert.deepEqual(content, [{ type: 'text', text: '{"value":"live"}' }]);
});

test('a question of a server reaches the person for whom the call runs', async () => {
  await using source = await openSource(scriptOptions('curious'));
  const asked: unknown[] = [];
  const { content } = await source.call(
    'script__work',
    {},
    {
      elicit: async (request) => {
        asked.push(request);
        return { action: 'accept', content: { city: 'Ulm' } };
      },
    },
  );
  assert.deepEqual(asked, [
    {
      mode: 'form',
      message: 'Which city?',
      schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  ]);
  assert.deepEqual(content, [{ type: 'text', text: '{"action":"accept","content":{"city":"Ulm"}}' }]);
});

test('a command that does not exist is a status, not an error, and a later call says so', async () => {
  await using source = await openSource({ name: 'none', command: 'no-such-program-here' });
  const status = source.open.remote?.status();
  assert.equal(status?.state, 'failed');
  assert.match(status?.message ?? '', /The command no-such-program-here: it was not found/);
  assert.deepEqual(source.names(), []);
});

test('a title opens the description in its first sentence, unless it only repeats the name', async () => {
  await using source = await openSource(scriptOptions('titled'));
  const texts = source.names().map((name) => source.tool(name).description);
  assert.deepEqual(texts, ['Reads a file.', 'Read (Deprecated): Reads a file.', 'Reads something']);
});

test('an address at which nothing listens is a status that says so', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const url = `http://127.0.0.1:${port}/mcp`;
  await using source = await openSource({ name: 'away', url, allowPrivateAddresses: true });
  assert.equal(
    source.open.remote?.status().message,
    'The server could not be reached: nothing listens at the host and port of its url',
  );
});
