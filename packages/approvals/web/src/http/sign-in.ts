import { authenticate, checkToken } from '../access/authenticate.ts';
import { answer } from './answer.ts';
import type { Access, HttpServices } from './context.ts';
import { problem } from './problem.ts';
import { readBody } from './read-body.ts';

const maxBodyBytes = 4_096;

/** `POST /v1/approvals/session`: a token becomes a cookie. */
export async function signIn(request: Request, address: string, services: HttpServices): Promise<Response> {
  const { token } = await readBody(request, maxBodyBytes, ['token']);
  if (typeof token !== 'string' || token === '') throw problem('E_REQUEST_INVALID', '"token" must be text');
  const approver = checkToken(token, address, services);
  const isSecure = new URL(request.url).protocol === 'https:' || /^https:/.test(request.headers.get('origin') ?? '');
  const { cookie, ...access } = services.sessions.open(approver, { isSecure });
  return answer(200, describe(access), { 'set-cookie': cookie });
}

/** `GET /v1/approvals/session`: who is asking. */
export function whoIsAsking(request: Request, address: string, services: HttpServices): Response {
  return answer(200, describe(authenticate(request, address, services)));
}

/** `DELETE /v1/approvals/session`: the browser forgets its cookie. */
export function signOut({ sessions }: HttpServices): Response {
  return answer(204, undefined, { 'set-cookie': sessions.forget });
}

function describe({ approver, expiresAt }: Access): object {
  const { principal, roles } = approver;
  return { principal, roles, ...(expiresAt === undefined ? {} : { expiresAt }) };
}
