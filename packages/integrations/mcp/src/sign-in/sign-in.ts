import {
  exchangeAuthorization,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';
import type { AuthProvider } from '@modelcontextprotocol/client';
import { KernelError } from '@ravi/kernel';
import type { Clock, CompleteSignInOptions, Principal, SecretStore, ToolSourceSignIn } from '@ravi/kernel';
import type { SignInOptions } from '../options.ts';
import { authFailure, oauthCodeOf, signInRequired } from './auth-errors.ts';
import { discover } from './discover.ts';
import type { Discovered } from './discover.ts';
import { clientFor, forgetClient } from './register-client.ts';
import { revokeTokens } from './revoke-tokens.ts';
import { openRecords } from './stored-records.ts';
import type { Credentials, PendingSignIn, RecordStore, StoredClient } from './stored-records.ts';
import { Tokens, tokensOf } from './tokens.ts';

/** Time for a person to sign in. */
const pendingMs = 600_000;
const codePattern = /^[a-z_]{1,64}$/;

/** Parts of {@link SignIn}. */
export interface SignInParts {
  /** Name of the source. */
  readonly name: string;
  readonly serverUrl: string;
  readonly options: SignInOptions;
  readonly secrets: SecretStore;
  readonly clock: Clock;
  /** Reaches the server and its authorization server, but no private network unless that is allowed. */
  readonly fetch: typeof fetch;
}

/** Receives who has signed in or out, and if the tools may be read for it. */
export type SignInListener = (principal: Principal, definesTools: boolean) => void;

/** Sign-in of principals at one MCP server: OAuth 2.1 with PKCE, each principal for itself. */
export class SignIn implements ToolSourceSignIn {
  readonly #parts: SignInParts;
  readonly #credentials: RecordStore<Credentials>;
  readonly #clients: RecordStore<StoredClient>;
  readonly #pending: RecordStore<PendingSignIn>;
  readonly #tokens: Tokens;
  readonly #listeners = new Set<SignInListener>();
  /** Scopes that the server asked for in addition, by principal. */
  readonly #wanted = new Map<Principal, string>();

  constructor(parts: SignInParts) {
    this.#parts = parts;
    const { secrets } = parts;
    this.#credentials = openRecords(secrets, 'mcp-credentials', parts);
    this.#clients = openRecords(secrets, 'mcp-clients', parts);
    this.#pending = openRecords(secrets, 'mcp-sign-ins', parts);
    this.#tokens = new Tokens({ ...parts, credentials: this.#credentials, clients: this.#clients });
  }

  async isSignedIn(principal: Principal): Promise<boolean> {
    const known = await this.#credentials.get(principal);
    if (known === undefined) return false;
    const { tokens, expiresAt = Infinity } = known.value;
    return tokens.refresh_token !== undefined || expiresAt > this.#parts.clock.now();
  }

  async begin(principal: Principal, callbackUrl: string): Promise<{ readonly url: string }> {
    const { name, serverUrl, options, clock, fetch: fetchFn } = this.#parts;
    try {
      const found = await discover(serverUrl, fetchFn);
      const client = await clientFor(found, callbackUrl, { ...this.#parts, clients: this.#clients });
      const state = randomText();
      const scope = scopeFor(found, options, this.#wanted.get(principal));
      const { authorizationUrl, codeVerifier } = await startAuthorization(found.issuer, {
        metadata: found.metadata,
        clientInformation: client,
        redirectUrl: callbackUrl,
        state,
        resource: found.resource,
        ...(scope === undefined ? {} : { scope }),
      });
      await this.#pending.put(principal, {
        serverUrl,
        issuer: found.issuer,
        metadata: found.metadata,
        resource: found.resource,
        redirectUri: callbackUrl,
        client,
        state,
        codeVerifier,
        expiresAt: clock.now() + pendingMs,
      });
      return { url: authorizationUrl.href };
    } catch (error) {
      throw authFailure(name, 'a sign-in cannot begin', error);
    }
  }

  async complete(
    principal: Principal,
    query: URLSearchParams,
    { definesTools = false }: CompleteSignInOptions = {},
  ): Promise<void> {
    const { name, serverUrl, clock, fetch: fetchFn } = this.#parts;
    const known = await this.#pending.get(principal);
    if (known === undefined || !isEqual(known.value.state, query.get('state') ?? '')) throw unknownSignIn();
    // Also if what follows fails, this state is used.
    if (!(await this.#pending.delete(principal, known.revision))) throw unknownSignIn();
    const { issuer, client, metadata, codeVerifier, redirectUri, resource, expiresAt } = known.value;
    if (expiresAt <= clock.now()) throw unknownSignIn();
    const iss = query.get('iss') ?? undefined;
    try {
      // Before the error and the code are read: both may be of another server.
      validateAuthorizationResponseIssuer({
        iss,
        expectedIssuer: issuer,
        issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
      });
      const failure = query.get('error');
      if (failure !== null) throw refusedSignIn(name, failure);
      const authorizationCode = query.get('code');
      if (authorizationCode === null) throw unknownSignIn();
      const tokens = await exchangeAuthorization(issuer, {
        metadata,
        clientInformation: client,
        authorizationCode,
        ...(iss === undefined ? {} : { iss }),
        codeVerifier,
        redirectUri,
        resource,
        fetchFn,
      });
      if (tokens.token_type.toLowerCase() !== 'bearer') throw new TypeError('The token is not a bearer token');
      await this.#credentials.put(principal, { serverUrl, issuer, resource, client, ...tokensOf(tokens, clock) });
    } catch (error) {
      const code = oauthCodeOf(error);
      if (code === 'invalid_client' || code === 'unauthorized_client') {
        await forgetClient(this.#clients, client.client_id);
      }
      throw authFailure(name, 'the sign-in failed', error);
    }
    this.#wanted.delete(principal);
    for (const listener of this.#listeners) listener(principal, definesTools);
  }

  async signOut(principal: Principal): Promise<void> {
    const known = await this.#credentials.get(principal);
    await this.#credentials.delete(principal);
    await this.#pending.delete(principal);
    this.#wanted.delete(principal);
    for (const listener of this.#listeners) listener(principal, false);
    if (known !== undefined) await revokeTokens(known.value, this.#parts.fetch);
  }

  /** Calls `listener` after each sign-in and sign-out in this process, until the returned function is called. */
  onChange(listener: SignInListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Drops credentials that the server does not accept. The next sign-in asks for `scope` too. */
  async forget(principal: Principal, scope?: string): Promise<void> {
    if (scope !== undefined) this.#wanted.set(principal, unionOf(this.#wanted.get(principal), scope));
    await this.#credentials.delete(principal);
  }

  /** Returns the credentials of a principal for the requests of a connection. */
  authOf(principal: Principal): AuthProvider {
    let used: string | undefined;
    return {
      token: async () => (used = await this.#tokens.current(principal)),
      onUnauthorized: async () => {
        const renewed = used === undefined ? undefined : await this.#tokens.refresh(principal, used);
        if (renewed === undefined || renewed === used) throw signInRequired(this.#parts.name);
      },
    };
  }
}

// Scopes that were configured, else those that the server asks for. A refresh token needs a scope of its own at some servers.
function scopeFor(
  { scope, metadata }: Discovered,
  { scope: configured }: SignInOptions,
  wanted: string | undefined,
): string | undefined {
  const asked = unionOf(configured ?? scope, wanted ?? '');
  const hasOffline = metadata.scopes_supported?.includes('offline_access') === true;
  const all = hasOffline && asked !== '' ? unionOf(asked, 'offline_access') : asked;
  return all === '' ? undefined : all;
}

function unionOf(...scopes: readonly (string | undefined)[]): string {
  return [...new Set(scopes.flatMap((scope) => (scope ?? '').split(' ')).filter((each) => each !== ''))].join(' ');
}

function randomText(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
}

// In the same time for every wrong text.
function isEqual(left: string, right: string): boolean {
  let difference = left.length ^ right.length;
  for (let index = 0; index < left.length; index++) difference |= left.charCodeAt(index) ^ right.charCodeAt(index);
  return difference === 0;
}

function unknownSignIn(): KernelError {
  return new KernelError(
    'E_REQUEST_INVALID',
    'This sign-in is unknown, too old or was completed before: begin it again',
  );
}

function refusedSignIn(name: string, code: string): KernelError {
  const shown = codePattern.test(code) ? code : 'an error';
  return new KernelError('E_SOURCE_UNAVAILABLE', `The sign-in at the MCP server ${name} ended with ${shown}`);
}
