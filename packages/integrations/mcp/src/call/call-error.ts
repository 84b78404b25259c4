import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client';
import { isKernelError, KernelError } from '@ravi/kernel';
import type { Connection } from '../connection/connection.ts';
import { describeFailure } from '../connection/describe-failure.ts';
import { shown } from '../connection/shown.ts';

/** Failures after which it is certain that the call did not run. */
const notSent: readonly string[] = [SdkErrorCode.NotConnected];

/** Returns the error of a call, in words for the model, with a code for programs. */
export function callError(server: string, error: unknown, connection: Connection, aborted: unknown): unknown {
  if (isKernelError(error)) return error;
  if (aborted !== undefined) return aborted;
  const ended = connection.endReason();
  if (ended !== undefined) return lost(server, ended, error);
  if (error instanceof UnauthorizedError) {
    return new KernelError('E_SIGN_IN_REQUIRED', `The MCP server ${server} asks the caller to sign in`, {
      cause: error,
    });
  }
  if (ProtocolError.isInstance(error)) {
    return new KernelError('E_TOOL_FAILED', `The MCP server ${server} refused the call: ${shown(error.message)}`, {
      cause: error,
    });
  }
  if (SdkError.isInstance(error)) return sdkError(server, error);
  return lost(server, describeFailure(error), error);
}

function sdkError(server: string, error: SdkError): KernelError {
  switch (error.code) {
    case SdkErrorCode.InvalidResult:
    case SdkErrorCode.UnsupportedResultType:
    case SdkErrorCode.ClientHttpUnexpectedContent: {
      const message = `The MCP server ${server} gave an answer that is not valid: ${shown(error.message)}`;
      return new KernelError('E_OUTPUT_INVALID', message, { cause: error });
    }
    case SdkErrorCode.ClientHttpAuthentication: {
      const message = `The MCP server ${server} does not accept the credentials`;
      return new KernelError('E_SIGN_IN_REQUIRED', message, { cause: error });
    }
    default:
      if (SdkHttpError.isInstance(error)) {
        const message = `The MCP server ${server} answered with HTTP ${error.status}: ${shown(error.message)}`;
        return new KernelError('E_SOURCE_UNAVAILABLE', message, { cause: error });
      }
      return lost(server, describeFailure(error), error, notSent.includes(error.code));
  }
}

function lost(server: string, reason: string, cause: unknown, isCertain = false): KernelError {
  const doubt = isCertain ? 'The call did not run' : 'The call may have run';
  const message = `The MCP server ${server} was lost during the call: ${reason}. ${doubt}`;
  return new KernelError('E_SOURCE_UNAVAILABLE', message, { cause, retryable: isCertain });
}
