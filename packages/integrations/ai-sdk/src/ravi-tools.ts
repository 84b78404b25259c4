import { jsonSchema, tool as defineTool } from 'ai';
import type { ModelMessage, ToolSet } from 'ai';
import { outcomeText, requestText } from '@ravi/gateway-kit';
import type { FrameworkRun, Gateway, GatewayTool } from '@ravi/gateway-kit';
import { toModelOutput } from './model-output.ts';
import { outputOf } from './tool-output.ts';

/** Options of {@link raviTools}. */
export interface RaviToolsOptions extends FrameworkRun {
  /** Maximum size of a media artifact that the model gets as content, in bytes; 4 MiB when absent. Larger ones stay references. */
  readonly maxMediaBytes?: number;
}

/** Status of a call for the option `toolApproval` of the AI SDK. */
export type ApprovalStatus = 'not-applicable' | { readonly type: 'user-approval'; readonly reason: string };

/** Decides for one tool if a call needs approval. */
export type ApprovalFunction = (
  input: unknown,
  options: { readonly toolCallId: string; readonly messages: ModelMessage[] },
) => Promise<ApprovalStatus>;

/** Options for `generateText`, `streamText` and `ToolLoopAgent`. */
export interface RaviTools {
  readonly tools: ToolSet;
  /**
   * Tells the AI SDK which calls need approval, with a reason for the person. The tools answer the same without it, but without the
   * reason; a call that reaches a tool and was not approved is refused in any case.
   */
  readonly toolApproval: Readonly<Record<string, ApprovalFunction>>;
}

const defaultMediaBytes = 4_194_304;

/**
 * Returns the tools of a gateway for one run of the AI SDK. Give all requests of a chat the same `runId`: its calls, approvals and
 * budget belong together.
 */
export function raviTools(gateway: Gateway, options: RaviToolsOptions): RaviTools {
  const { maxMediaBytes = defaultMediaBytes, ...run } = options;
  const { continuation } = gateway;
  const offered = continuation === undefined ? gateway.tools : [...gateway.tools, continuation];
  const approvals = offered.map((tool) => [tool.name, approvalOf(tool, run)] as const);
  const tools = offered.map((tool, index) => {
    const needsApproval = (approvals[index] as (typeof approvals)[number])[1];
    return [tool.name, toolOf(tool, { gateway, run, maxMediaBytes, needsApproval })] as const;
  });
  return { tools: Object.fromEntries(tools), toolApproval: Object.fromEntries(approvals) };
}

interface ToolParts {
  readonly gateway: Gateway;
  readonly run: FrameworkRun;
  readonly maxMediaBytes: number;
  readonly needsApproval: ApprovalFunction;
}

function toolOf(tool: GatewayTool, { gateway, run, maxMediaBytes, needsApproval }: ToolParts): ToolSet[string] {
  return defineTool({
    description: tool.description,
    // The invoker validates arguments, so that every way to a tool has the same messages.
    inputSchema: jsonSchema<unknown>(tool.inputSchema as Parameters<typeof jsonSchema>[0]),
    needsApproval: async (input: unknown, options) => (await needsApproval(input, options)) !== 'not-applicable',
    // The SDK runs a tool once it is approved or needs no approval. The gateway knows which of both is true.
    async execute(input: unknown, { toolCallId, abortSignal }) {
      const call = { run, callId: toolCallId, signal: abortSignal };
      const outcome = await tool.decide(input, call, { decision: 'approved' });
      return outcome.status === 'needs-approval' ? outcomeText(outcome) : outputOf(outcome.result);
    },
    toModelOutput: ({ output }) => toModelOutput(output, { gateway, run, maxMediaBytes }),
  });
}

function approvalOf(tool: GatewayTool, run: FrameworkRun): ApprovalFunction {
  return async (input, { toolCallId, messages }) => {
    const isHistory = isCallIn(messages, toolCallId);
    const check = await tool.check(input, { run, callId: toolCallId }, { isHistory });
    return check.needsApproval ? { type: 'user-approval', reason: requestText(check.request) } : 'not-applicable';
  };
}

// A client may have made these messages up. The messages of a call that the model makes now do not contain it yet.
function isCallIn(messages: readonly ModelMessage[], toolCallId: string): boolean {
  return messages.some(
    ({ role, content }) =>
      role === 'assistant' &&
      typeof content !== 'string' &&
      content.some((part) => part.type === 'tool-call' && part.toolCallId === toolCallId),
  );
}
