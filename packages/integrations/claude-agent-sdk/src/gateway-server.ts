import { modelContent } from '@ravi/gateway-kit';
import type { DescriptorCall, Gateway, GatewayOutcome, GatewayTool, ModelContentOptions } from '@ravi/gateway-kit';
import type { ApprovalRequest, InvocationResult } from '@ravi/kernel';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import type { AskingCall, Person } from './person.ts';
import type { RunIndex } from './run-index.ts';

/** Options of {@link createGatewayServer}. */
export interface GatewayServerOptions {
  readonly name: string;
  readonly alwaysLoad: boolean;
  readonly runs: RunIndex;
  readonly person: Person;
}

/** Images that models of Anthropic read. */
const imageTypes = /^image\/(png|jpeg|gif|webp)$/;
const accepts = (mediaType: string): boolean => imageTypes.test(mediaType);

/** Limit of Anthropic for one image, less its growth in base64. */
const maxMediaBytes = 3_932_160;

/** Creates an MCP server for one query of the SDK, over the tools of a gateway. */
export function createGatewayServer(gateway: Gateway, options: GatewayServerOptions): McpServer {
  const server = new McpServer({ name: options.name, version: '1.0.0' }, { capabilities: { tools: {} } });
  // The schemas are JSON Schema, and the higher interface takes only Zod.
  server.server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: gateway.tools.map((tool) => describe(tool, options.alwaysLoad)),
  }));
  server.server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, _meta: meta }) => {
    const tool = gateway.tools.find(({ name }) => name === params.name);
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${params.name}`);
    const id = meta?.['claudecode/toolUseId'];
    const toolUseId = typeof id === 'string' ? id : crypto.randomUUID();
    const { run, agentId } = options.runs.take(toolUseId);
    const args = params.arguments ?? {};
    const call = { run, callId: toolUseId, signal };
    const ask = createAsking(options.person, { toolUseId, agentId, signal });
    return resultOf(await carryOut({ tool, args, call }, ask), { gateway, run, accepts, maxMediaBytes });
  });
  return server;
}

function describe({ name, description, inputSchema, risk, isRiskFixed }: GatewayTool, alwaysLoad: boolean): Tool {
  return {
    name,
    description,
    inputSchema: inputSchema as Tool['inputSchema'],
    // Claude Code runs tools that only read at the same time.
    annotations: { readOnlyHint: risk === 'safe' && isRiskFixed },
    _meta: { 'anthropic/alwaysLoad': alwaysLoad },
  };
}

type Decided = Awaited<ReturnType<Person>>;

interface ToolCall {
  readonly tool: GatewayTool;
  readonly args: unknown;
  readonly call: DescriptorCall;
}

async function carryOut(
  { tool, args, call }: ToolCall,
  ask: (requests: readonly ApprovalRequest[]) => Promise<Decided>,
): Promise<InvocationResult> {
  let outcome: GatewayOutcome = await tool.call(args, call);
  while (outcome.status === 'needs-approval') outcome = await tool.decide(args, call, await ask(outcome.requests));
  return outcome.result;
}

// Calls of a script may wait at the same time: the person sees each once, and the first decision counts first.
function createAsking(person: Person, call: AskingCall): (requests: readonly ApprovalRequest[]) => Promise<Decided> {
  const asked = new Map<string, Promise<Decided>>();
  return async (requests) => {
    for (const request of requests) {
      if (!asked.has(request.id)) asked.set(request.id, person(request, call));
    }
    const waiting = requests.map(({ id }) => asked.get(id) as Promise<Decided>);
    const over = Promise.withResolvers<Decided>();
    // The gateway then cancels the call, because it gets the same signal.
    const end = (): void => over.resolve({ decision: 'denied', reason: 'The query was cancelled' });
    if (call.signal.aborted) end();
    call.signal.addEventListener('abort', end);
    try {
      return await Promise.race([over.promise, ...waiting]);
    } finally {
      call.signal.removeEventListener('abort', end);
    }
  };
}

async function resultOf(result: InvocationResult, options: ModelContentOptions): Promise<CallToolResult> {
  const { text, media } = await modelContent(result, options);
  const images = media.map(({ mediaType: mimeType, bytes }) => ({
    type: 'image' as const,
    mimeType,
    data: Buffer.from(bytes).toString('base64'),
  }));
  return { content: [{ type: 'text', text }, ...images], ...(result.status === 'ok' ? {} : { isError: true }) };
}
