import { ToolMessage } from '@langchain/core/messages';
import { DynamicStructuredTool } from '@langchain/core/tools';
import { interrupt, isGraphBubbleUp } from '@langchain/langgraph';
import { modelContent } from '@ravi/gateway-kit';
import type {
  DescriptorCall,
  FrameworkRun,
  Gateway,
  GatewayDecision,
  GatewayTool,
  ModelContent,
} from '@ravi/gateway-kit';
import type { ApprovalRequest, InvocationResult } from '@ravi/kernel';
import { questionOf, readAnswer } from './approval-question.ts';
import { callIdOf, turnOf } from './run-of.ts';
import type { CallConfig } from './run-of.ts';

/** Artifact of a tool message: what the model does not read. */
export type ToolOutputArtifact = Pick<InvocationResult, 'structured' | 'artifactRef' | 'files' | 'error'>;

/** Options of {@link createLangChainTools}. */
export interface LangChainToolsOptions {
  /**
   * Returns the run of a call, which decides whose budget, calls and artifacts it uses; must be the same after an interrupt. Default:
   * the turn of the thread. See `turnOf`.
   */
  readonly runOf?: (config: CallConfig) => FrameworkRun;
  /** Maximum size of an image that becomes content of a tool message; 4 MiB when absent. A larger one stays a reference. */
  readonly maxMediaBytes?: number;
}

const defaultMediaBytes = 4_194_304;

/**
 * Creates the tools of LangChain for everything that a gateway offers. A call that needs approval interrupts the graph with an
 * `ApprovalQuestion`, and `new Command({ resume: answerTo(interrupt, …) })` continues it; the graph needs a checkpointer for that.
 * Without one such a call is denied, unless the gateway has an approval handler.
 */
export function createLangChainTools(gateway: Gateway, options: LangChainToolsOptions = {}): DynamicStructuredTool[] {
  return gateway.tools.map((tool) => createTool(tool, gateway, options));
}

function createTool(
  tool: GatewayTool,
  gateway: Gateway,
  { runOf = turnOf, maxMediaBytes = defaultMediaBytes }: LangChainToolsOptions,
): DynamicStructuredTool {
  const { name, description, inputSchema } = tool;
  return new DynamicStructuredTool({
    name,
    description,
    // LangChain's validator writes into the schema, and those of a toolbox are frozen.
    schema: structuredClone(inputSchema) as Record<string, unknown>,
    async func(args: unknown, _manager, runnableConfig?: CallConfig) {
      const config = runnableConfig ?? {};
      const id = config.toolCall?.id ?? config.toolCallId;
      const { signal } = config;
      const call = {
        run: runOf(config),
        callId: callIdOf(id, config),
        ...(signal === undefined ? {} : { signal }),
      };
      const result = await run(tool, args, call);
      const accepts = (mediaType: string): boolean => mediaType.startsWith('image/');
      return outputOf(
        result,
        { id, name },
        await modelContent(result, { gateway, run: call.run, accepts, maxMediaBytes }),
      );
    },
  });
}

// LangGraph runs the tool again after an interrupt, and `ask` then returns the answers in the order of the questions. The gateway
// knows the call and which requests are decided already.
async function run(tool: GatewayTool, args: unknown, call: DescriptorCall): Promise<InvocationResult> {
  let outcome = await tool.call(args, call);
  while (outcome.status === 'needs-approval') {
    for (const decision of ask(outcome.requests)) {
      outcome = await tool.decide(args, call, decision);
      if (outcome.status === 'done') return outcome.result;
    }
    // A decision that does not count leaves the call as it was, so it is asked again.
    if (outcome.status === 'refused') outcome = await tool.call(args, call);
  }
  return outcome.result;
}

function ask(requests: readonly ApprovalRequest[]): readonly GatewayDecision[] {
  try {
    return readAnswer(interrupt(questionOf(requests)));
  } catch (error) {
    if (isGraphBubbleUp(error)) throw error;
    const reason = 'It needs the approval of a person, and this graph cannot ask one: it has no checkpointer';
    return requests.map(({ id: requestId }) => ({ requestId, decision: 'denied', reason }));
  }
}

// A message for a call of a model, else the text.
function outputOf(
  result: InvocationResult,
  call: { readonly id: string | undefined; readonly name: string },
  { text, media }: ModelContent,
): unknown {
  if (call.id === undefined) return text;
  const images = media.map(({ mediaType, bytes }) => ({
    type: 'image_url' as const,
    image_url: { url: `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}` },
  }));
  const content = images.length === 0 ? text : [{ type: 'text' as const, text }, ...images];
  const { structured, artifactRef, files, error } = result;
  const artifact: ToolOutputArtifact = {
    files,
    ...(structured === undefined ? {} : { structured }),
    ...(artifactRef === undefined ? {} : { artifactRef }),
    ...(error === undefined ? {} : { error }),
  };
  const status = result.status === 'ok' ? ('success' as const) : ('error' as const);
  return new ToolMessage({ content, name: call.name, tool_call_id: call.id, status, artifact });
}
