import { problem } from '../responses.ts';
import type { Access, HttpServices } from '../context.ts';
import { approverOf } from './tokens.ts';
import type { TokenHolder } from './tokens.ts';

/**
 * Authenticates the sender of a request.
 * @throws KernelError `E_UNAUTHENTICATED` without a token or session, or with a wrong one, `E_RATE_LIMITED`
 */
export function authenticate(request: Request, address: string, services: HttpServices): Access {
  const access = prove(request, address, services);
  if (access === undefined) throw problem('E_UNAUTHENTICATED', 'Sign in, or send a token as "Authorization: Bearer …"');
  const retryAfterMs = services.requestLimit.take(access.approver.id);
  if (retryAfterMs === undefined) return access;
  throw problem('E_RATE_LIMITED', 'Too many requests per minute with this token', { retryAfterMs });
}

/**
 * Returns the approver with this token. After too many unknown tokens from an address, further ones get `E_RATE_LIMITED`.
 * @throws KernelError `E_UNAUTHENTICATED`, `E_RATE_LIMITED`
 */
export function checkToken(token: string, address: string, { tokens, failureLimit }: HttpServices): TokenHolder {
  // Before the limit: many approvers may share an address, and a wrong token of one must not refuse the others.
  const approver = approverOf(token, tokens);
  if (approver !== undefined) return approver;
  const retryAfterMs = failureLimit.take(address);
  if (retryAfterMs !== undefined)
    throw problem('E_RATE_LIMITED', 'Too many unknown tokens from this address', { retryAfterMs });
  throw problem('E_UNAUTHENTICATED', 'Unknown token');
}

function prove({ headers }: Request, address: string, services: HttpServices): Access | undefined {
  const authorization = headers.get('authorization');
  if (authorization === null) return services.sessions.read(headers.get('cookie'));
  const [, token] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
  return token === undefined ? undefined : { approver: checkToken(token, address, services) };
}
