import type { HookEventType, HookObserver, InterceptedCall, InterceptorDecision } from '../event/hooks.ts';
import type { InvocationResult } from '../tool/invocation-result.ts';

/** Result of an interceptor of results: another result, or `undefined` to keep it. */
export type ReplacedResult = InvocationResult | undefined | Promise<InvocationResult | undefined>;

/**
 * Port `interceptor`: code at six moments of every call of any caller, and observers of events. Each member is optional, and
 * at least one is there. Values that it receives are frozen. Several interceptors act in the order of the configuration.
 */
export interface Interceptor {
  /** Changes or denies a call before its arguments are validated, as a `ToolInterceptor`. If it fails, the call is denied. */
  beforeTool?(call: InterceptedCall): InterceptorDecision | Promise<InterceptorDecision>;
  /** Replaces the result of a call that succeeded. Fails without effect, as do the four below. */
  afterTool?(call: InterceptedCall, result: InvocationResult): ReplacedResult;
  /** Replaces the result of a call that failed. */
  toolError?(call: InterceptedCall, result: InvocationResult): ReplacedResult;
  /** Replaces the result of a call that a permission, an interceptor or an approver denied; it stays denied. */
  permissionDenied?(call: InterceptedCall, result: InvocationResult): ReplacedResult;
  /** Replaces the result of a call for which the budget is used up. */
  budgetExceeded?(call: InterceptedCall, result: InvocationResult): ReplacedResult;
  /** Replaces the result of a call while tools are switched off. */
  toolsDisabled?(call: InterceptedCall, result: InvocationResult): ReplacedResult;
  /** Observers by event type. They change nothing, and their failures are logged. */
  readonly observers?: { readonly [Type in HookEventType]?: HookObserver<Type> };
}
