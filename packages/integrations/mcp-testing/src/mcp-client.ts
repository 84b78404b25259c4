import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { CallToolResult, ElicitRequest, ElicitResult, Transport } from '@modelcontextprotocol/client';

/** The generations of the protocol. */
export const generations = ['2025-11-25', '2026-07-28'] as const;

/** A generation of the protocol. */
export type Generation = (typeof generations)[number];

/** Options of {@link connectMcp}. */
export interface McpClientOptions {
  readonly token?: string;
  /** Answers questions of the server; without it the client declares that it cannot ask. */
  readonly onAsk?: (request: ElicitRequest['params']) => ElicitResult | Promise<ElicitResult>;
  /** Capabilities in addition. */
  readonly capabilities?: object;
  readonly listChanged?: () => void;
}

/** An official client, connected. */
export interface McpTestClient extends AsyncDisposable {
  readonly client: Client;
  /** Calls a tool. */
  call(name: string, args?: Record<string, unknown>, signal?: AbortSignal): Promise<CallToolResult>;
  /** Runs a script. */
  execute(code: string): Promise<CallToolResult>;
}

/** Connects an official client of a generation to the endpoint of a server. */
export function connectMcp(
  url: string,
  generation: Generation,
  options: McpClientOptions = {},
): Promise<McpTestClient> {
  const { token } = options;
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return connectOver(
    new StreamableHTTPClientTransport(endpointOf(url), { requestInit: { headers } }),
    generation,
    options,
  );
}

/** Connects an official client over any transport. */
export async function connectOver(
  transport: Transport,
  generation: Generation,
  { onAsk, capabilities = {}, listChanged }: McpClientOptions = {},
): Promise<McpTestClient> {
  const asks = onAsk === undefined ? {} : { elicitation: { form: {} } };
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      capabilities: { ...asks, ...capabilities },
      ...(generation === '2025-11-25' ? {} : { versionNegotiation: { mode: { pin: generation } } }),
      ...(listChanged === undefined ? {} : { listChanged: { tools: { onChanged: listChanged } } }),
    },
  );
  if (onAsk !== undefined) client.setRequestHandler('elicitation/create', ({ params }) => onAsk(params));
  await client.connect(transport);
  assert.equal(client.getNegotiatedProtocolVersion(), generation);
  const call: McpTestClient['call'] = (name, args = {}, signal) =>
    client.callTool({ name, arguments: args }, signal === undefined ? {} : { signal });
  return {
    client,
    call,
    execute: (code) => call('execute', { code }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** Returns the text of a result. */
export function textOf({ content }: CallToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

/** Returns the id of the run of a result. */
export function runIdOf({ _meta }: CallToolResult): string {
  const { 'ravi/runId': runId } = (_meta ?? {}) as { readonly 'ravi/runId'?: string };
  assert.ok(runId);
  return runId;
}

// The address of a server, or of its endpoint with a query.
function endpointOf(url: string): URL {
  return url.includes('/mcp') ? new URL(url) : new URL('/mcp', url);
}
