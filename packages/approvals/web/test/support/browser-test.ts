import { missingBrowser, openBrowser } from '@ravi/test-browser';
import type { TestBrowser } from '@ravi/test-browser';
import { afterAll, beforeAll, test } from 'vitest';
import { signIn } from './page.ts';
import type { Page } from './page.ts';
import type { ApprovalServer } from './server.ts';

/** Chromium of one test file. */
export interface FileBrowser {
  /** Opens a page in a session of its own. */
  readonly open: TestBrowser['open'];
  /** Opens the page of the server with `ada` signed in. */
  openSignedIn(server: ApprovalServer): Promise<Page>;
}

/** Defines a test that needs Chromium. Where it is missing, the test is skipped with the reason. */
export const inBrowser: (name: string, body: () => Promise<void>) => void =
  missingBrowser === undefined
    ? (name, body) => test(`in Chromium: ${name}`, body)
    : (name) => test.skip(`in Chromium: ${name} (${missingBrowser})`);

/** Starts Chromium before the tests of the file that calls this, and ends it after them. */
export function startFileBrowser(): FileBrowser {
  let browser: TestBrowser;
  beforeAll(async () => {
    if (missingBrowser === undefined) browser = await openBrowser();
  });
  afterAll(() => browser?.[Symbol.asyncDispose]());
  return {
    open: (...args) => browser.open(...args),
    async openSignedIn({ url }) {
      const { page } = await browser.open(url);
      await signIn(page);
      return page;
    },
  };
}
