import type { InvocationResult, ModelEvent, ModelRequest, RunMiddleware, ToolUseBlock } from '@ravi/kernel';
import type { AgentContext } from './agent-context.ts';

/** Middleware of an agent in code: the port `middleware`, with everything that a run of this package offers. */
export type AgentMiddleware = RunMiddleware<AgentContext>;

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
