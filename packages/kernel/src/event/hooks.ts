import type { InvocationResult } from '../call/invocation-result.ts';
import type { JsonObject } from '../base/json.ts';
import type { ToolCaller } from '../tool/tool.ts';
import type { EventScope, RunEventOf, RunEventType } from './run-event.ts';

/** Type of an event that hooks report. The other events are for live display, and streams of agents carry them. */
export type HookEventType = Exclude<
  RunEventType,
  | 'job-finished'
  | 'job-started'
  | 'message'
  | 'model-delta'
  | 'model-retry'
  | 'reasoning-delta'
  | 'tool-call-delta'
  | 'tool-call-start'
  | 'tool-progress'
  | 'warning'
>;

/** Event that hooks report. */
export type HookEvent = RunEventOf<HookEventType>;

/** Receives a frozen event. Its failures are logged, its time is limited, and it cannot change the call. */
export type HookObserver<Type extends HookEventType> = (event: RunEventOf<Type>) => void | Promise<void>;

/** Decision of an interceptor about a call before it runs. */
export type InterceptorDecision =
  | { readonly action: 'continue' }
  | { readonly action: 'modify'; readonly args: JsonObject }
  | { readonly action: 'deny'; readonly reason: string };

/** Call as passed to an interceptor. */
export interface InterceptedCall extends EventScope {
  readonly tool: string;
  readonly caller: ToolCaller;
  readonly args: JsonObject;
}

/**
 * Inspects a call before its arguments are validated, and may change or deny it. A deny overrides every other decision.
 * An interceptor that throws or exceeds its time limit denies the call.
 */
export type ToolInterceptor = (call: InterceptedCall) => InterceptorDecision | Promise<InterceptorDecision>;

/** Moment at which an interceptor can replace the result of a finished call. */
export type ResultPoint = 'after-tool' | 'tool-error' | 'permission-denied' | 'budget-exceeded' | 'tools-disabled';

/**
 * Replaces the result of a call at a {@link ResultPoint}, or returns `undefined` to keep it. It cannot turn a denied call
 * into an allowed one. If it throws or exceeds its time limit, the result stays.
 */
export type ResultInterceptor = (
  call: InterceptedCall,
  result: InvocationResult,
) => InvocationResult | undefined | Promise<InvocationResult | undefined>;
