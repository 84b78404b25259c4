import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { HookManager, Toolbox, ToolInvoker } from '@ravi/invoker';
import { silentLogger, systemClock } from '@ravi/kernel';
import type { JsonObject } from '@ravi/kernel';
import { createMcpSource } from '@ravi/mcp';
import type { McpServerOptions } from '@ravi/mcp';
import { sdkCommand, serveSdk } from '@ravi/mcp-testing';
import type { BenchGroup, BenchRow } from './row.ts';
import { rowsOf } from './rows-of.ts';

const calls = 500;

/** Server that both sides call, and the tool. */
interface Scene {
  readonly name: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly options: McpServerOptions;
  readonly transport: () => Transport;
  readonly version: '2025-11-25' | '2026-07-28';
}

/** Measures a call of an MCP tool through every gate, compared with the client of the SDK alone and the same server. */
export const benchMcp: BenchGroup = async ({ rounds }) => {
  await using http = await serveSdk();
  const rows: BenchRow[] = [];
  for (const scene of scenesOf(http.url)) {
    await using ours = await openOurs(scene);
    await using bare = await openBare(scene);
    const measurement = {
      group: 'mcp',
      name: scene.name,
      unit: 'µs',
      goal: '≤ 1.15×',
      ours: { name: 'invoker', measure: () => usPerCall(ours.call) },
      peers: [{ name: 'bare SDK client', measure: () => usPerCall(bare.call) }],
    };
    rows.push(...(await rowsOf(measurement, rounds)));
  }
  return rows;
};

function scenesOf(url: string): readonly Scene[] {
  const root = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'));
  const everything = { command: process.execPath, args: [join(root, 'dist/index.js')] };
  const http = { url, allowPrivateAddresses: true };
  const sum = { tool: 'add', args: { a: 1, b: 2 } };
  return [
    {
      name: 'a gated call over stdio, server-everything',
      tool: 'echo',
      args: { message: 'hello' },
      options: { name: 'server', ...everything },
      transport: () => new StdioClientTransport({ ...everything, stderr: 'ignore' }),
      version: '2025-11-25',
    },
    {
      name: 'the same, the official server',
      ...sum,
      options: { name: 'server', ...sdkCommand() },
      transport: () => new StdioClientTransport({ command: sdkCommand().command, args: [...sdkCommand().args] }),
      version: '2026-07-28',
    },
    ...(['2025-11-25', '2026-07-28'] as const).map((version) => ({
      name: `the same over HTTP, version ${version}`,
      ...sum,
      options: { name: 'server', ...http },
      transport: () => new StreamableHTTPClientTransport(new URL(url)),
      version,
    })),
  ];
}

interface Caller extends AsyncDisposable {
  call(): Promise<unknown>;
}

async function openOurs({ tool, args, options, version }: Scene): Promise<Caller> {
  const context = { clock: systemClock, logger: silentLogger };
  const source = createMcpSource({ ...options, protocol: version, risk: { '*': 'safe' } }, context);
  const open = await source.open({ signal: new AbortController().signal, onChange: () => undefined });
  const toolbox = new Toolbox();
  toolbox.setSource('server', open.content().tools);
  const invoker = new ToolInvoker({ registry: toolbox, hooks: new HookManager() });
  const session = invoker.openSession({ policy: { maxToolCalls: 1_000_000 } });
  return {
    async call() {
      const { status, error } = await invoker.invoke({ name: `server__${tool}`, args }, { session });
      if (status !== 'ok') throw new TypeError(`The call ended with ${status}: ${error?.message}`);
    },
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await open[Symbol.asyncDispose]();
    },
  };
}

async function openBare({ tool, args, transport, version }: Scene): Promise<Caller> {
  const mode = version === '2025-11-25' ? ('legacy' as const) : { pin: version };
  const client = new Client({ name: 'bare', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(transport());
  await client.listTools();
  return {
    async call() {
      const { isError } = await client.callTool({ name: tool, arguments: args });
      if (isError === true) throw new TypeError('The call failed');
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function usPerCall(call: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  for (let index = 0; index < calls; index++) await call();
  return ((performance.now() - start) * 1_000) / calls;
}
