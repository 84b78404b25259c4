import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { isKernelError } from '@ravi/kernel';
import { visibleText } from '@ravi/support';

const maxShown = 300;

/** Returns text of a server for a message or a log: visible, and at most 300 characters. */
export function shown(text: unknown): string {
  const visible = visibleText(String(text));
  return visible.length <= maxShown ? visible : `${visible.slice(0, maxShown)}…`;
}

/** Returns why a connection could not be made, for an operator. */
export function describeFailure(error: unknown): string {
  if (isKernelError(error)) return error.message;
  if (SdkError.isInstance(error)) {
    // Only the cause says what failed when the versions of the protocol were compared.
    if (error.code === SdkErrorCode.EraNegotiationFailed && error.cause instanceof Error)
      return describeFailure(error.cause);
    if (error.code === SdkErrorCode.RequestTimeout) return 'The server did not answer in time';
    if (error.code === SdkErrorCode.ConnectionClosed) return 'The server closed the connection';
    if (error.code === SdkErrorCode.ClientHttpAuthentication) return 'The server asks for credentials (HTTP 401)';
    if (error.code === SdkErrorCode.ClientHttpForbidden) return 'The server refuses access (HTTP 403)';
    return shown(error.message);
  }
  if (error instanceof TypeError && error.message === 'fetch failed') return unreachable(error.cause);
  return shown(error instanceof Error ? error.message : String(error));
}

const meanings: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at the host and port of its url',
  ENOTFOUND: 'the host of its url does not exist',
  ETIMEDOUT: 'its host does not answer',
  UND_ERR_SOCKET: 'it closed the connection',
};

function unreachable(cause: unknown): string {
  const { code, message } = (cause ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  const why = typeof code === 'string' ? (meanings[code] ?? code) : message;
  return `The server could not be reached${why === undefined || why === '' ? '' : `: ${shown(why)}`}`;
}
