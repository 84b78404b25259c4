import assert from 'node:assert/strict';
import { missingBrowser, openBrowser } from '@ravi/test-browser';
import { test } from 'vitest';
import { button } from './support/browser-tests.ts';
import { installPage } from './support/installed-page.ts';
import { startRealServer } from './support/real-server.ts';

const inBrowser = missingBrowser === undefined ? test : test.skip;

inBrowser('triggers are listed with their next times, show their runs, and are cancelled', async () => {
  await installPage();
  await using server = await startRealServer({ triggers: { minIntervalMs: 1_000 } });
  await using browser = await openBrowser();
  const add = async (spec: object, task: string): Promise<string> => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ spec, task });
    const response = await fetch(`${server.url}/v1/triggers`, { method: 'POST', headers, body });
    return ((await response.json()) as { readonly id: string }).id;
  };
  const { page } = await browser.open(`${server.url}/triggers`);
  await page.getByText('No trigger is active').waitFor();
  await add({ kind: 'timer', inMs: 0 }, 'Look once <b>now</b>');
  await add({ kind: 'schedule', cron: '0 9 * * *', timeZone: 'Europe/Berlin' }, 'Look each morning');

  await page.getByText('0 9 * * * in Europe/Berlin').waitFor();
  await page.getByRole('button', { name: 'Ended' }).click();
  await page.getByText('Look once <b>now</b>').click();
  await page.getByRole('region', { name: 'Latest runs' }).getByRole('link', { name: 'Open' }).click();
  await page.waitForURL(/\/runs\/run_t[0-9a-f]{32}$/);
  await page.getByRole('heading', { name: 'Look once <b>now</b>' }).waitFor();

  await page.goto(`${server.url}/triggers`);
  await page.getByText('Look each morning').click();
  await page.getByText('It has not fired yet').waitFor();
  await page.getByText(/tools that its runs may call at most/).click();
  await page.getByText(/publish_report/).waitFor();
  await button(page, /Cancel the trigger/).click();
  await page.getByText('cancelled', { exact: true }).waitFor();
  assert.equal(await button(page, /Cancel the trigger/).count(), 0);
});
