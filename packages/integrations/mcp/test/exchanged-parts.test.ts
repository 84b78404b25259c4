import assert from 'node:assert/strict';
import { serveHttp } from '@ravi/mcp-testing';
import type { HttpScript, ReceivedMessage, ServerScript } from '@ravi/mcp-testing';
import { test } from 'vitest';
import { complete, modernScript } from './support/modern-script.ts';
import { openSource } from './support/open-source.ts';
import type { TestSource } from './support/open-source.ts';
import { fails } from './support/sign-in.ts';

interface Opened extends AsyncDisposable {
  readonly source: TestSource;
  readonly server: HttpScript;
}

async function openScript(script: ServerScript): Promise<Opened> {
  const server = await serveHttp(script);
  const source = await openSource({ name: 'server', url: server.url, allowPrivateAddresses: true });
  return {
    source,
    server,
    async [Symbol.asyncDispose]() {
      await source[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

test('a server is asked for progress only if an observer receives it', async () => {
  const tokens: unknown[] = [];
  const { script } = modernScript({
    on: {
      'tools/call': (message, wire) => {
        const metadata = message.params?.['_meta'] as { readonly progressToken?: unknown } | undefined;
        tokens.push(metadata?.progressToken);
        complete(message, wire, { content: [] });
      },
    },
  });
  await using opened = await openScript(script);
  await opened.source.call('server__work');
  await opened.source.call('server__work', {}, { progress: () => {} });
  assert.deepEqual(
    tokens.map((token) => typeof token),
    ['undefined', 'number'],
  );
});

test('arguments that a tool wants as headers are sent as headers too, by version 2026-07-28', async () => {
  const headers: unknown[] = [];
  const city = { type: 'string', 'x-mcp-header': 'City' };
  const schemas = {
    plain: { type: 'object', properties: { city: { type: 'string' } } },
    mirrored: { type: 'object', properties: { city } },
    nested: { type: 'object', properties: { place: { type: 'object', properties: { city } } } },
  };
  const { script } = modernScript({
    tools: () => Object.entries(schemas).map(([name, inputSchema]) => ({ name, inputSchema })),
    on: { 'tools/call': (message, wire) => complete(message, wire, { content: [] }) },
  });
  await using opened = await openScript({
    ...script,
    http(request, _response, message) {
      if (message?.method === 'tools/call') headers.push(request.headers['mcp-param-city']);
      return false;
    },
  });
  for (const name of Object.keys(schemas))
    await opened.source.call(`server__${name}`, { city: 'Oslo', place: { city: 'Bergen' } });
  assert.deepEqual(headers, [undefined, 'Oslo', 'Bergen']);
});

const wrongResults: Readonly<Record<string, object>> = {
  'no content': {},
  'content that is an object': { content: { type: 'text', text: 'x' } },
  'a block that is null': { content: [null] },
  'a block of an unknown type': { content: [{ type: 'script', text: 'x' }] },
  'a text that is a number': { content: [{ type: 'text', text: 1 }] },
  'an image without data': { content: [{ type: 'image', mimeType: 'image/png' }] },
  'an audio whose media type is a list': { content: [{ type: 'audio', data: 'AAAA', mimeType: ['a/b'] }] },
  'a link without an address': { content: [{ type: 'resource_link', name: 'x' }] },
  'a link whose description is an object': {
    content: [{ type: 'resource_link', name: 'x', uri: 'x:y', description: {} }],
  },
  'a resource without content': { content: [{ type: 'resource', resource: { uri: 'x:y' } }] },
  'a resource that is text': { content: [{ type: 'resource', resource: 'x:y' }] },
  'an isError that is text': { content: [], isError: 'yes' },
};
const objectOnly = { content: [], structuredContent: [1] };

for (const [version, answering] of [
  ['2025-11-25', {}],
  ['2026-07-28', { resultType: 'complete' }],
] as const) {
  test(`${version}: a result with a part of a wrong type is refused, and the server stays connected`, async () => {
    let next: object = {};
    const on = {
      'tools/call': (message: ReceivedMessage, wire: Parameters<typeof complete>[1]) =>
        wire.result(message, { ...answering, ...next }),
    };
    await using opened = await openScript(version === '2026-07-28' ? modernScript({ on }).script : { on });
    const { source } = opened;
    assert.equal(source.open.remote?.status().protocol, version);
    for (const [what, result] of Object.entries(wrongResults)) {
      next = result;
      await assert.rejects(source.call('server__work'), fails('E_OUTPUT_INVALID', /not valid/), what);
    }
    next = objectOnly;
    if (version === '2025-11-25')
      await assert.rejects(source.call('server__work'), fails('E_OUTPUT_INVALID', /object/));
    else assert.deepEqual((await source.call('server__work')).structuredContent, [1]);
    next = { content: [{ type: 'text', text: 'right', annotations: { priority: 1 } }] };
    assert.deepEqual((await source.call('server__work')).content, [{ type: 'text', text: 'right' }]);
    assert.equal(source.state(), 'ready');
  });
}
