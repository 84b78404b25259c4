import type { PublicSchema } from '@mastra/core/schema';
import { Tool } from '@mastra/core/tools';
import { modelContent } from '@ravi/gateway-kit';
import type { DescriptorCall, FrameworkRun, Gateway, GatewayOutcome, GatewayTool } from '@ravi/gateway-kit';
import type { ApprovalRequest, JsonObject } from '@ravi/kernel';
import { placeOf, runOf } from './call-place.ts';
import type { CallContext, CallPlace } from './call-place.ts';
import { createDecisionSigner } from './decision-signer.ts';
import type { ApprovalAnswer, DecisionSigner, SignedDecision } from './decision-signer.ts';
import { findSuspension, suspendSchema, suspensionOf } from './suspension.ts';
import { modelOutputOf, outputOf, outputSchema } from './tool-output.ts';
import type { RaviOutput } from './tool-output.ts';

/** Options of {@link createMastraTools}. */
export interface MastraToolsOptions {
  /** Signs decisions, at least 32 bytes; random when absent. Keep it, so that another process accepts them. */
  readonly decisionKey?: Uint8Array;
  /** Returns the run of a call, which decides whose budget, calls and artifacts it uses. Default `runOf`. */
  readonly runOf?: (context: CallContext) => FrameworkRun;
}

/** Decision of a person for {@link MastraTools.answer}. */
export type Choice =
  | 'approve'
  | 'deny'
  | (Pick<SignedDecision, 'decision' | 'modifiedArgs' | 'reason' | 'approver'> & {
      /** Only the request with this id; all of the suspension when absent. */
      readonly requestId?: string;
    });

/** Tool of a gateway in Mastra. */
export type MastraTool = Tool<JsonObject, RaviOutput>;

/** Tools for Mastra, and the way to decide about their calls. */
export interface MastraTools {
  /** For `new Agent({ tools })`; `createStep(tools[name])` makes a step of a workflow. */
  readonly tools: Readonly<Record<string, MastraTool>>;
  /**
   * Returns the value for `resumeStream`, `resumeGenerate` or `run.resume` that decides about the calls of a suspended tool. Takes
   * the suspend payload of a tool, an agent or a supervisor agent.
   * @throws TypeError if the payload is not one of these tools
   */
  answer(payload: unknown, choice: Choice): ApprovalAnswer;
}

/**
 * Creates the tools of Mastra for everything that a gateway offers. A call that needs approval suspends with an `ApprovalSuspension`,
 * and resuming with what `answer` returns continues it; Mastra needs a storage for that. A value without a valid signature decides
 * nothing. Where Mastra cannot suspend, such a call is denied, unless the gateway has an approval handler.
 * @throws KernelError `E_CONFIG_INVALID` for a `decisionKey` below 32 bytes
 */
export function createMastraTools(gateway: Gateway, options: MastraToolsOptions = {}): MastraTools {
  const signer = createDecisionSigner(options.decisionKey ?? crypto.getRandomValues(new Uint8Array(32)));
  const findRun = options.runOf ?? runOf;
  const entries = gateway.tools.map((tool) => [tool.name, createMastraTool(tool, gateway, { signer, findRun })]);
  return {
    tools: Object.freeze(Object.fromEntries(entries) as Record<string, MastraTool>),
    answer(payload, choice) {
      const suspension = findSuspension(payload);
      if (suspension === undefined) throw new TypeError('This is not the suspend payload of a tool of Ravi');
      const { requestId: only, ...decision } = readChoice(choice);
      const chosen = suspension.requests.filter(({ requestId }) => only === undefined || requestId === only);
      return { decisions: chosen.map(({ requestId }) => signer.sign({ ...decision, requestId })) };
    },
  };
}

function readChoice(choice: Choice): Exclude<Choice, string> {
  if (choice === 'approve') return { decision: 'approved' };
  return choice === 'deny' ? { decision: 'denied' } : choice;
}

function createMastraTool(
  tool: GatewayTool,
  gateway: Gateway,
  { signer, findRun }: { readonly signer: DecisionSigner; readonly findRun: (context: CallContext) => FrameworkRun },
): MastraTool {
  const { name, description, inputSchema } = tool;
  return new Tool<JsonObject, RaviOutput>({
    id: name,
    description,
    inputSchema: structuredClone(inputSchema) as PublicSchema<JsonObject>,
    outputSchema: structuredClone(outputSchema) as unknown as PublicSchema<RaviOutput>,
    suspendSchema: structuredClone(suspendSchema) as unknown as PublicSchema<unknown>,
    toModelOutput: modelOutputOf,
    async execute(args: JsonObject, context: CallContext) {
      const place = placeOf(context);
      const call = { run: findRun(context), callId: place.callId, signal: place.signal };
      const outcome = await carryOut({ tool, args, call }, signer, place);
      if (outcome.status !== 'needs-approval') {
        // Mastra stores outputs, so media stay references.
        const { text } = await modelContent(outcome.result, {
          gateway,
          run: call.run,
          accepts: () => false,
          maxMediaBytes: 0,
        });
        return outputOf({ ...outcome.result, text }, place);
      }
      // Mastra discards what a suspended tool returns.
      return place.suspend?.(suspensionOf(place.callId, outcome.requests)) as Promise<undefined>;
    },
  });
}

interface ToolCall {
  readonly tool: GatewayTool;
  readonly args: unknown;
  readonly call: DescriptorCall;
}

async function carryOut(toolCall: ToolCall, signer: DecisionSigner, place: CallPlace): Promise<GatewayOutcome> {
  const { tool, args, call } = toolCall;
  let outcome = await tool.call(args, call);
  for (const decision of signer.read(place.resumeData)) {
    if (outcome.status !== 'needs-approval') return outcome;
    outcome = await tool.decide(args, call, decision);
    // A decision that does not count leaves the call as it was.
    if (outcome.status === 'refused') outcome = await tool.call(args, call);
  }
  while (outcome.status === 'needs-approval' && place.suspend === undefined) {
    outcome = await deny(toolCall, outcome.requests);
  }
  return outcome;
}

async function deny({ tool, args, call }: ToolCall, requests: readonly ApprovalRequest[]): Promise<GatewayOutcome> {
  const reason = 'It needs the approval of a person, and Mastra cannot suspend here';
  let outcome: GatewayOutcome = { status: 'needs-approval', requests };
  for (const { id: requestId } of requests) {
    outcome = await tool.decide(args, call, { requestId, decision: 'denied', reason });
  }
  return outcome;
}
