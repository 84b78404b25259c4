// Client that the conformance suite tests: a source, opened for the address that the suite appends to the command. It calls every tool,
// reads every resource and gets every prompt that the server lists, as the suite expects of a client.
import { isLocalTool, systemClock } from '@ravi/kernel';
import type { JsonObject, OpenToolSource, Tool, ToolContext } from '@ravi/kernel';
import { createToolContext } from '@ravi/testkit';
import { createMcpSource } from '../../src/index.ts';
import type { McpProtocol } from '../../src/index.ts';
import { sampleOf } from './sample-arguments.ts';

const url = process.argv.at(-1) ?? '';
const { MCP_CONFORMANCE_PROTOCOL_VERSION: version, MCP_CONFORMANCE_CONTEXT: given = '{}' } = process.env;
const { toolCalls = [] } = JSON.parse(given) as {
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: JsonObject }[];
};
const log = (message: string, fields: unknown): void => console.error(message, JSON.stringify(fields));

const context: ToolContext = createToolContext({
  storeArtifact: async () => 'blob_1',
  // The person accepts what the form proposes.
  elicit: async (request) => ({
    action: 'accept',
    ...(request.mode === 'form' ? { content: sampleOf(request.schema) } : {}),
  }),
});

// One tool of the suite wants to see the schema of another one, to find what a client lost of it.
function argumentsOf(tool: Tool, tools: readonly Tool[]): JsonObject {
  if (!tool.name.endsWith('json_schema_echo')) return sampleOf(tool.inputSchema);
  const other = tools.find(({ name }) => name.endsWith('json_schema_2020_12_tool'));
  return { schema: (other?.inputSchema ?? {}) as JsonObject };
}

async function callAll(source: OpenToolSource): Promise<void> {
  const tools = source.content().tools.filter(isLocalTool);
  const called = toolCalls.map(({ name, arguments: args }) => ({
    tool: tools.find((each) => each.name === `server__${name}`),
    args,
  }));
  const all = called.length > 0 ? called : tools.map((tool) => ({ tool, args: argumentsOf(tool, tools) }));
  for (const { tool, args } of all) {
    if (tool === undefined) continue;
    try {
      log(`called ${tool.name}`, await tool.execute(args, context));
    } catch (error) {
      log(`failed ${tool.name}`, String(error));
    }
  }
}

const source = await createMcpSource(
  {
    name: 'server',
    url,
    allowPrivateAddresses: true,
    transport: 'http',
    resources: true,
    prompts: true,
    protocol: (version ?? 'auto') as McpProtocol,
  },
  { clock: systemClock, logger: { debug: log, info: log, warn: log, error: log } },
).open({ signal: new AbortController().signal, onChange: () => undefined });
log('status', source.remote?.status());
log('content', { tools: source.content().tools.map(({ name }) => name), failures: source.content().failures });
await callAll(source);
const isReady = source.remote?.status().state === 'ready';
await source[Symbol.asyncDispose]();
process.exitCode = isReady ? 0 : 1;
