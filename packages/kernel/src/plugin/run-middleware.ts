import type { InterceptedCall } from '../event/hooks.ts';
import type { InvocationResult } from '../tool/invocation-result.ts';
import type { JsonObject } from '../base/json.ts';
import type { ModelEvent } from '../model/model-event.ts';
import type { ModelMessage, ModelRequest } from '../model/model-request.ts';
import type { RunContext } from '../base/run-context.ts';
import type { ToolUseBlock } from '../tool/content.ts';

/** Run of an agent, as the plugins around it see it. */
export interface AgentRunContext extends RunContext {
  readonly agent: string;
  /** Number of the current step, from 1. */
  readonly step: number;
  /** Nesting depth; 0 for an agent that was not started by another one. */
  readonly depth: number;
  readonly messages: readonly ModelMessage[];
  /** Calls a tool through the invoker and all its gates. */
  tool(name: string, args: JsonObject): Promise<InvocationResult>;
  /** Ends the run after the current work and discards an incomplete response. `guardrail` is the name of the guardrail that tripped. */
  stop(reason: string, options?: { readonly guardrail?: string }): void;
  /** Milliseconds since the Unix epoch. */
  now(): number;
  uuid(): string;
}

/**
 * Port `middleware`: functions around the steps, responses and calls of every run of an agent. Each may act before and after, pass
 * on something else, or not call `next`; the first of the configuration is the outermost. None can skip a gate: the innermost `next`
 * of a call is the invoker. `Context` is what the agents that it wraps give it.
 */
export interface RunMiddleware<Context extends AgentRunContext = AgentRunContext> {
  /** True if `model` checks whole responses: the text of a cancelled response is then dropped, because it was not checked. */
  readonly buffersResponse?: boolean;
  /** True if it also wraps the steps, responses and calls of sub-agents that use the stores of the run. */
  readonly includesSubAgents?: boolean;
  /** Around a whole step: the response and its calls. If `next` is not called, the run ends. */
  step?(context: Context, next: () => Promise<void>): Promise<void>;
  /** Around one response; called again for each retry. */
  model?(
    request: ModelRequest,
    next: (request: ModelRequest) => AsyncIterable<ModelEvent>,
    context: Context,
  ): AsyncIterable<ModelEvent>;
  /**
   * Checks a call that the run is about to make, with the arguments that will run: a call of its model, of a script, of a
   * sub-agent or of a job. Returns the reason to refuse it, or `undefined`; an exception refuses it too. Runs in the invoker,
   * before an approval is requested, and again if an approver changes the arguments.
   */
  guard?(call: InterceptedCall, context: Context): string | undefined | Promise<string | undefined>;
  /**
   * Around one call of the model, which then waits until the response is complete. An exception, or a value that is not a result,
   * becomes an error result of this call.
   */
  tool?(
    call: ToolUseBlock,
    next: (call: ToolUseBlock) => Promise<InvocationResult>,
    context: Context,
  ): Promise<InvocationResult>;
}
