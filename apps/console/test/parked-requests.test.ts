import assert from 'node:assert/strict';
import { ask, button, inBrowser, openBrowserTests } from './support/browser-tests.ts';

const tests = openBrowserTests();

inBrowser('a request whose time has passed stays in the inbox if it is parked, and can still be approved', async () => {
  await using server = await tests.serve();
  const result = ask(server, {
    args: { title: 'Old' },
    id: 'parked',
    summary: 'Parked request',
    expiresAt: Date.now() + 1_500,
    onExpiry: 'park',
  });
  const { page } = await tests.browser.open(`${server.url}/inbox`);
  await page.getByRole('heading', { name: 'Parked request' }).waitFor();
  await page
    .getByText(/^Parked for \d+ s$/)
    .first()
    .waitFor();
  // The list has it after a reload too.
  await page.reload();
  await page
    .getByText(/^Parked for /)
    .first()
    .waitFor();
  await button(page, /^Approve/).click();
  assert.equal((await result).decision, 'approved');
});
