import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import { sdkCommand, serveSdk } from '@ravi/mcp-testing';
import { test } from 'vitest';
import type { McpProtocol, McpServerOptions } from '../src/index.ts';
import { openSource } from './support/open-source.ts';
import type { TestSource } from './support/open-source.ts';

/** Ways to the official server: each version over each transport, and what is negotiated without a choice. */
const ways: readonly {
  readonly title: string;
  readonly transport: 'stdio' | 'http';
  readonly protocol: McpProtocol;
  readonly agreed: string;
}[] = [
  { title: '2025-11-25 over stdio', transport: 'stdio', protocol: '2025-11-25', agreed: '2025-11-25' },
  { title: '2026-07-28 over stdio', transport: 'stdio', protocol: '2026-07-28', agreed: '2026-07-28' },
  { title: '2025-11-25 over HTTP', transport: 'http', protocol: '2025-11-25', agreed: '2025-11-25' },
  { title: '2026-07-28 over HTTP', transport: 'http', protocol: '2026-07-28', agreed: '2026-07-28' },
  {
    title: 'the version that both sides choose over stdio',
    transport: 'stdio',
    protocol: 'auto',
    agreed: '2026-07-28',
  },
  { title: 'the version that both sides choose over HTTP', transport: 'http', protocol: 'auto', agreed: '2026-07-28' },
];

async function open(
  way: (typeof ways)[number],
  more: Partial<McpServerOptions> = {},
): Promise<TestSource & AsyncDisposable> {
  const common = { name: 'sdk', protocol: way.protocol, ...more };
  if (way.transport === 'stdio') {
    return openSource({ ...common, ...sdkCommand() } as McpServerOptions);
  }
  const server = await serveSdk();
  const source = await openSource({ ...common, url: server.url, allowPrivateAddresses: true } as McpServerOptions);
  return {
    ...source,
    async [Symbol.asyncDispose]() {
      await source[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** The faster way, for cases in which the way to the server makes no difference. */
const overHttp = ways.filter(({ transport }) => transport === 'http');

for (const way of ways) {
  test(`${way.title}: tools are listed, and results keep their structure`, async () => {
    await using source = await open(way);
    assert.equal(source.open.remote?.status().protocol, way.agreed);
    assert.deepEqual(source.names(), ['sdk__add', 'sdk__fail', 'sdk__media', 'sdk__ask']);
    const add = source.tool('sdk__add');
    assert.deepEqual(
      [add.inputSchema['required'], (add.outputSchema as { required?: unknown }).required],
      [['a', 'b'], ['sum']],
    );
    const result = await source.call('sdk__add', { a: 2, b: 3 });
    assert.deepEqual(result, {
      content: [{ type: 'text', text: '5' }],
      isError: false,
      structuredContent: { sum: 5 },
    });
    const failed = await source.call('sdk__fail');
    assert.deepEqual(failed, { content: [{ type: 'text', text: 'The disk is full' }], isError: true });
  });

  // A stateless server of the older version over HTTP cannot ask.
  test.skipIf(way.transport === 'http' && way.agreed === '2025-11-25')(
    `${way.title}: a question during a call is answered by the person, and the call continues`,
    async () => {
      await using source = await open(way);
      const { content } = await source.call(
        'sdk__ask',
        {},
        {
          elicit: async ({ mode, message }) => {
            assert.deepEqual([mode, message], ['form', 'Which city?']);
            return { action: 'accept', content: { city: 'Ulm' } };
          },
        },
      );
      const [block] = content;
      const answer = { action: 'accept', content: { city: 'Ulm' } };
      const expected = way.agreed === '2026-07-28' ? [answer, 'state-of-the-server'] : answer;
      assert.deepEqual(JSON.parse((block as { text: string }).text), expected);
    },
  );
}

for (const way of overHttp) {
  test(`${way.title}: small media stay in the result, large ones become artifacts, text stays text`, async () => {
    await using source = await open(way);
    const stored: unknown[] = [];
    const { content } = await source.call(
      'sdk__media',
      {},
      {
        storeArtifact: async (data, mediaType) => {
          stored.push([(data as Uint8Array).byteLength, mediaType]);
          return 'blob_1';
        },
      },
    );
    const [image, document, heading, note] = content;
    assert.equal(image?.type, 'image');
    assert.deepEqual(stored, [[40_000, 'application/pdf']]);
    assert.deepEqual(document, {
      type: 'document',
      mediaType: 'application/pdf',
      source: { kind: 'blob', ref: 'blob_1' },
      name: 'big.bin',
    });
    assert.deepEqual(
      [heading, note],
      [
        { type: 'text', text: 'Resource file:///note.txt:' },
        { type: 'text', text: '{"looks":"like JSON"}' },
      ],
    );
  });

  test(`${way.title}: wrong arguments are refused by the server, in words`, async () => {
    await using source = await open(way);
    const result = await source.call('sdk__add', { a: 'two' }).catch((error: unknown) => error);
    const text = isKernelError(result) ? result.message : JSON.stringify(result);
    assert.match(text, /[Ii]nvalid arguments|Input validation/);
  });

  test(`${way.title}: a hint that a tool only reads counts for a trusted server only`, async () => {
    await using distrusted = await open(way);
    assert.equal(distrusted.tool('sdk__add').risk, 'high');
    await using trusted = await open(way, { trust: true, risk: { fail: 'critical', 'mcp:other/*': 'critical' } });
    assert.deepEqual(
      ['sdk__add', 'sdk__fail', 'sdk__media'].map((name) => trusted.tool(name).risk),
      ['safe', 'critical', 'high'],
    );
  });

  test(`${way.title}: lists of patterns choose the tools`, async () => {
    await using source = await open(way, { allow: ['mcp:sdk/*a*'], deny: ['add'] });
    assert.deepEqual(source.names(), ['sdk__fail', 'sdk__media', 'sdk__ask']);
  });
}

test('a server that knows the newest version only is understood, and asked in that version at once', async () => {
  await using server = await serveSdk({ legacy: 'reject' });
  await using source = await openSource({ name: 'sdk', url: server.url, allowPrivateAddresses: true });
  assert.equal(source.open.remote?.status().protocol, '2026-07-28');
  await source.call('sdk__add', { a: 1, b: 1 });
  assert.equal(server.headers.at(-1)?.get('mcp-protocol-version'), '2026-07-28');
});

test('an address of this machine is refused unless the configuration allows it', async () => {
  await using server = await serveSdk();
  await using source = await openSource({ name: 'sdk', url: server.url });
  assert.equal(source.state(), 'failed');
  assert.match(source.open.remote?.status().message ?? '', /private address/);
  assert.equal(server.headers.length, 0);
});
