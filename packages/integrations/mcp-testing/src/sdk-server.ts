// The official server, for both versions of the protocol: `node sdk-server.ts` over the standard streams, or `serveSdk()` over HTTP.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { createMcpHandler, fromJsonSchema, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const cityForm = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city'],
};

function createSdkServer(more: readonly string[] = []): McpServer {
  const server = new McpServer(
    { name: 'sdk', version: '2.0.0' },
    { capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} } },
  );
  const numbers = fromJsonSchema<{ a: number; b: number }>({
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  });
  const sum = fromJsonSchema<{ sum: number }>({
    type: 'object',
    properties: { sum: { type: 'number' } },
    required: ['sum'],
  });
  server.registerTool(
    'add',
    { description: 'Adds two numbers.', inputSchema: numbers, outputSchema: sum, annotations: { readOnlyHint: true } },
    ({ a, b }) => ({ content: [{ type: 'text', text: `${a + b}` }], structuredContent: { sum: a + b } }),
  );
  server.registerTool('fail', { description: 'Fails.' }, () => ({
    isError: true,
    content: [{ type: 'text', text: 'The disk is full' }],
  }));
  server.registerTool('media', { description: 'Returns media.' }, () => ({
    content: [
      { type: 'image', data: png, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: {
          uri: 'file:///big.bin',
          mimeType: 'application/pdf',
          blob: Buffer.alloc(40_000).toString('base64'),
        },
      },
      { type: 'resource', resource: { uri: 'file:///note.txt', text: '{"looks":"like JSON"}' } },
    ],
  }));
  server.registerTool('ask', { description: 'Asks for a city.' }, async (context) => {
    const { mcpReq } = context;
    if (mcpReq.envelope === undefined) {
      const answer = await mcpReq.elicitInput({ mode: 'form', message: 'Which city?', requestedSchema: cityForm });
      return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
    }
    const given = mcpReq.inputResponses?.['city'];
    if (given === undefined) {
      return inputRequired({
        inputRequests: { city: inputRequired.elicit({ message: 'Which city?', requestedSchema: cityForm }) },
        requestState: 'state-of-the-server',
      });
    }
    return { content: [{ type: 'text', text: JSON.stringify([given, mcpReq.requestState()]) }] };
  });
  for (const name of more) {
    server.registerTool(name, { description: 'Returns its name.' }, () => ({
      content: [{ type: 'text', text: name }],
    }));
  }
  server.registerResource('note', 'note://one', { description: 'A note.', mimeType: 'text/plain' }, () => ({
    contents: [{ uri: 'note://one', mimeType: 'text/plain', text: 'remember the milk' }],
  }));
  server.registerPrompt(
    'greet',
    {
      description: 'Greets a person.',
      argsSchema: fromJsonSchema<{ who: string }>({
        type: 'object',
        properties: { who: { type: 'string', description: 'Name of the person.' } },
        required: ['who'],
      }),
    },
    ({ who }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Hello ${who}` } }] }),
  );
  return server;
}

/** Official server over HTTP on the loopback interface. */
export interface SdkServer extends AsyncDisposable {
  readonly url: string;
  /** Headers of the requests so far. */
  readonly headers: readonly Headers[];
  /** Adds a tool that returns its name. */
  addTool(name: string): void;
  /** Announces a changed list of tools on each open subscription. */
  announce(): void;
}

/** Starts the official server over HTTP. `legacy`: `reject` serves version 2026-07-28 only. */
export async function serveSdk(options: { readonly legacy?: 'stateless' | 'reject' } = {}): Promise<SdkServer> {
  const more: string[] = [];
  const handler = createMcpHandler(() => createSdkServer(more), options);
  const headers: Headers[] = [];
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const sent = new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
      headers.push(sent);
      const hasBody = incoming.method === 'POST';
      const abort = new AbortController();
      outgoing.on('close', () => abort.abort());
      const response = await handler.fetch(
        new Request(`http://127.0.0.1${incoming.url}`, {
          method: incoming.method ?? 'GET',
          headers: sent,
          signal: abort.signal,
          ...(hasBody ? { body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>, duplex: 'half' as const } : {}),
        }),
      );
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      if (response.body !== null) for await (const chunk of response.body) outgoing.write(chunk);
      outgoing.end();
    })().catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    headers,
    addTool: (name) => void more.push(name),
    announce: () => handler.notify.toolsChanged(),
    async [Symbol.asyncDispose]() {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

if (import.meta.main) serveStdio(() => createSdkServer());
