import { isKernelError } from '@ravi/kernel';
import type { ModelError } from '@ravi/kernel';
import { modelError, modelErrorOf } from '@ravi/provider-kit';
import {
  APICallError,
  InvalidArgumentError,
  InvalidPromptError,
  LoadAPIKeyError,
  UnsupportedFunctionalityError,
} from 'ai';

/** Returns the error of a model of the AI SDK as an error event has it. */
export function errorOf(error: unknown, now: number = Date.now()): ModelError {
  if (isKernelError(error)) return { code: error.code, message: error.message, retryable: error.retryable };
  if (APICallError.isInstance(error) && error.statusCode !== undefined) {
    const headers = new Headers(error.responseHeaders);
    const codes = codesIn(error.data);
    const [providerCode] = codes;
    return modelErrorOf(
      { status: error.statusCode, headers, message: error.message, codes, ...(providerCode && { providerCode }) },
      now,
    );
  }
  const message = error instanceof Error ? error.message : String(error);
  if (APICallError.isInstance(error)) return modelError('E_MODEL_UNREACHABLE', message, error.isRetryable);
  if (LoadAPIKeyError.isInstance(error)) return modelError('E_MODEL_AUTHENTICATION', message, false);
  const isRefused = [UnsupportedFunctionalityError, InvalidPromptError, InvalidArgumentError].some((kind) =>
    kind.isInstance(error),
  );
  return modelError(isRefused ? 'E_MODEL_REFUSED_REQUEST' : 'E_MODEL_PROTOCOL', message, false);
}

function codesIn(data: unknown): string[] {
  const { error } = (data ?? {}) as { readonly error?: unknown };
  const { code, type } = (error ?? {}) as { readonly code?: unknown; readonly type?: unknown };
  return [code, type].filter((value) => typeof value === 'string');
}
