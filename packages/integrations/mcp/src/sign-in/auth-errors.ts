import {
  AuthorizationServerMismatchError,
  InsufficientScopeError,
  IssuerMismatchError,
  OAuthError,
  SdkHttpError,
  SseError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { isKernelError, KernelError } from '@ravi/kernel';

const codePattern = /^[a-z_]{1,64}$/;

/** Returns `E_SIGN_IN_REQUIRED` with what the caller has to do. */
export function signInRequired(server: string): KernelError {
  return new KernelError(
    'E_SIGN_IN_REQUIRED',
    `The caller has to sign in at the MCP server ${server} first: on the page Servers of the console, or with "ravi mcp login ${server}"`,
  );
}

/** Returns the code of an error of an authorization server; `undefined` for any other error. */
export function oauthCodeOf(error: unknown): string | undefined {
  if (!OAuthError.isInstance(error)) return undefined;
  return codePattern.test(error.code) ? error.code : 'server_error';
}

/**
 * Returns the error of a sign-in or a refresh. Its message has nothing that the other side wrote, except a code, because that text may
 * hold tokens or lies. It has no cause for the same reason.
 */
export function authFailure(server: string, what: string, error: unknown): KernelError {
  if (isKernelError(error, 'E_CANCELLED') || isKernelError(error, 'E_SIGN_IN_REQUIRED')) return error;
  if (isKernelError(error, 'E_REQUEST_INVALID') || isKernelError(error, 'E_SOURCE_UNAVAILABLE')) return error;
  const problem = `The MCP server ${server}: ${what}`;
  const code = oauthCodeOf(error);
  if (code !== undefined) {
    const isTemporary = code === 'temporarily_unavailable' || code === 'too_many_requests' || code === 'server_error';
    return new KernelError('E_SOURCE_UNAVAILABLE', `${problem}: the authorization server answered ${code}`, {
      retryable: isTemporary,
    });
  }
  if (IssuerMismatchError.isInstance(error) || AuthorizationServerMismatchError.isInstance(error)) {
    return new KernelError(
      'E_SOURCE_UNAVAILABLE',
      `${problem}: its authorization server is not the one it claims to be`,
    );
  }
  // Of the fetch of this project: names of hosts and limits only.
  if (isKernelError(error)) return new KernelError('E_SOURCE_UNAVAILABLE', `${problem}: ${error.message}`);
  if (error instanceof TypeError && error.message === 'fetch failed') {
    return new KernelError('E_SOURCE_UNAVAILABLE', `${problem}: a server cannot be reached`, { retryable: true });
  }
  return new KernelError('E_SOURCE_UNAVAILABLE', `${problem}: the answer of its authorization server is not valid`);
}

/** True if a server did not accept a request because its caller has not signed in, or not for these scopes. */
export function isSignInRequired(error: unknown): boolean {
  for (let each = error, depth = 0; each !== undefined && each !== null && depth < 5; depth++) {
    if (isKernelError(each, 'E_SIGN_IN_REQUIRED')) return true;
    if (UnauthorizedError.isInstance(each) || InsufficientScopeError.isInstance(each)) return true;
    if (SdkHttpError.isInstance(each) && each.status === 401) return true;
    if (each instanceof SseError && each.code === 401) return true;
    each = (each as { readonly cause?: unknown }).cause;
  }
  return false;
}

/** Returns the scopes that a server asks for in addition. */
export function missingScopeIn(error: unknown): string | undefined {
  for (let each = error, depth = 0; each !== undefined && each !== null && depth < 5; depth++) {
    if (InsufficientScopeError.isInstance(each)) return each.requiredScope ?? '';
    each = (each as { readonly cause?: unknown }).cause;
  }
  return undefined;
}
