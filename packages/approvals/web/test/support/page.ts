import type { BrowserPage } from '@ravi/test-browser';
import { tokens } from './handler.ts';

/** Page of a browser. */
export type Page = BrowserPage['page'];

/** Signs in with a token, and waits for the list of requests. */
export async function signIn(page: Page, token: string = tokens.ada): Promise<void> {
  await page.getByLabel('Your token').fill(token);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Waiting for you' }).waitFor();
}

/** The first question of the page, whether there is a session, is answered with 401, which Chromium reports. */
export function isUnexpected(error: string): boolean {
  return !error.includes('401');
}

/** Returns the card of the request with this summary. */
export function cardOf(page: Page, summary: string): ReturnType<Page['getByRole']> {
  return page.getByRole('listitem').filter({ hasText: summary });
}

/** Returns the buttons with exactly this name. */
export function button(page: Page, name: string): ReturnType<Page['getByRole']> {
  return page.getByRole('button', { name, exact: true });
}
