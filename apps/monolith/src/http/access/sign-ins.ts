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

/** Creates sign-ins that last twelve hours. Above 10 000, the oldest ends. */
export function createSignIns(clock: Clock): SignIns {
  const signIns = new Map<string, { readonly caller: Caller; readonly expiresAt: number }>();
  const idIn = (cookies: string | null): string => pattern.exec(cookies ?? '')?.[1] ?? '';

  return {
    open(caller, { isSecure }) {
      const id = randomBytes(32).toString('base64url');
      signIns.set(id, { caller, expiresAt: clock.now() + ttlMs });
      const [oldest] = signIns.keys();
      if (signIns.size > maxSignIns && oldest !== undefined) signIns.delete(oldest);
      return `${name}=${id}; ${attributes}; Max-Age=${ttlMs / 1_000}${isSecure ? '; Secure' : ''}`;
    },
    read(cookies) {
      const signIn = signIns.get(idIn(cookies));
      return signIn !== undefined && signIn.expiresAt > clock.now() ? signIn.caller : undefined;
    },
    close(cookies) {
      signIns.delete(idIn(cookies));
      return `${name}=; ${attributes}; Max-Age=0`;
    },
  };
}
