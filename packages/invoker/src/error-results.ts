import type { InvocationResult, KernelError } from '@ravi/kernel';

/** Refusal by a gate: the call ends with this result. */
export interface GateStop {
  readonly stop: InvocationResult;
  /** True refusal, for interceptors and observers, if the caller must not learn it. */
  readonly cause?: InvocationResult;
}

/** Retry hints of an error result. */
export interface FailureOptions {
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
}

/** Builds an `error` result: the call failed, and the model reads why. */
export function errorResult(code: string, message: string, options: FailureOptions = {}): InvocationResult {
  const { retryable = false, retryAfterMs } = options;
  const error = { code, message, retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  return { status: 'error', text: message, files: [], error };
}

/** Builds a refusal with status `error`. */
export function stopWithError(code: string, message: string, options: FailureOptions = {}): GateStop {
  return { stop: errorResult(code, message, options) };
}

/** Builds a refusal with status `denied`: the policy or an approver does not allow the call. */
export function stopDenied(code: string, message: string): GateStop {
  return { stop: { status: 'denied', text: message, files: [], error: { code, message, retryable: false } } };
}

/** Builds a refusal for a tool whose definition is invalid. */
export function stopInvalidTool(tool: string, error: KernelError): GateStop {
  return stopWithError('E_TOOL_INVALID', `The tool ${tool} cannot be called. ${error.message}`);
}
