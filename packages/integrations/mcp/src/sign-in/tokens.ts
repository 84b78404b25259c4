import { refreshAuthorization } from '@modelcontextprotocol/client';
import type { OAuthTokens } from '@modelcontextprotocol/client';
import type { Clock, Principal } from '@ravi/kernel';
import { authFailure, oauthCodeOf } from './auth-errors.ts';
import { metadataOf } from './discover.ts';
import { forgetClient } from './register-client.ts';
import type { Credentials, RecordStore, Revised, StoredClient } from './stored-records.ts';

/** A token is refreshed this long before it expires. */
const earlyMs = 60_000;
/** Longest time for one process to refresh. */
const refreshMs = 30_000;
const pollMs = 100;
/** Codes that end a sign-in: the refresh token, or the client, does not count any more. */
const finalCodes: ReadonlySet<string | undefined> = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);
const clientCodes: ReadonlySet<string | undefined> = new Set(['invalid_client', 'unauthorized_client']);

/** Parts of {@link Tokens}. */
export interface TokensParts {
  readonly name: string;
  readonly credentials: RecordStore<Credentials>;
  readonly clients: RecordStore<StoredClient>;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
}

/** Access tokens of principals. One process at a time refreshes those of a principal, and once for all that wait. */
export class Tokens {
  readonly #parts: TokensParts;
  readonly #running = new Map<Principal, Promise<string | undefined>>();
  /** Name of this process among those that share the credentials. */
  readonly #self = crypto.randomUUID();

  constructor(parts: TokensParts) {
    this.#parts = parts;
  }

  /**
   * Returns an access token that is valid for a while; `undefined` if the principal has to sign in.
   * @throws KernelError `E_SOURCE_UNAVAILABLE` if it could not be refreshed now
   */
  async current(principal: Principal): Promise<string | undefined> {
    const known = await this.#parts.credentials.get(principal);
    if (known === undefined) return undefined;
    if (!this.#isDue(known.value)) return known.value.tokens.access_token;
    return this.refresh(principal, known.value.tokens.access_token);
  }

  /** Returns another token than `stale`, which the server refused; `undefined` if the principal has to sign in again. */
  refresh(principal: Principal, stale: string): Promise<string | undefined> {
    const running = this.#running.get(principal);
    if (running !== undefined) return running;
    const refreshing = this.#refresh(principal, stale).finally(() => this.#running.delete(principal));
    this.#running.set(principal, refreshing);
    return refreshing;
  }

  #isDue({ expiresAt }: Credentials): boolean {
    return expiresAt !== undefined && expiresAt - earlyMs <= this.#parts.clock.now();
  }

  async #refresh(principal: Principal, stale: string): Promise<string | undefined> {
    const { credentials, clock } = this.#parts;
    for (;;) {
      const known = await credentials.get(principal);
      if (known === undefined) return undefined;
      const { tokens, refreshing } = known.value;
      if (tokens.access_token !== stale) return tokens.access_token;
      if (tokens.refresh_token === undefined) {
        // Another process may have stored new ones meanwhile; those stay.
        if (!(await credentials.delete(principal, known.revision))) continue;
        return undefined;
      }
      if (refreshing !== undefined && refreshing.until > clock.now()) {
        await new Promise<void>((resolve) => clock.setTimer(resolve, pollMs));
        continue;
      }
      const claimed = { ...known.value, refreshing: { by: this.#self, until: clock.now() + refreshMs } };
      const revision = await credentials.put(principal, claimed, known.revision);
      if (revision !== undefined) return this.#exchange(principal, { value: claimed, revision });
    }
  }

  async #exchange(principal: Principal, { value, revision }: Revised<Credentials>): Promise<string | undefined> {
    const { name, credentials, clients, clock, fetch: fetchFn } = this.#parts;
    const { refreshing: _, ...kept } = value;
    try {
      const tokens = await refreshAuthorization(value.issuer, {
        // Of the issuer that gave the token, also if the server names another one now.
        metadata: await metadataOf(value.issuer, fetchFn),
        clientInformation: value.client,
        refreshToken: value.tokens.refresh_token ?? '',
        resource: value.resource,
        fetchFn,
      });
      const renewed = { ...kept, ...tokensOf(tokens, clock) };
      const isStored = (await credentials.put(principal, renewed, revision)) !== undefined;
      // The principal has signed out or in again meanwhile: that counts.
      if (!isStored) return (await credentials.get(principal))?.value.tokens.access_token;
      return tokens.access_token;
    } catch (error) {
      const code = oauthCodeOf(error);
      if (!finalCodes.has(code)) {
        await credentials.put(principal, kept, revision);
        throw authFailure(name, 'the access could not be renewed', error);
      }
      await credentials.delete(principal, revision);
      if (clientCodes.has(code)) await forgetClient(clients, value.client.client_id);
      return undefined;
    }
  }
}

/** Returns the part of credentials that an answer of the token endpoint makes. */
export function tokensOf(tokens: OAuthTokens, clock: Clock): Pick<Credentials, 'tokens' | 'expiresAt'> {
  const { expires_in: seconds } = tokens;
  const isTimed = typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0;
  return { tokens, ...(isTimed ? { expiresAt: clock.now() + seconds * 1_000 } : {}) };
}
