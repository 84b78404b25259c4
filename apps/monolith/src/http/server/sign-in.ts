import type { Access } from '../../access/access.ts';
import type { Operation } from '../core/operation.ts';

/** Signing in, so that a browser needs no token in its scripts. */
export function signInOperations(access: Access): readonly Operation[] {
  const path = '/v1/session';
  return [
    {
      method: 'post',
      path,
      summary: 'Sign in with a token; the answer sets a cookie.',
      isOpen: true,
      body: {
        type: 'object',
        required: ['token'],
        additionalProperties: false,
        properties: { token: { type: 'string', maxLength: 1_000 } },
      },
      answer({ body, address, isSecure }) {
        const caller = access.check(body['token'] as string, address);
        return Response.json(caller, { headers: { 'set-cookie': access.signIns.open(caller, { isSecure }) } });
      },
    },
    { method: 'get', path, summary: 'Who is asking.', answer: ({ caller }) => caller },
    {
      method: 'delete',
      path,
      summary: 'Sign out.',
      isOpen: true,
      answer: ({ headers }) =>
        new Response(null, { status: 204, headers: { 'set-cookie': access.signIns.close(headers.get('cookie')) } }),
    },
  ];
}
