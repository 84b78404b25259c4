import assert from 'node:assert/strict';
import { serveHttp } from '@ravi/mcp-testing';
import type { ServerScript } from '@ravi/mcp-testing';
import { test } from 'vitest';
import { openSource, scriptOptions } from './support/open-source.ts';

const secret = 'key-4711-"quoted"-ä'.padEnd(30, 'x');
const token = 'abcdef0123456789abcdef';

/** Server that sends back what it was sent, in each way in which text of it reaches a model or a person. */
function echoing(isStream: boolean): ServerScript {
  let sent = '';
  return {
    tools: () => ['result', 'error', 'status'].map((name) => ({ name, inputSchema: { type: 'object' } })),
    http(request, response, message) {
      const { authorization, 'x-api-key': key, 'x-tenant': tenant } = request.headers;
      sent = `${authorization} ${decodeURIComponent(String(key))} ${tenant} ${request.url}`;
      if (message?.method !== 'tools/call') return false;
      if (message.params?.name === 'status') {
        response.writeHead(500).end(sent);
        return true;
      }
      if (message.params?.name !== 'result' || isStream) return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      const result = {
        content: [{ type: 'text', text: sent }],
        structuredContent: { [sent]: Buffer.from(token).toString('base64') },
      };
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
      return true;
    },
    on: {
      'tools/call': (message, wire) => {
        if (message.params?.name === 'result') return wire.result(message, { content: [{ type: 'text', text: sent }] });
        wire.send({ jsonrpc: '2.0', id: message.id, error: { code: -32_000, message: sent } });
      },
    },
  };
}

for (const isStream of [true, false]) {
  test(`secrets of the configuration that a server sends back as ${isStream ? 'events' : 'JSON'} are hidden`, async () => {
    await using server = await serveHttp(echoing(isStream));
    await using source = await openSource({
      name: 'echo',
      url: `${server.url}?api_key=${token}&page=overview1`,
      allowPrivateAddresses: true,
      headers: {
        authorization: `Bearer ${token}`,
        'x-api-key': encodeURIComponent(secret),
        'x-tenant': 'the-tenant-of-ada',
      },
    });
    const seen: unknown[] = [await source.call('echo__result')];
    for (const name of ['echo__error', 'echo__status']) {
      seen.push(await source.call(name).catch((error: unknown) => String(error)));
    }
    const text = JSON.stringify([seen, source.logger.records]);
    for (const hidden of [token, encodeURIComponent(secret), Buffer.from(token).toString('base64')]) {
      assert.ok(!text.includes(hidden), `${hidden} is in ${text}`);
    }
    for (const each of seen) assert.match(JSON.stringify(each), /Bearer \[redacted\]/);
    // Other values stay as they are.
    assert.match(text, /the-tenant-of-ada/);
    assert.match(text, /page=overview1/);
  });
}

test('secrets in the environment of a process stay out of its results, and other variables do not', async () => {
  const env = { FILES_API_KEY: secret, FILES_FOLDER: '/data/folder-of-ada' };
  await using source = await openSource({ ...scriptOptions('environment'), env });
  const text = JSON.stringify(await source.call('script__work'));
  assert.match(text, /FILES_API_KEY\W+\[redacted\]/);
  assert.match(text, /folder-of-ada/);
  assert.ok(!text.includes('key-4711'));
});
