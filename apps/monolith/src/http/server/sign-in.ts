import { api } from '@ravi/api';
import type { CallerIdentity } from '@ravi/api';
import type { ToolAccess } from '../../access/tool-access.ts';
import type { Access } from '../access/access.ts';
import type { Caller } from '../access/caller.ts';
import { implement, Reply } from '../core/implement.ts';
import type { Endpoint } from '../core/implement.ts';

// Read before the caller is known, so that parsing it costs little.
const maxSignInBytes = 8_192;

/** Implements sign-in by cookie, so that a browser's scripts need no access token. */
export function signInOperations(access: Access, { roleOf }: Pick<ToolAccess, 'roleOf'>): readonly Endpoint[] {
  function identityOf(caller: Caller, isSignedIn: boolean): CallerIdentity {
    const toolRole = roleOf(caller.principal);
    return { ...caller, roles: [...caller.roles], isSignedIn, ...(toolRole === undefined ? {} : { toolRole }) };
  }

  return [
    implement(
      api.login.signIn,
      async ({ body, address, isSecure }) => {
        const caller = access.check(body.token, address);
        const cookie = await access.signIns.open(caller, { isSecure });
        return new Reply(200, identityOf(caller, true), { 'set-cookie': cookie });
      },
      { maxBodyBytes: maxSignInBytes },
    ),
    implement(api.login.get, async ({ caller, headers }) => {
      const hasCookie = !headers.has('authorization');
      const isSignedIn = hasCookie && (await access.signIns.read(headers.get('cookie'))) !== undefined;
      return identityOf(caller, isSignedIn);
    }),
    implement(
      api.login.signOut,
      async ({ headers }) =>
        new Reply(204, undefined, { 'set-cookie': await access.signIns.close(headers.get('cookie')) }),
    ),
  ];
}
