import assert from 'node:assert/strict';
import type { ApprovalRequest } from '@ravi/kernel';
import { createApprovalRequest } from '@ravi/testkit';
import { missingBrowser, openBrowser } from '@ravi/test-browser';
import type { BrowserPage, TestBrowser } from '@ravi/test-browser';
import { afterAll, beforeAll, test } from 'vitest';
import { buildPage } from './built-page.ts';
import { startConsoleServer } from './console-server.ts';
import type { ConsoleServer } from './console-server.ts';

/** Page of a browser. */
export type Page = BrowserPage['page'];

/** Test that needs a browser. It is skipped without one. */
export const inBrowser: typeof test.skip = missingBrowser === undefined ? test : test.skip;

/** Browser and built console of a test file. */
export interface BrowserTests {
  readonly browser: TestBrowser;
  /** Starts a server of the built console. */
  serve(basePath?: string): Promise<ConsoleServer>;
}

/**
 * Builds the console and opens a browser before the tests of a file, then calls `prepare`. The stack is disposed after the
 * tests. Without a browser nothing happens.
 */
export function openBrowserTests(
  prepare: (tests: BrowserTests, stack: AsyncDisposableStack) => Promise<void> = async () => {},
): BrowserTests {
  const stack = new AsyncDisposableStack();
  let folder: string | undefined;
  let browser: TestBrowser | undefined;
  beforeAll(async () => {
    if (missingBrowser !== undefined) return;
    ({ folder } = stack.use(await buildPage()));
    browser = stack.use(await openBrowser());
    await prepare(tests, stack);
  }, 60_000);
  afterAll(() => stack.disposeAsync());
  const tests: BrowserTests = {
    get browser() {
      return browser ?? assert.fail('The browser is opened before the first test');
    },
    serve(basePath = '/') {
      return startConsoleServer({ folder: folder ?? assert.fail('The page is built before the first test'), basePath });
    },
  };
  return tests;
}

/** Asks for an approval that expires in ten minutes. Resolves with the decision. */
export function ask(
  server: ConsoleServer,
  change: Partial<ApprovalRequest> = {},
): ReturnType<ConsoleServer['api']['ask']> {
  const requestedAt = Date.now();
  return server.api.ask(createApprovalRequest({ requestedAt, expiresAt: requestedAt + 600_000, ...change }));
}

/** Returns the buttons of a page that have this name. */
export function button(page: Page, name: RegExp): ReturnType<Page['getByRole']> {
  return page.getByRole('button', { name });
}
