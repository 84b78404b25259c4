import { tool as defineTool } from '@openai/agents';
import type { FunctionTool, RunContext, ToolInputParameters } from '@openai/agents';
import { outcomeText } from '@ravi/gateway-kit';
import type { DescriptorCall, FrameworkRun, Gateway, GatewayTool } from '@ravi/gateway-kit';
import { toolOutput } from './tool-output.ts';

/** Options of {@link raviTools}. */
export interface RaviToolsOptions<Context> {
  /**
   * Run of a call. The SDK has no id for its runs, so take one from your context: the same for a run and for everything that resumes
   * it. Agents as tools and handoffs have the context of their caller, and so its run.
   */
  readonly run: FrameworkRun | ((runContext: RunContext<Context>) => FrameworkRun);
  /** Maximum size of an image or PDF that the model gets as content, in bytes; 4 MiB when absent. Larger ones stay references. */
  readonly maxMediaBytes?: number;
}

const defaultMediaBytes = 4_194_304;

/**
 * Returns the tools of a gateway for agents of the OpenAI Agents SDK. A call that needs approval interrupts the run; approve or
 * reject it in the state of the run as usual.
 */
export function raviTools<Context>(gateway: Gateway, options: RaviToolsOptions<Context>): FunctionTool<Context>[] {
  const { continuation } = gateway;
  const offered = continuation === undefined ? gateway.tools : [...gateway.tools, continuation];
  return offered.map((tool) => toolOf(tool, gateway, options));
}

function toolOf<Context>(
  tool: GatewayTool,
  gateway: Gateway,
  { run, maxMediaBytes = defaultMediaBytes }: RaviToolsOptions<Context>,
): FunctionTool<Context> {
  const runOf = (context: RunContext<Context>): FrameworkRun => (typeof run === 'function' ? run(context) : run);
  return defineTool({
    name: tool.name,
    description: tool.description,
    // The invoker validates arguments, so that every way to a tool has the same messages.
    parameters: tool.inputSchema as Extract<ToolInputParameters, { readonly additionalProperties: true }>,
    strict: false,
    needsApproval: async (context, input, callId) => {
      // Without an id the decision could not be for this call alone. The SDK gives one to each call.
      if (callId === undefined) return true;
      // The SDK asks again about a call that a restored state has decided. Such a decision needs a request that was made before.
      const isHistory = context.isToolApproved({ toolName: tool.name, callId }) !== undefined;
      const call = { run: runOf(context as RunContext<Context>), callId };
      return (await tool.check(input, call, { isHistory })).needsApproval;
    },
    // The SDK runs a tool once it is approved or needs no approval. The gateway knows which of both is true.
    async execute(input, context, details) {
      const callId = details?.toolCall?.callId;
      if (context === undefined || callId === undefined) return 'The call has no id, so it cannot be made';
      const call: DescriptorCall = { run: runOf(context as RunContext<Context>), callId, signal: details?.signal };
      const outcome = await tool.decide(input, call, { decision: 'approved' });
      if (outcome.status === 'needs-approval') return outcomeText(outcome);
      return toolOutput(outcome.result, { gateway, run: call.run, maxMediaBytes });
    },
    // A failure of the run itself, such as its cancellation. What a model can correct is a result.
    errorFunction: null,
  }) as unknown as FunctionTool<Context>;
}
