import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@ravi/kernel';
import type { KnownToken, TokenHolder } from './tokens.ts';

/** A login session that a browser holds as a cookie. */
export interface Session {
  readonly approver: TokenHolder;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

/** Creates and reads session cookies; nothing is stored on the server. */
export interface Sessions {
  /** Returns the value of `Set-Cookie` for a new session. */
  open(approver: TokenHolder, options: { readonly isSecure: boolean }): Session & { readonly cookie: string };
  /** Returns the valid session in the header `Cookie`. */
  read(cookies: string | null): Session | undefined;
  /** Value of `Set-Cookie` that deletes the cookie. */
  readonly forget: string;
}

const name = 'ravi_approvals';
// Without a path the browser sends the cookie to the API under any prefix that the handler is mounted at.
const attributes = 'HttpOnly; SameSite=Strict';

/**
 * Creates sessions of `ttlMs` milliseconds. A cookie is signed with a key derived from the token, so it outlives the
 * process and ends when the token is removed. If only the hash of a token is known, the key is random: a reader of the
 * hash must not be able to sign.
 */
export function createSessions(tokens: readonly KnownToken[], { clock, ttlMs }: SessionsOptions): Sessions {
  const keys = tokens.map(({ approver, secret }) => ({
    approver,
    key: secret === undefined ? randomBytes(32) : createHmac('sha256', secret).update('session').digest(),
  }));
  const sign = (key: Buffer, content: string): string => createHmac('sha256', key).update(content).digest('base64url');

  return {
    open(approver, { isSecure }) {
      const key = keys.find((entry) => entry.approver === approver)?.key;
      if (key === undefined) throw new TypeError('The approver has no token');
      const expiresAt = clock.now() + ttlMs;
      const content = `${expiresAt}.${randomBytes(16).toString('base64url')}`;
      const secure = isSecure ? '; Secure' : '';
      const cookie = `${name}=${content}.${sign(key, content)}; ${attributes}; Max-Age=${Math.floor(ttlMs / 1_000)}${secure}`;
      return { approver, expiresAt, cookie };
    },
    read(cookies) {
      const [, content = '', expiresAt = '', signature = ''] = cookiePattern.exec(cookies ?? '') ?? [];
      const presented = Buffer.from(signature);
      let session: Session | undefined;
      for (const { approver, key } of keys) {
        const expected = Buffer.from(sign(key, content));
        const isEqual = presented.length === expected.length && timingSafeEqual(presented, expected);
        if (isEqual) session = { approver, expiresAt: Number(expiresAt) };
      }
      return session !== undefined && session.expiresAt > clock.now() ? session : undefined;
    },
    forget: `${name}=; ${attributes}; Max-Age=0`,
  };
}

interface SessionsOptions {
  readonly clock: Clock;
  readonly ttlMs: number;
}

const cookiePattern = new RegExp(`(?:^|;\\s*)${name}=((\\d{1,16})\\.[\\w-]{22})\\.([\\w-]{43})(?:;|$)`);
