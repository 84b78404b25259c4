import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Page } from 'playwright-core';

const executablePath = process.env['RAVI_CHROMIUM'] ?? '/usr/bin/chromium';

/** Why no test can use a browser here; `undefined` when one can. */
export const missingBrowser: string | undefined = existsSync(executablePath)
  ? undefined
  : `${executablePath} is not there: install Chromium, or name it in RAVI_CHROMIUM`;

// Nothing leaves the machine, and nothing needs rights that a container does not give.
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A real Chromium without a window. */
export interface TestBrowser extends AsyncDisposable {
  /** A page of a visitor of its own: nothing is shared with the others. */
  open(url: string, options?: PageOptions): Promise<BrowserPage>;
}

/** How the visitor looks at the page. */
export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
}

/** A page and what went wrong in it. */
export interface BrowserPage {
  readonly page: Page;
  /** Exceptions and errors of its console, refusals of its security policy among them. */
  readonly errors: readonly string[];
}

const limitMs = 15_000;

/** Starts the browser. Dispose it. */
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
