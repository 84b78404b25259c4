import type { InvocationResult, ModelEvent, ModelRequest, ToolUseBlock } from '@ravi/kernel';
import type { AgentContext } from './agent-context.ts';

/**
 * Wraps what a run does. Each function may do things before and after, hand on something else than it got, or not call
 * `next` at all; the first of a list is the outermost. None can open a gate: `next` of a call is the invoker.
 */
export interface AgentMiddleware {
  /** It judges whole answers: text of one that was cancelled, which it did not see the end of, joins no conversation. */
  readonly buffersResponse?: boolean;
  /** Around a whole step: the answer and its calls. A step that is left out ends the run. */
  step?(context: AgentContext, next: () => Promise<void>): Promise<void>;
  /** Around one answer; asked again for each attempt. */
  model?(
    request: ModelRequest,
    next: (request: ModelRequest) => AsyncIterable<ModelEvent>,
    context: AgentContext,
  ): AsyncIterable<ModelEvent>;
  /**
   * Around one call, which then waits for the end of its answer. What it throws is an error result of this call alone, and
   * so is a value that is no result.
   */
  tool?(
    call: ToolUseBlock,
    next: (call: ToolUseBlock) => Promise<InvocationResult>,
    context: AgentContext,
  ): Promise<InvocationResult>;
}

/** `core` with the middleware around it; `core` itself when no middleware has anything at this place. */
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

/** As {@link wrapModel}, for calls. */
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

/** Whether any middleware stands around calls. */
export function wrapsCalls(middleware: readonly AgentMiddleware[]): boolean {
  return middleware.some((each) => each.tool !== undefined);
}

/** As {@link wrapModel}, for steps. */
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
