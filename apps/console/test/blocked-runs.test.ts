import assert from 'node:assert/strict';
import type { RunDetails } from '@ravi/api';
import { button, inBrowser, openBrowserTests } from './support/browser-tests.ts';
import { failedRun } from './support/runs.ts';

const tests = openBrowserTests();

const message = 'The run cannot be resumed, because this has changed: the tool mail';
const blocked: RunDetails = {
  ...failedRun,
  id: 'run-blocked',
  status: 'blocked',
  block: { message, needs: [{ kind: 'tool', name: 'mail', state: 'changed' }] },
  error: { code: 'E_RUN_CHANGED', message },
};

inBrowser('a blocked run is found by its status, says what it needs, and is retried', async () => {
  await using server = await tests.serve();
  server.api.addRun(blocked);
  const { page } = await tests.browser.open(`${server.url}/runs`);
  await button(page, /^Blocked$/).click();
  await page.locator('a[href$="/runs/run-blocked"]').click();
  await page.getByText(message).first().waitFor();
  assert.equal(await button(page, /^Cancel run$/).count(), 1);
  await button(page, /^Retry$/).click();
  await button(page, /^Retry$/).waitFor({ state: 'detached' });
  assert.equal(await page.getByText(message).count(), 0);
});
