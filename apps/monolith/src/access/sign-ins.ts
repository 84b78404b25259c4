import { randomBytes } from 'node:crypto';
import type { Clock } from '@ravi/kernel';
import type { Caller } from './caller.ts';

/** Sign-ins of browsers, for as long as the process lives. */
export interface SignIns {
  /** The value of `Set-Cookie` for a new sign-in. */
  open(caller: Caller, options: { readonly isSecure: boolean }): string;
  /** Who has signed in with the header `Cookie`. */
  read(cookies: string | null): Caller | undefined;
  /** Ends the sign-in of the header `Cookie`; the value of `Set-Cookie` that makes the browser forget. */
  close(cookies: string | null): string;
}

const name = 'ravi_session';
const pattern = new RegExp(`(?:^|;\\s*)${name}=([\\w-]{43})(?:;|$)`);
const attributes = 'Path=/; HttpOnly; SameSite=Strict';
const ttlMs = 43_200_000;
const maxSessions = 10_000;

/** Sign-ins that hold for twelve hours; of too many the oldest end. */
export function createSignIns(clock: Clock): SignIns {
  const sessions = new Map<string, { readonly caller: Caller; readonly expiresAt: number }>();
  const idIn = (cookies: string | null): string => pattern.exec(cookies ?? '')?.[1] ?? '';

  return {
    open(caller, { isSecure }) {
      const id = randomBytes(32).toString('base64url');
      sessions.set(id, { caller, expiresAt: clock.now() + ttlMs });
      const [oldest] = sessions.keys();
      if (sessions.size > maxSessions && oldest !== undefined) sessions.delete(oldest);
      return `${name}=${id}; ${attributes}; Max-Age=${ttlMs / 1_000}${isSecure ? '; Secure' : ''}`;
    },
    read(cookies) {
      const session = sessions.get(idIn(cookies));
      return session !== undefined && session.expiresAt > clock.now() ? session.caller : undefined;
    },
    close(cookies) {
      sessions.delete(idIn(cookies));
      return `${name}=; ${attributes}; Max-Age=0`;
    },
  };
}
