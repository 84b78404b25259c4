import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { CallToolRequest, ClientCapabilities, Server, ServerContext, Tool } from '@modelcontextprotocol/server';
import type { JsonObject, SandboxLanguage } from '@ravi/kernel';
import { visibleText } from '@ravi/support';
import type { AskingModes } from './approvals.ts';
import { problemWithArguments } from './check-arguments.ts';
import { scriptOfCall } from './direct-call.ts';
import type { GatewayScript, McpGateway } from './gateway.ts';
import { nameOf, offeredTools } from './offered-tools.ts';
import type { ServerMode } from './offered-tools.ts';
import { callOwnTool } from './own-tools.ts';
import { listResources, readResource, resourceTemplates } from './resources.ts';
import { textResult } from './result.ts';
import { runScript } from './run-script.ts';
import type { CallResult, CallState, RunCallOptions } from './run-script.ts';
import { registerTasks, tasksExtension } from './tasks/register-tasks.ts';
import { CreatedTask, TaskServer } from './tasks/task-server.ts';
import { stateOf, taskOf2025 } from './tasks/task-view.ts';

/** Options of {@link createMcpServer}. */
export interface McpServerOptions {
  /** Returns the access of the caller of a request. */
  readonly gatewayOf: (context: ServerContext) => McpGateway;
  /** Key of the state that clients return with their answers, at least 32 bytes. It must be the same in each process that may get them. */
  readonly stateKey: Uint8Array;
  /** Default: `code`. */
  readonly mode?: ServerMode;
  /** Generation of the client: `legacy` for 2025-11-25 and before, `modern` for 2026-07-28. */
  readonly era: 'legacy' | 'modern';
  /** Milliseconds after which a call answers with a task, if its client has tasks of 2026-07-28. Default: 5 000. */
  readonly taskAfterMs?: number;
}

// A test compares it with the manifest, which a bundle does not have.
const version = '0.1.0';

const instructions =
  'Ravi runs scripts over all configured tools. Prefer one script with several calls to several calls of execute. ' +
  'A risky call waits for a person: when a result says that a run is paused, tell the user, and call resume afterwards.';

/**
 * Creates the server of one connection or one request, for both generations of the protocol. Everything that it does goes through the
 * gateway of the caller.
 */
export function createMcpServer(options: McpServerOptions): Server {
  const { gatewayOf, stateKey, era, mode = 'code', taskAfterMs = 5_000 } = options;
  const states = createRequestStateCodec<CallState>({
    key: stateKey,
    ttlSeconds: stateSeconds,
    bind: (context) => `${context.mcpReq.method}\0${context.http?.authInfo?.clientId ?? ''}`,
  });
  const server = new TaskServer(
    { name: 'ravi', title: 'Ravi', version },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: {},
        // Tasks are part of the core of one generation, and an extension of the other.
        ...(era === 'legacy'
          ? { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }
          : { extensions: { [tasksExtension]: {} } }),
      },
      instructions,
      requestState: { verify: states.verify },
    },
  );

  server.setRequestHandler('tools/list', async (_request, context) => {
    const tools = offeredTools(mode, await gatewayOf(context).tools());
    return { tools: [...tools.values()].map(({ listed, canBeTask }) => listedFor(era, listed, canBeTask)) };
  });
  server.setRequestHandler('tools/call', (request, context) => callTool(request, context));
  server.setRequestHandler('resources/list', (_request, context) => listResources(gatewayOf(context)));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [...resourceTemplates] }));
  server.setRequestHandler('resources/read', ({ params }, context) =>
    readResource(params.uri, { gateway: gatewayOf(context), mode }),
  );
  registerTasks(server, { gatewayOf, capabilitiesOf, askingModes, resumeTool: 'resume', mode });
  return server;

  async function callTool(request: CallToolRequest, context: ServerContext): Promise<CallResult> {
    try {
      return await callOffered(request, context);
    } catch (error) {
      return refusalOf(error);
    }
  }

  async function callOffered({ params }: CallToolRequest, context: ServerContext): Promise<CallResult> {
    const gateway = gatewayOf(context);
    const offered = offeredTools(mode, await gateway.tools());
    const tool = offered.get(params.name);
    if (tool === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${visibleText(params.name)}"`);
    }
    const capabilities = capabilitiesOf(context);
    const isBackground = tool.kind === 'direct' && tool.isBackground;
    const options: RunCallOptions = {
      gateway,
      context,
      states,
      asks: askingModes(capabilities),
      resumeTool: nameOf('resume', offered),
      mode,
      ...(hasTasks(capabilities) ? { taskAfterMs: isBackground ? 0 : taskAfterMs } : {}),
    };
    const args = (params.arguments ?? {}) as JsonObject;
    const problem = tool.kind === 'own' ? problemWithArguments(args, tool.listed) : undefined;
    if (problem !== undefined) return textResult(`${problem} [E_ARGUMENTS_INVALID]`, true);
    if (tool.kind === 'own' && tool.own !== 'execute') return callOwnTool(tool.own, args, options);
    if (tool.kind === 'direct' && !tool.hasRun) {
      const { text, isError } = await gateway.call(params.name, args, { signal: context.mcpReq.signal });
      return textResult(text, isError);
    }
    const script = tool.kind === 'own' ? scriptOf(args, tool.listed) : scriptOfCall(params.name, args);
    if (params.task !== undefined && era === 'legacy') throw await startTask(script, gateway);
    return runScript(script, options);
  }

  function capabilitiesOf({ mcpReq }: ServerContext): ClientCapabilities | undefined {
    const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
    const ofRequest = envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
    return ofRequest ?? server.getClientCapabilities();
  }
}

// Of checked arguments. The first language is that of a script that names none.
function scriptOf(args: JsonObject, { inputSchema: { properties } }: Tool): GatewayScript {
  const { code, language: named, approve } = args as unknown as GatewayScript;
  const { language: choices } = (properties ?? {}) as { readonly language?: { readonly enum?: SandboxLanguage[] } };
  const language = named ?? choices?.enum?.[0];
  return { code, ...(language && { language }), ...(approve && { approve }) };
}

// Only the older generation declares which tools can be tasks.
function listedFor(era: McpServerOptions['era'], listed: Tool, canBeTask: boolean): Tool {
  return era === 'legacy' && canBeTask ? { ...listed, execution: { taskSupport: 'optional' } } : listed;
}

// Starts a run as a task of version 2025-11-25, whose client asked for it.
async function startTask(script: GatewayScript, gateway: McpGateway): Promise<CreatedTask> {
  const run = await gateway.run(await gateway.start(script));
  return new CreatedTask({ task: taskOf2025(run, stateOf(run, false)) });
}

function hasTasks(capabilities: ClientCapabilities | undefined): boolean {
  return capabilities?.extensions?.[tasksExtension] !== undefined;
}

// A person may need a while; the run itself waits longer, and `resume` continues it.
const stateSeconds = 86_400;

/** Returns the questions that a client can show; `undefined` if it shows none. Without modes it means forms. */
function askingModes(capabilities: ClientCapabilities | undefined): AskingModes | undefined {
  const elicitation = capabilities?.elicitation;
  if (elicitation === undefined) return undefined;
  const url = elicitation.url !== undefined;
  return { form: elicitation.form !== undefined || !url, url };
}

/** Returns what the model reads about a refused request. @throws every error that is not a refusal */
function refusalOf(error: unknown): CallResult {
  const { code, message, retryAfterMs } = error as Partial<{ code: unknown; message: string; retryAfterMs: number }>;
  if (typeof code !== 'string' || !code.startsWith('E_')) throw error;
  const later = retryAfterMs === undefined ? '' : ` Try again in ${Math.ceil(retryAfterMs / 1_000)} s.`;
  return textResult(`${message} [${code}]${later}`, true);
}
