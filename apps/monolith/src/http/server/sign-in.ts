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
      ({ body, address, isSecure }) => {
        const caller = access.check(body.token, address);
        return new Reply(200, identityOf(caller, true), { 'set-cookie': access.signIns.open(caller, { isSecure }) });
      },
      { maxBodyBytes: maxSignInBytes },
    ),
    implement(api.login.get, ({ caller, headers }) => {
      const isSignedIn = !headers.has('authorization') && access.signIns.read(headers.get('cookie')) !== undefined;
      return identityOf(caller, isSignedIn);
    }),
    implement(
      api.login.signOut,
      ({ headers }) => new Reply(204, undefined, { 'set-cookie': access.signIns.close(headers.get('cookie')) }),
    ),
  ];
}
