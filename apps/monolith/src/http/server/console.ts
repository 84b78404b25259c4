import { createConsoleHandler } from '@ravi/console';
import type { ConsoleHandler } from '@ravi/console';
import { isKernelError } from '@ravi/kernel';
import type { Logger } from '@ravi/kernel';
import type { Hono } from 'hono';

/** Opens the console when it is first called. Returns `undefined` if it is not built. */
export type OpenConsole = () => ConsoleHandler | undefined;

/** Creates a function that reads the files of the console once. If it was not built, a warning is logged. */
export function createOpenConsole(logger: Logger): OpenConsole {
  let opened: { readonly handler: ConsoleHandler | undefined } | undefined;
  return () => (opened ??= { handler: read() }).handler;

  function read(): ConsoleHandler | undefined {
    try {
      return createConsoleHandler();
    } catch (error) {
      if (!isKernelError(error, 'E_CONFIG_INVALID')) throw error;
      logger.warn('the console is not available', { reason: error.message });
      return undefined;
    }
  }
}

/** Serves the console at every path outside the API. A process that does not listen never opens it. */
export function mountConsole(app: Hono, open: OpenConsole): void {
  // Path of the page of `@ravi/approval-web`, which precedes this one, so that links work with both.
  app.get('/approvals', (context) => context.redirect('/inbox'));
  app.get('*', async ({ req }, next) => (isOfApi(req.path) ? next() : (open()?.fetch(req.raw) ?? next())));
}

function isOfApi(path: string): boolean {
  return path === '/v1' || path.startsWith('/v1/');
}
