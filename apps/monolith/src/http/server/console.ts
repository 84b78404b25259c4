import { createConsoleHandler } from '@ravi/console';
import type { ConsoleHandler } from '@ravi/console';
import { isKernelError } from '@ravi/kernel';
import type { Logger } from '@ravi/kernel';
import type { Hono } from 'hono';

/** Serves the console at every path outside the API. If it was not built, a warning is logged. */
export function mountConsole(app: Hono, logger: Logger): void {
  const handler = openConsole(logger);
  if (handler === undefined) return;
  // Path of the page of `@ravi/approval-web`, so that links work with both.
  app.get('/approvals', (context) => context.redirect('/inbox'));
  app.get('*', async ({ req }, next) => (isOfApi(req.path) ? next() : handler.fetch(req.raw)));
}

function openConsole(logger: Logger): ConsoleHandler | undefined {
  try {
    return createConsoleHandler();
  } catch (error) {
    if (!isKernelError(error, 'E_CONFIG_INVALID')) throw error;
    logger.warn('the console is not available', { reason: error.message });
    return undefined;
  }
}

function isOfApi(path: string): boolean {
  return path === '/v1' || path.startsWith('/v1/');
}
