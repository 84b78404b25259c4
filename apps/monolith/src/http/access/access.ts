import type { Clock, CompleteStateStore, Logger } from '@ravi/kernel';
import { problem } from '../core/problem.ts';
import { bearerPattern } from '../core/same-origin.ts';
import { localCaller } from './caller.ts';
import type { Caller } from './caller.ts';
import { callerOf } from './access-tokens.ts';
import type { AccessToken } from './access-tokens.ts';
import { createFailureLimit, createSharedRateLimit } from './shared-rate-limit.ts';
import { createSignIns } from './sign-ins.ts';
import type { SignIns } from './sign-ins.ts';

/** Recognises callers. */
export interface Access {
  readonly signIns: SignIns;
  /** Returns the caller of an access token. @throws KernelError `E_UNAUTHENTICATED`; `E_RATE_LIMITED` after 20 unknown tokens in a minute from one address */
  check(token: string, address: string): Caller;
  /**
   * Returns the caller of a request; `isLimited` counts it as one of its requests per minute.
   * @throws KernelError as `check`, `E_STATE_UNAVAILABLE` for a sign-in that cannot be looked up
   */
  authenticate(headers: Headers, address: string, options: { readonly isLimited: boolean }): Promise<Caller>;
}

/** Options of {@link createAccess}. */
export interface AccessOptions {
  /** If empty, every process on this machine is the caller `local`. */
  readonly accessTokens: readonly AccessToken[];
  /** Limit of one caller; `undefined` is unlimited. */
  readonly requestsPerMinute: number | undefined;
  /** Parts of the store that all servers share; absent if this process is the only one. */
  readonly store: Pick<CompleteStateStore, 'rates' | 'values'> | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

const writesPerMinute = 20;

/** Creates access by access token or sign-in. With a state store all servers share sign-ins and limits. */
export function createAccess({ accessTokens, requestsPerMinute, store, clock, logger }: AccessOptions): Access {
  const isOpen = accessTokens.length === 0;
  const signIns = createSignIns({ accessTokens, values: store?.values, clock });
  const shared = { rates: store?.rates, clock, logger };
  const failures = createFailureLimit({ ...shared, limit: 'unknown-tokens' });
  const requests =
    requestsPerMinute === undefined
      ? undefined
      : createSharedRateLimit({
          ...shared,
          limit: 'requests',
          perMinute: requestsPerMinute,
          block: Math.max(1, Math.floor(requestsPerMinute / writesPerMinute)),
        });

  function check(token: string, address: string): Caller {
    // Before the limit: many callers may share an address, and a wrong token of one must not refuse the others.
    const caller = callerOf(token, accessTokens);
    if (caller !== undefined) return caller;
    const waitMs = failures.take(address);
    if (waitMs !== undefined)
      throw problem('E_RATE_LIMITED', 'Too many unknown access tokens from this address', waitMs);
    throw problem('E_UNAUTHENTICATED', 'Unknown access token');
  }

  async function recognise(headers: Headers, address: string): Promise<Caller> {
    if (isOpen) return localCaller;
    const [, token] = bearerPattern.exec(headers.get('authorization') ?? '') ?? [];
    const caller = token === undefined ? await signIns.read(headers.get('cookie')) : check(token, address);
    if (caller !== undefined) return caller;
    throw problem('E_UNAUTHENTICATED', 'Sign in, or send a token as "Authorization: Bearer …"');
  }

  return {
    signIns,
    check,
    async authenticate(headers, address, { isLimited }) {
      const caller = await recognise(headers, address);
      const waitMs = isLimited ? requests?.take(caller.principal) : undefined;
      if (waitMs === undefined) return caller;
      throw problem('E_RATE_LIMITED', 'Too many requests per minute', waitMs);
    },
  };
}
