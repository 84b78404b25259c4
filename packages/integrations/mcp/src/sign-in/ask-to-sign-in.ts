import { isKernelError } from '@ravi/kernel';
import type { Clock, ToolContext } from '@ravi/kernel';
import { signInRequired } from './auth-errors.ts';
import type { SignIn } from './sign-in.ts';

/** Another process may complete the sign-in. */
const pollMs = 1_000;

/** Parts of {@link askToSignIn}. */
export interface AskParts {
  readonly name: string;
  /** Host of the server, as the person knows it. */
  readonly host: string;
  readonly signIn: SignIn;
  readonly clock: Clock;
  /** Returns the page on which callers sign in; `undefined` if there is none. */
  readonly signInUrl: (() => string | undefined) | undefined;
}

/**
 * Asks the caller of a call to sign in, and waits until it has. The request is withdrawn as soon as the sign-in is complete.
 * @throws KernelError `E_SIGN_IN_REQUIRED` if it declined, did not sign in in time or cannot be asked, `E_CANCELLED`
 */
export async function askToSignIn(context: ToolContext, parts: AskParts): Promise<void> {
  const { name, host, signIn, clock, signInUrl } = parts;
  const url = signInUrl?.();
  if (url === undefined) throw signInRequired(name);
  const { principal } = context;
  const done = new AbortController();
  const unsubscribe = signIn.onChange((changed) => {
    if (changed === principal) void check();
  });
  async function check(): Promise<void> {
    if (await signIn.isSignedIn(principal)) done.abort();
  }
  const poll = pollEvery(clock, check);
  try {
    const message = `Sign in at the MCP server "${name}" (${host}), so that the tools of this run can use it for you.`;
    const { action } = await context.elicit({ mode: 'url', message, url }, { signal: done.signal });
    if (action === 'accept' && (await signIn.isSignedIn(principal))) return;
    throw signInRequired(name);
  } catch (error) {
    if (done.signal.aborted && isKernelError(error, 'E_CANCELLED')) {
      context.check();
      return;
    }
    // There is no person to ask, or the page is not one that may be shown.
    if (isKernelError(error, 'E_UNSUPPORTED') || isKernelError(error, 'E_REQUEST_INVALID')) throw signInRequired(name);
    throw error;
  } finally {
    unsubscribe();
    poll();
  }
}

/** Calls `check` again and again, until the returned function is called. A failure of it is tried again too. */
function pollEvery(clock: Clock, check: () => Promise<void>): () => void {
  let isOver = false;
  let timer = clock.setTimer(tick, pollMs, { isBackground: true });
  function tick(): void {
    const next = (): void => {
      if (!isOver) timer = clock.setTimer(tick, pollMs, { isBackground: true });
    };
    check().then(next, next);
  }
  return () => {
    isOver = true;
    timer.cancel();
  };
}
