import type { InvocationResult, KernelError } from '@ravi/kernel';

/** A gate's refusal: the call ends with this result. */
export interface GateStop {
  readonly stop: InvocationResult;
}

/** What an error result carries beside its message. */
export interface FailureOptions {
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
}

/** An `error` result: the call failed and the model reads why. */
export function errorResult(code: string, message: string, options: FailureOptions = {}): InvocationResult {
  const { retryable = false, retryAfterMs } = options;
  const error = { code, message, retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  return { status: 'error', text: message, files: [], error };
}

/** A gate's refusal with an `error`. */
export function stopWithError(code: string, message: string, options: FailureOptions = {}): GateStop {
  return { stop: errorResult(code, message, options) };
}

/** A gate's refusal with a `denied`: policy or a human said no. */
export function stopDenied(code: string, message: string): GateStop {
  return { stop: { status: 'denied', text: message, files: [], error: { code, message, retryable: false } } };
}

/** A gate's refusal of a tool that is itself not valid. */
export function stopInvalidTool(tool: string, error: KernelError): GateStop {
  return stopWithError('E_TOOL_INVALID', `The tool ${tool} cannot be called. ${error.message}`);
}
