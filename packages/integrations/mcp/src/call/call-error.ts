import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client';
import { isKernelError, KernelError } from '@ravi/kernel';
import type { Connection } from '../connection/connection.ts';
import { describeFailure, shown } from '../connection/describe-failure.ts';

/** Loss of a connection, as the error of a call tells it. */
export interface Loss {
  readonly reason: string;
  /** True if it is certain that the call did not run, and a new connection may help. */
  readonly isSafeToRepeat: boolean;
}

const losses = new WeakMap<KernelError, Loss>();

/** Returns the loss of the connection that an error of {@link callError} stands for, `undefined` if the connection still works. */
export function lossOf(error: unknown): Loss | undefined {
  return isKernelError(error) ? losses.get(error) : undefined;
}

/** Returns the error of a call, in words for the model, with a code for programs. */
export function callError(server: string, error: unknown, connection: Connection, aborted: unknown): unknown {
  if (isKernelError(error)) return error;
  if (aborted !== undefined) return aborted;
  const ended = connection.endReason();
  if (ended !== undefined) return lost(server, ended, error, false);
  if (error instanceof UnauthorizedError) {
    return new KernelError('E_SIGN_IN_REQUIRED', `The MCP server ${server} asks the caller to sign in`, {
      cause: error,
    });
  }
  if (ProtocolError.isInstance(error)) {
    const message = `The MCP server ${server} refused the call: ${shown(error.message)}`;
    return new KernelError('E_TOOL_FAILED', message, { cause: error });
  }
  if (SdkHttpError.isInstance(error)) return httpError(server, error, connection);
  if (SdkError.isInstance(error)) return sdkError(server, error);
  const { code } = ((error as Error | undefined)?.cause ?? {}) as { readonly code?: unknown };
  return lost(server, describeFailure(error), error, code === 'ECONNREFUSED');
}

function httpError(server: string, error: SdkHttpError, connection: Connection): KernelError {
  const { status } = error;
  if (status === 401) {
    const message = `The MCP server ${server} does not accept the credentials`;
    return new KernelError('E_SIGN_IN_REQUIRED', message, { cause: error });
  }
  // By the protocol: the session is unknown, and the client begins a new one.
  if (status === 404 && connection.hasSession()) return lost(server, 'The session ended', error, true);
  const message = `The MCP server ${server} answered with HTTP ${status}: ${shown(error.message)}`;
  return new KernelError('E_SOURCE_UNAVAILABLE', message, {
    cause: error,
    retryable: status === 429 || status === 503,
  });
}

function sdkError(server: string, error: SdkError): KernelError {
  switch (error.code) {
    case SdkErrorCode.InvalidResult:
    case SdkErrorCode.UnsupportedResultType:
    case SdkErrorCode.ClientHttpUnexpectedContent: {
      const message = `The MCP server ${server} gave an answer that is not valid: ${shown(error.message)}`;
      return new KernelError('E_OUTPUT_INVALID', message, { cause: error });
    }
    default:
      return lost(server, describeFailure(error), error, error.code === SdkErrorCode.NotConnected);
  }
}

function lost(server: string, reason: string, cause: unknown, isSafeToRepeat: boolean): KernelError {
  const doubt = isSafeToRepeat ? 'The call did not run' : 'The call may have run';
  const message = `The MCP server ${server} was lost during the call: ${reason}. ${doubt}`;
  const error = new KernelError('E_SOURCE_UNAVAILABLE', message, { cause, retryable: isSafeToRepeat });
  losses.set(error, { reason, isSafeToRepeat });
  return error;
}
