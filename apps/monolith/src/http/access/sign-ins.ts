import { randomBytes } from 'node:crypto';
import type { Clock } from '@ravi/kernel';
import type { Caller } from './caller.ts';

/** Sign-ins of browsers, kept in memory. */
export interface SignIns {
  /** Starts a sign-in and returns the value of its `Set-Cookie` header. */
  open(caller: Caller, options: { readonly isSecure: boolean }): string;
  /** Returns the caller that signed in with the `Cookie` header. */
  read(cookies: string | null): Caller | undefined;
  /** Ends the sign-in of the `Cookie` header and returns a `Set-Cookie` value that removes the cookie. */
  close(cookies: string | null): string;
}

const name = 'ravi_session';
const pattern = new RegExp(`(?:^|;\\s*)${name}=([\\w-]{43})(?:;|$)`);
const attributes = 'Path=/; HttpOnly; SameSite=Strict';
const ttlMs = 43_200_000;
const maxSignIns = 10_000;
/** Sign-ins of one principal, so that none can end those of the others. */
const maxSignInsPerPrincipal = 100;

/** Creates sign-ins that last twelve hours. Above 100 of one principal its oldest ends; above 10 000, the oldest of all. */
export function createSignIns(clock: Clock): SignIns {
  const signIns = new Map<string, { readonly caller: Caller; readonly expiresAt: number }>();
  const idsOf = new Map<string, Set<string>>();
  const idIn = (cookies: string | null): string => pattern.exec(cookies ?? '')?.[1] ?? '';

  function countIn(principal: string, id: string): void {
    const ids = idsOf.get(principal) ?? new Set();
    idsOf.set(principal, ids.add(id));
    const [oldest] = ids;
    if (ids.size > maxSignInsPerPrincipal && oldest !== undefined) end(oldest);
  }

  function end(id: string): void {
    const signIn = signIns.get(id);
    if (signIn === undefined) return;
    signIns.delete(id);
    const ids = idsOf.get(signIn.caller.principal);
    ids?.delete(id);
    if (ids?.size === 0) idsOf.delete(signIn.caller.principal);
  }

  return {
    open(caller, { isSecure }) {
      const id = randomBytes(32).toString('base64url');
      signIns.set(id, { caller, expiresAt: clock.now() + ttlMs });
      countIn(caller.principal, id);
      const [oldest] = signIns.keys();
      if (signIns.size > maxSignIns && oldest !== undefined) end(oldest);
      return `${name}=${id}; ${attributes}; Max-Age=${ttlMs / 1_000}${isSecure ? '; Secure' : ''}`;
    },
    read(cookies) {
      const signIn = signIns.get(idIn(cookies));
      return signIn !== undefined && signIn.expiresAt > clock.now() ? signIn.caller : undefined;
    },
    close(cookies) {
      end(idIn(cookies));
      return `${name}=; ${attributes}; Max-Age=0`;
    },
  };
}
