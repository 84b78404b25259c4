import { authenticate, checkToken } from './access/authenticate.ts';
import { answer, problem } from './responses.ts';
import type { Access, HttpServices } from './context.ts';
import { readBody } from './read-body.ts';

const maxBodyBytes = 4_096;

/** Handles `POST /v1/approvals/session`: exchanges a token for a cookie. */
export async function signIn(request: Request, address: string, services: HttpServices): Promise<Response> {
  const { token, ...others } = await readBody(request, maxBodyBytes);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw problem('E_REQUEST_INVALID', `"${unknown}" is not a known key; the only key is token`);
  if (typeof token !== 'string' || token === '') throw problem('E_REQUEST_INVALID', '"token" must be text');
  const approver = checkToken(token, address, services);
  const isSecure = new URL(request.url).protocol === 'https:' || /^https:/.test(request.headers.get('origin') ?? '');
  const { cookie, ...access } = services.sessions.open(approver, { isSecure });
  return answer(200, describe(access), { 'set-cookie': cookie });
}

/** Handles `GET /v1/approvals/session`: the approver that is signed in. */
export function currentApprover(request: Request, address: string, services: HttpServices): Response {
  return answer(200, describe(authenticate(request, address, services)));
}

/** Handles `DELETE /v1/approvals/session`: makes the browser delete its cookie. */
export function signOut({ sessions }: HttpServices): Response {
  return answer(204, undefined, { 'set-cookie': sessions.forget });
}

function describe({ approver, expiresAt }: Access): object {
  const { principal, roles } = approver;
  return { principal, roles, ...(expiresAt === undefined ? {} : { expiresAt }) };
}
