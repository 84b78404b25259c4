import { createRateLimit } from '@ravi/approval-web';
import type { Clock } from '@ravi/kernel';
import { problem } from '../http/core/problem.ts';
import { localCaller } from './caller.ts';
import type { Caller } from './caller.ts';
import { callerWith } from './known-tokens.ts';
import type { KnownToken } from './known-tokens.ts';
import { createSessions } from './sessions.ts';
import type { Sessions } from './sessions.ts';

/** Who may use the server. */
export interface Access {
  /** Everybody there is. */
  readonly callers: readonly Caller[];
  readonly sessions: Sessions;
  /** Whose token it is. @throws KernelError `E_UNAUTHENTICATED`, `E_RATE_LIMITED` after too many wrong ones */
  check(token: string, address: string): Caller;
  /** Who sends a request. @throws KernelError as `check` */
  authenticate(headers: Headers, address: string): Caller;
}

/** Options of {@link createAccess}. */
export interface AccessOptions {
  /** None means that everybody on this machine is the caller `local`. */
  readonly tokens: readonly KnownToken[];
  /** Of one caller; absent means without a limit, for callers without a token alone. */
  readonly requestsPerMinute?: number;
  readonly clock: Clock;
}

const failuresPerMinute = 20;
const usualRequestsPerMinute = 6_000;

/** Access by token or sign-in. */
export function createAccess({ tokens, requestsPerMinute, clock }: AccessOptions): Access {
  const isOpen = tokens.length === 0;
  const sessions = createSessions(clock);
  const failures = createRateLimit(failuresPerMinute, clock);
  const perMinute = requestsPerMinute ?? (isOpen ? undefined : usualRequestsPerMinute);
  const requests = perMinute === undefined ? undefined : createRateLimit(perMinute, clock);

  function check(token: string, address: string): Caller {
    const waitMs = failures.waitMs(address);
    if (waitMs !== undefined) throw problem('E_RATE_LIMITED', 'Too many wrong tokens came from here', waitMs);
    const caller = callerWith(token, tokens);
    if (caller !== undefined) return caller;
    failures.take(address);
    throw problem('E_UNAUTHENTICATED', 'This token is not known here');
  }

  function callerOf(headers: Headers, address: string): Caller {
    if (isOpen) return localCaller;
    const [, token] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? [];
    const caller = token === undefined ? sessions.read(headers.get('cookie')) : check(token, address);
    if (caller !== undefined) return caller;
    throw problem('E_UNAUTHENTICATED', 'Sign in, or send a token as "Authorization: Bearer …"');
  }

  return {
    callers: isOpen ? [localCaller] : tokens.map(({ caller }) => caller),
    sessions,
    check,
    authenticate(headers, address) {
      const caller = callerOf(headers, address);
      const waitMs = requests?.take(caller.principal);
      if (waitMs === undefined) return caller;
      throw problem('E_RATE_LIMITED', 'Too many requests in a minute', waitMs);
    },
  };
}
