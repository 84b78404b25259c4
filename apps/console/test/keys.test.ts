import assert from 'node:assert/strict';
import { ask, inBrowser, openBrowserTests } from './support/browser-tests.ts';
import type { Page } from './support/browser-tests.ts';
import type { ConsoleServer } from './support/console-server.ts';

const tests = openBrowserTests();

/** Opens the inbox with a clock that only the test moves, and collects the decisions that the page sends. */
async function openInbox(server: ConsoleServer): Promise<{ readonly page: Page; readonly sent: readonly string[] }> {
  const { page } = await tests.browser.open('about:blank');
  await page.clock.install();
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/decision')) sent.push(request.postData() ?? '');
  });
  await page.goto(`${server.url}/inbox`);
  await page.getByRole('article').waitFor();
  await page.clock.pauseAt(Date.now() + 60_000);
  return { page, sent };
}

function settled(page: Page): Promise<string | null> {
  return page.getByRole('article').getAttribute('data-settled');
}

inBrowser('no single key press approves a critical call, neither held down nor as a double press', async () => {
  await using server = await tests.serve();
  void ask(server, { id: 'critical', summary: 'Launch it', risk: 'critical' });
  const { page, sent } = await openInbox(server);
  assert.equal(await settled(page), 'true');
  // The others, e and d, open a form.
  for (const key of 'abcfghijklmnopqrstuvwxyz0123456789') await page.keyboard.press(key);
  for (const key of ['Enter', 'Space']) await page.keyboard.press(key);
  await page.getByRole('button', { name: /^Approve/ }).focus();
  // Down without up: the browser repeats the key.
  for (let count = 0; count < 5; count += 1) await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  const confirm = page.getByRole('button', { name: /^Yes, run this critical call/ });
  await confirm.waitFor();
  await page.keyboard.press('Enter');
  await confirm.dblclick({ force: true });
  await page.clock.runFor(499);
  await page.keyboard.press('Enter');
  assert.deepEqual(sent, []);
  await page.clock.runFor(1);
  await page.locator('article[data-settled="true"]').waitFor();
  await page.keyboard.press('Enter');
  await page.clock.resume();
  await page.getByText('Nothing waits for your decision').waitFor();
  assert.deepEqual(sent, ['{"decision":"approved","scope":"once"}']);
});

inBrowser('shortcuts do nothing for 500 ms after the card has changed', async () => {
  await using server = await tests.serve();
  void ask(server, { id: 'first', summary: 'First request' });
  void ask(server, { id: 'second', summary: 'Second request' });
  const { page, sent } = await openInbox(server);
  assert.equal(await settled(page), 'true');
  await page.keyboard.press('j');
  await page.getByRole('heading', { name: 'Second request' }).waitFor();
  await page.clock.runFor(499);
  for (const key of ['a', 'r', 'e', 'd']) await page.keyboard.press(key);
  assert.equal(await settled(page), 'false');
  assert.equal(await page.getByLabel('Why not?').count(), 0);
  assert.equal(await page.getByRole('button', { name: 'Back' }).count(), 0);
  await page.clock.runFor(1);
  await page.locator('article[data-settled="true"]').waitFor();
  assert.deepEqual(sent, []);
  await page.keyboard.press('a');
  await page.clock.resume();
  await page.getByRole('heading', { name: 'First request' }).waitFor();
  assert.deepEqual(sent, ['{"decision":"approved","scope":"once"}']);
});
