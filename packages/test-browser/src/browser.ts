import { existsSync } from 'node:fs';
import axe from 'axe-core';
import type { AxeResults } from 'axe-core';
import { chromium } from 'playwright-core';
import type { Page } from 'playwright-core';

const executablePath = process.env['RAVI_CHROMIUM'] ?? '/usr/bin/chromium';

/** Reason why tests cannot use a browser here; `undefined` if they can. */
export const missingBrowser: string | undefined = existsSync(executablePath)
  ? undefined
  : `${executablePath} does not exist: install Chromium, or set RAVI_CHROMIUM to its path`;

// Nothing leaves the machine, and nothing needs permissions that a container does not grant.
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Headless Chromium. */
export interface TestBrowser extends AsyncDisposable {
  /** Opens a page in a new browser context, which shares nothing with other pages. */
  open(url: string, options?: PageOptions): Promise<BrowserPage>;
}

/** Options of a page. */
export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
}

/** Page with its errors. */
export interface BrowserPage {
  readonly page: Page;
  /** Exceptions and console errors of the page, violations of its security policy included. */
  readonly errors: readonly string[];
}

const limitMs = 15_000;

/** Starts the browser. The caller must dispose it. */
export async function openBrowser(): Promise<TestBrowser> {
  const browser = await chromium.launch({ executablePath, args: flags });
  return {
    async open(url, { width = 1_200, height = 900, theme = 'light' } = {}) {
      const visitor = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
      visitor.setDefaultTimeout(limitMs);
      const page = await visitor.newPage();
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      await page.goto(url);
      return { page, errors };
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** Returns the problems that axe-core finds in the current page, best practices included: one line for each element. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  // Evaluated by the debugger, because the page's security policy forbids such a script.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html}`));
}
