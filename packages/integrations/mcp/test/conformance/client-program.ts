// Client that the conformance suite tests: a source, opened for the address that the suite appends to the command. It calls every tool,
// reads every resource and gets every prompt that the server lists, as the suite expects of a client.
import { isLocalTool, systemClock } from '@ravi/kernel';
import type { JsonObject, OpenToolSource, Tool, ToolContext } from '@ravi/kernel';
import { createToolContext } from '@ravi/testkit';
import { createMcpSource } from '../../src/index.ts';
import type { McpProtocol } from '../../src/index.ts';
import { sampleOf } from './sample-arguments.ts';

const url = process.argv.at(-1) ?? '';
const {
  MCP_CONFORMANCE_PROTOCOL_VERSION: version,
  MCP_CONFORMANCE_CONTEXT: given = '{}',
  MCP_CONFORMANCE_SCENARIO: scenario = '',
} = process.env;
const {
  toolCalls = [],
  client_id: clientId,
  client_secret: clientSecret,
} = JSON.parse(given) as {
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: JsonObject }[];
  readonly client_id?: string;
  readonly client_secret?: string;
};
const signIn = { clientId, clientSecret, clientMetadataUrl: 'https://conformance-test.local/client-metadata.json' };
const principal = 'ada';
const callbackUrl = 'http://localhost:3000/callback';
const log = (message: string, fields: unknown): void => console.error(message, JSON.stringify(fields));

const context: ToolContext = createToolContext({
  principal,
  storeArtifact: async () => 'blob_1',
  // The person accepts what a form proposes, and signs in.
  elicit: async (request) => {
    if (request.mode === 'form') return { action: 'accept', content: sampleOf(request.schema) };
    await visitSignIn();
    return { action: 'accept' };
  },
});

// Follows the redirect of the authorization server, as the browser of a person would.
async function visitSignIn(): Promise<void> {
  const port = source.remote?.signIn;
  if (port === undefined) throw new TypeError('The source has no sign-in');
  const { url: page } = await port.begin(principal, callbackUrl);
  const response = await fetch(page, { redirect: 'manual' });
  const target = new URL(response.headers.get('location') ?? '', page);
  await port.complete(principal, target.searchParams, { definesTools: true });
}

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
    // The other scenarios have servers that know no callers.
    ...(scenario.startsWith('auth/') ? { signIn } : {}),
  },
  { clock: systemClock, logger: { debug: log, info: log, warn: log, error: log } },
).open({ signal: new AbortController().signal, onChange: () => undefined, signInUrl: () => callbackUrl });
// A server may ask for more as soon as it knows the caller.
for (let round = 0; round < 2 && source.remote?.status().state === 'sign-in'; round++) {
  await visitSignIn().catch((error: unknown) => log('sign-in failed', String(error)));
  await source.remote.reconnect();
}
const status = source.remote?.status();
log('status', status);
log('content', { tools: source.content().tools.map(({ name }) => name), failures: source.content().failures });
await callAll(source);
await source[Symbol.asyncDispose]();
process.exitCode = status?.state === 'ready' ? 0 : 1;
