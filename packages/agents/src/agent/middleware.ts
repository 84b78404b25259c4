import type { InterceptedCall, InvocationResult, ModelEvent, ModelRequest, ToolUseBlock } from '@ravi/kernel';
import type { AgentContext } from './agent-context.ts';

/**
 * Functions around the steps, responses and calls of a run. Each may act before and after, pass on something else, or not
 * call `next`; the first of the array is the outermost. None can skip a gate: the innermost `next` of a call is the invoker.
 */
export interface AgentMiddleware {
  /** True if `model` checks whole responses: the text of a cancelled response is then dropped, because it was not checked. */
  readonly buffersResponse?: boolean;
  /** True if it also wraps the steps, responses and calls of sub-agents that use the stores of the run. */
  readonly includesSubAgents?: boolean;
  /** Around a whole step: the response and its calls. If `next` is not called, the run ends. */
  step?(context: AgentContext, next: () => Promise<void>): Promise<void>;
  /** Around one response; called again for each retry. */
  model?(
    request: ModelRequest,
    next: (request: ModelRequest) => AsyncIterable<ModelEvent>,
    context: AgentContext,
  ): AsyncIterable<ModelEvent>;
  /**
   * Checks a call that the run is about to make, with the arguments that will run: a call of its model, of a script, of a
   * sub-agent or of a job. Returns the reason to refuse it, or `undefined`; an exception refuses it too. Runs in the invoker,
   * before an approval is requested, and again if an approver changes the arguments.
   */
  guard?(call: InterceptedCall, context: AgentContext): string | undefined | Promise<string | undefined>;
  /**
   * Around one call of the model, which then waits until the response is complete. An exception, or a value that is not a result,
   * becomes an error result of this call.
   */
  tool?(
    call: ToolUseBlock,
    next: (call: ToolUseBlock) => Promise<InvocationResult>,
    context: AgentContext,
  ): Promise<InvocationResult>;
}

/** Returns `core` wrapped in the middleware for responses; `core` itself if there is none. */
export function wrapModel(
  middleware: readonly AgentMiddleware[],
  context: AgentContext,
  core: (request: ModelRequest) => AsyncIterable<ModelEvent>,
): (request: ModelRequest) => AsyncIterable<ModelEvent> {
  return middleware.reduceRight((next, each) => {
    const around = each.model?.bind(each);
    return around === undefined ? next : (request) => around(request, next, context);
  }, core);
}

/** Returns `core` wrapped in the middleware for calls. */
export function wrapTool(
  middleware: readonly AgentMiddleware[],
  context: AgentContext,
  core: (call: ToolUseBlock) => Promise<InvocationResult>,
): (call: ToolUseBlock) => Promise<InvocationResult> {
  return middleware.reduceRight((next, each) => {
    const around = each.tool?.bind(each);
    return around === undefined ? next : (call) => around(call, next, context);
  }, core);
}

/** True if any middleware wraps or guards calls. */
export function wrapsCalls(middleware: readonly AgentMiddleware[]): boolean {
  return middleware.some((each) => each.tool !== undefined || each.guard !== undefined);
}

/** Returns `core` wrapped in the middleware for steps. */
export function wrapStep(
  middleware: readonly AgentMiddleware[],
  context: AgentContext,
  core: () => Promise<void>,
): () => Promise<void> {
  return middleware.reduceRight((next, each) => {
    const around = each.step?.bind(each);
    return around === undefined ? next : () => around(context, next);
  }, core);
}
