import { createHash, randomBytes } from 'node:crypto';
import type { Clock, JsonObject, ValueStore } from '@ravi/kernel';
import type { AccessToken } from './access-tokens.ts';
import type { Caller } from './caller.ts';
import { createSignInRecords } from './sign-in-records.ts';

/** Sign-ins of browsers. With a state store they are those of all servers. */
export interface SignIns {
  /** Starts a sign-in and returns the value of its `Set-Cookie` header. @throws KernelError `E_STATE_UNAVAILABLE` */
  open(caller: Caller, options: { readonly isSecure: boolean }): Promise<string>;
  /** Returns the caller that signed in with the `Cookie` header. @throws KernelError `E_STATE_UNAVAILABLE` */
  read(cookies: string | null): Promise<Caller | undefined>;
  /**
   * Ends the sign-in of the `Cookie` header and returns a `Set-Cookie` value that removes the cookie. Other servers notice it within
   * five seconds. @throws KernelError `E_STATE_UNAVAILABLE`
   */
  close(cookies: string | null): Promise<string>;
}

/** Options of {@link createSignIns}. */
export interface SignInsOptions {
  readonly accessTokens: readonly AccessToken[];
  /** Absent if sign-ins end with this process. */
  readonly values: ValueStore | undefined;
  readonly clock: Clock;
}

// A type, which is an object of JSON; an interface is not.
type SignIn = { readonly token: string; readonly expiresAt: number };

const name = 'ravi_session';
const pattern = new RegExp(`(?:^|;\\s*)${name}=([\\w-]{43})\\.([\\w-]{22})(?:;|$)`);
const attributes = 'Path=/; HttpOnly; SameSite=Strict';
const ttlMs = 43_200_000;
/** Sign-ins of one principal. */
const maxSignIns = 100;

/**
 * Creates sign-ins that last twelve hours. Above 100 of one principal its oldest ends. A sign-in ends too when its access token
 * is no longer configured. The cookie has a random id, of which only the digest is stored, and says whose sign-in it is.
 */
export function createSignIns({ accessTokens, values, clock }: SignInsOptions): SignIns {
  const records = createSignInRecords({ values, clock });
  const principals = new Map(accessTokens.map(({ caller: { principal } }) => [tagOf(principal), principal]));

  function parse(cookies: string | null): { readonly principal: string; readonly key: string } | undefined {
    const [, id, tag] = pattern.exec(cookies ?? '') ?? [];
    const principal = principals.get(tag ?? '');
    return id === undefined || principal === undefined ? undefined : { principal, key: digestOf(id) };
  }

  /** Returns the sign-ins that have not ended, the oldest first. */
  function live(signIns: JsonObject): readonly (readonly [key: string, signIn: SignIn])[] {
    const now = clock.now();
    return Object.entries(signIns)
      .flatMap(([key, signIn]) => (isSignIn(signIn) && signIn.expiresAt > now ? [[key, signIn] as const] : []))
      .toSorted(([, left], [, right]) => left.expiresAt - right.expiresAt);
  }

  return {
    async open(caller, { isSecure }) {
      const { principal } = caller;
      const token = accessTokens.find((each) => each.caller === caller);
      if (token === undefined) throw new TypeError(`The caller ${principal} has no access token`);
      const id = randomBytes(32).toString('base64url');
      const signIn = { token: referenceOf(token), expiresAt: clock.now() + ttlMs };
      await records.change(principal, (signIns) =>
        Object.fromEntries([...live(signIns), [digestOf(id), signIn] as const].slice(-maxSignIns)),
      );
      const value = `${id}.${tagOf(principal)}`;
      return `${name}=${value}; ${attributes}; Max-Age=${ttlMs / 1_000}${isSecure ? '; Secure' : ''}`;
    },
    async read(cookies) {
      const place = parse(cookies);
      if (place === undefined) return undefined;
      const { principal, key } = place;
      const signIns = await records.read(principal, key);
      const signIn = Object.hasOwn(signIns, key) ? signIns[key] : undefined;
      if (!isSignIn(signIn) || signIn.expiresAt <= clock.now()) return undefined;
      return accessTokens.find((token) => referenceOf(token) === signIn.token)?.caller;
    },
    async close(cookies) {
      const place = parse(cookies);
      if (place !== undefined) {
        await records.change(place.principal, (signIns) =>
          Object.fromEntries(live(signIns).filter(([key]) => key !== place.key)),
        );
      }
      return `${name}=; ${attributes}; Max-Age=0`;
    },
  };
}

function isSignIn(value: unknown): value is SignIn {
  if (typeof value !== 'object' || value === null) return false;
  const { token, expiresAt } = value as { readonly token?: unknown; readonly expiresAt?: unknown };
  return typeof token === 'string' && Number.isFinite(expiresAt);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** Short name of a principal in a cookie. */
function tagOf(principal: string): string {
  return digestOf(principal).slice(0, 22);
}

// Two tokens of one principal may have other roles.
function referenceOf({ digest }: AccessToken): string {
  return digestOf(`sign-in ${digest.toString('hex')}`);
}
