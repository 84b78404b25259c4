import assert from 'node:assert/strict';
import { isKernelError, isLocalTool, systemClock } from '@ravi/kernel';
import type { Clock, OpenToolSource, SecretStore, ToolContext, ToolSourceSignIn } from '@ravi/kernel';
import type { ProtectedServer } from '@ravi/mcp-testing';
import { createMemoryLogger, createToolContext } from '@ravi/testkit';
import { createMcpSource } from '../../src/index.ts';
import type { HttpServerOptions } from '../../src/index.ts';
import { SignIn } from '../../src/sign-in/sign-in.ts';
import { createMemorySecrets } from '../../src/sign-in/stored-records.ts';

/** Address to which an authorization server sends the browser back. Nothing listens there. */
export const callback = 'http://127.0.0.1:9/servers/callback';

/** Open source with the parts that a host has. */
export interface Opened extends AsyncDisposable {
  readonly open: OpenToolSource;
  readonly signIn: ToolSourceSignIn;
  readonly logger: ReturnType<typeof createMemoryLogger>;
  until(holds: () => boolean): Promise<void>;
  /** Calls a tool, `whoami` by default, and returns its text. */
  call(principal: string, context?: Partial<ToolContext>, name?: string): Promise<string>;
}

/** Opens a server as the source `files` of a host. */
export async function openSource(
  server: Pick<ProtectedServer, 'url'>,
  secrets: SecretStore = createMemorySecrets(),
  more: Partial<HttpServerOptions> = {},
): Promise<Opened> {
  const logger = createMemoryLogger();
  let wake = Promise.withResolvers<void>();
  const options = { name: 'files', url: server.url, allowPrivateAddresses: true, signIn: {}, ...more };
  const open = await createMcpSource(options, { clock: systemClock, logger, secrets }).open({
    signal: new AbortController().signal,
    onChange() {
      wake.resolve();
      wake = Promise.withResolvers<void>();
    },
    signInUrl: () => 'http://127.0.0.1:9/servers?signIn=files',
  });
  const signIn = open.remote?.signIn;
  assert.ok(signIn);
  return {
    open,
    signIn,
    logger,
    async until(holds) {
      while (!holds()) await wake.promise;
    },
    async call(principal, context = {}, toolName = 'files__whoami') {
      const tool = open.content().tools.find(({ name }) => name === toolName);
      assert.ok(tool !== undefined && isLocalTool(tool));
      const { content } = await tool.execute({}, createToolContext({ principal, ...context }));
      const [block] = content as readonly { readonly text: string }[];
      return block?.text ?? '';
    },
    [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
  };
}

/** Signs a principal in that may define tools, with a browser that agrees to everything. */
export async function signInAs(
  server: ProtectedServer,
  signIn: ToolSourceSignIn,
  principal: string,
  definesTools = true,
): Promise<void> {
  const { url } = await signIn.begin(principal, callback);
  await signIn.complete(principal, await server.visit(url, principal), { definesTools });
}

/** Returns the sign-in at a server without a source around it. */
export function signInOf(server: ProtectedServer, secrets: SecretStore, clock: Clock = systemClock): SignIn {
  return new SignIn({ name: 'files', serverUrl: server.url, options: {}, secrets, clock, fetch });
}

/** Returns a check of an error by its code and its words. */
export function fails(code: string, words: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(isKernelError(error, code), String(error));
    assert.match(error.message, words);
    return true;
  };
}
