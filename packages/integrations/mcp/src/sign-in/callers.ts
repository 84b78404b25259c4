import type { AuthProvider } from '@modelcontextprotocol/client';
import type { Principal, SecretStore, ToolContext, ToolSourceSignIn } from '@ravi/kernel';
import { createSafeFetch } from '@ravi/safe-fetch';
import type { SafeFetch } from '@ravi/safe-fetch';
import type { CheckedOptions } from '../check-options.ts';
import type { Connection } from '../connection/connection.ts';
import type { McpSourceContext } from '../options.ts';
import { askToSignIn } from './ask-to-sign-in.ts';
import { isSignInRequired, missingScopeIn } from './auth-errors.ts';
import { PrincipalConnections } from './principal-connections.ts';
import { SignIn } from './sign-in.ts';
import { createMemorySecrets } from './stored-records.ts';

/** Metadata and tokens are small. */
const maxBytes = 1024 * 1024;
const timeoutMs = 30_000;

/** Parts of {@link createCallers} that the source provides. */
export interface CallersParts {
  readonly signInUrl: (() => string | undefined) | undefined;
  readonly connect: (auth: AuthProvider, signal: AbortSignal) => Promise<Connection>;
  /** Called when the lists may be read for another caller. */
  readonly onChange: () => void;
}

/** Callers of a server that sign in for themselves: each has its own credentials and its own connection. */
export interface Callers extends AsyncDisposable {
  readonly signIn: ToolSourceSignIn;
  /**
   * Returns the credentials with which the lists are read: those of the last caller that signed in and may define tools. `undefined`
   * if there are none.
   */
  authOfReader(): Promise<AuthProvider | undefined>;
  /**
   * Returns the connection of the caller of a call, and asks it to sign in first if it has not.
   * @throws KernelError `E_SIGN_IN_REQUIRED`, `E_SOURCE_UNAVAILABLE`, `E_CANCELLED`
   */
  connectionFor(context: ToolContext): Promise<Connection>;
  /** Closes the connection of a caller, if there is one. */
  drop(principal: Principal): Promise<void>;
  /**
   * Asks the caller to sign in again, if the error says that it has to. Returns `false` for any other error.
   * @throws KernelError `E_SIGN_IN_REQUIRED`, `E_CANCELLED`
   */
  signInAfter(error: unknown, context: ToolContext): Promise<boolean>;
}

/** Creates the callers of a server at which callers sign in; `undefined` for any other server. */
export function createCallers(
  { name, server }: CheckedOptions,
  { clock, secrets = createMemorySecrets() }: McpSourceContext,
  { signInUrl, connect, onChange }: CallersParts,
): Callers | undefined {
  if (server.url === undefined || server.signIn === undefined) return undefined;
  const { url: serverUrl, signIn: options } = server;
  const safeFetch = createSafeFetch({
    allowPrivateAddresses: server.allowPrivateAddresses === true,
    maxBytes,
    timeoutMs,
  });
  const signIn = new SignIn({ name, serverUrl, options, secrets, clock, fetch: withoutRedirectedPosts(safeFetch) });
  const connections = new PrincipalConnections((principal, signal) => connect(signIn.authOf(principal), signal), clock);
  const readers = createReaders(secrets, { name, serverUrl });
  const asking = new Map<Principal, Promise<void>>();
  const { host } = new URL(serverUrl);

  const stopListening = signIn.onChange((principal, definesTools) => {
    void connections.drop(principal);
    void changeReader(principal, definesTools).then((hasChanged) => {
      if (hasChanged) onChange();
    }, onChange);
  });

  // The server may show other tools to other callers. What one shows to a caller that may not accept tools reaches no other caller.
  async function changeReader(principal: Principal, definesTools: boolean): Promise<boolean> {
    if (!definesTools || !(await signIn.isSignedIn(principal))) return readers.remove(principal);
    await readers.add(principal);
    return true;
  }

  // Several calls of a caller at once ask it once.
  async function ask(context: ToolContext): Promise<void> {
    const { principal } = context;
    const running = asking.get(principal);
    if (running !== undefined) {
      await running.catch(() => undefined);
      if (await signIn.isSignedIn(principal)) return;
    }
    const question = askToSignIn(context, { name, host, signIn, clock, signInUrl });
    asking.set(principal, question);
    try {
      await question;
    } finally {
      if (asking.get(principal) === question) asking.delete(principal);
    }
  }

  return {
    signIn,
    async authOfReader() {
      const reader = await readers.last();
      return reader !== undefined && (await signIn.isSignedIn(reader)) ? signIn.authOf(reader) : undefined;
    },
    async connectionFor(context) {
      const { principal } = context;
      if (!(await signIn.isSignedIn(principal))) await ask(context);
      try {
        return await connections.of(principal);
      } catch (error) {
        if (!isSignInRequired(error)) throw error;
        // Renewed once, and still refused: these credentials are of no use.
        await signIn.forget(principal);
        await ask(context);
        return connections.of(principal);
      }
    },
    drop: (principal) => connections.drop(principal),
    async signInAfter(error, context) {
      if (!isSignInRequired(error)) return false;
      const { principal } = context;
      const scope = missingScopeIn(error);
      await connections.drop(principal);
      if (scope !== undefined) await signIn.forget(principal, scope);
      if (!(await signIn.isSignedIn(principal))) await ask(context);
      return true;
    },
    async [Symbol.asyncDispose]() {
      stopListening();
      await connections[Symbol.asyncDispose]();
      await safeFetch[Symbol.asyncDispose]();
    },
  };
}

interface Readers {
  add(principal: Principal): Promise<void>;
  /** Returns `false` if the lists were not read for this principal. */
  remove(principal: Principal): Promise<boolean>;
  last(): Promise<Principal | undefined>;
}

/** Keeps for whom the lists are read, so that the lists can be read after a restart. */
function createReaders(
  secrets: SecretStore,
  { name, serverUrl }: { readonly name: string; readonly serverUrl: string },
): Readers {
  const place = { area: 'mcp-readers', principal: '', key: name };
  const last = async (): Promise<Principal | undefined> => {
    const { value } = (await secrets.get(place)) ?? {};
    const known = value as { readonly serverUrl: string; readonly principal: string } | undefined;
    return known?.serverUrl === serverUrl ? known.principal : undefined;
  };
  return {
    last,
    async add(principal) {
      await secrets.put(place, { serverUrl, principal });
    },
    async remove(principal) {
      return (await last()) === principal && (await secrets.delete(place));
    },
  };
}

// A body with a code or a token goes to the address that the metadata names, and to no other.
function withoutRedirectedPosts(safeFetch: SafeFetch): typeof fetch {
  return (input, init) => safeFetch(input, init?.method === 'POST' ? { ...init, redirect: 'error' } : init);
}
