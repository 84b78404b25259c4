import assert from 'node:assert/strict';
import { join } from 'node:path';
import { createArgumentTree } from '@ravi/testkit';
import { ask, button, inBrowser, openBrowserTests } from './support/browser-tests.ts';
import { screenshots } from './support/looks.ts';

const tests = openBrowserTests();

inBrowser('a person starts a run, reloads while it waits, approves it, and reads its report', async () => {
  await using server = await tests.serve();
  const { page, errors } = await tests.browser.open(`${server.url}/`);
  await button(page, /New run/).click();
  await page.getByLabel('What should it do?').fill('When should I fly?');
  await button(page, /^Start$/).click();
  await page.getByText('Publish “When to fly” for the team').waitFor();
  await page.reload();
  await page.getByText('Publish “When to fly” for the team').waitFor();
  await page.getByText('I count the delays by hour in one script.').waitFor();
  await page.getByRole('tab', { name: 'Console' }).click();
  await page.getByText('200000 flights, 703 earthquakes').waitFor();
  await page.screenshot({ path: join(screenshots, 'story-waiting.png'), fullPage: true });
  await button(page, /^Approve/).click();
  await page.getByText('The report is published: fly at 6:00.').waitFor();
  await page.getByRole('tab', { name: 'Artifacts' }).click();
  await page.getByRole('link', { name: /text\/markdown/ }).click();
  await page.getByText('Fly at 6:00').waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download' }).click();
  assert.equal((await download).suggestedFilename(), 'art_report.md');
  assert.deepEqual(errors, []);
});

inBrowser('keys move through the inbox, and a draft of a decision survives a reload', async () => {
  await using server = await tests.serve();
  const first = ask(server, { id: 'first', summary: 'First request' });
  const second = ask(server, {
    id: 'second',
    summary: 'Second request',
    args: { title: 'Old', markdown: '# Text', copies: 1 },
  });
  const { page } = await tests.browser.open(`${server.url}/inbox`);
  await page.getByRole('heading', { name: 'First request' }).waitFor();
  await page.keyboard.press('j');
  await page.getByRole('heading', { name: 'Second request' }).waitFor();
  // A key right after the card has changed does nothing.
  await page.keyboard.press('d');
  await page.locator('article[data-settled="true"]').waitFor();
  assert.equal(await page.getByLabel('Why not?').count(), 0);
  await page.keyboard.press('e');
  await page.getByLabel('title').fill('New');
  await page.getByText('Your changes (1)').waitFor();
  await page.reload();
  await page.getByText('Your changes (1)').waitFor();
  await page.screenshot({ path: join(screenshots, 'story-edit.png'), fullPage: true });
  await button(page, /Approve with changes/).click();
  const { decision, modifiedArgs } = await second;
  assert.deepEqual([decision, modifiedArgs], ['modified', { title: 'New', markdown: '# Text', copies: 1 }]);
  await page.getByRole('heading', { name: 'First request' }).waitFor();
  await page.locator('article[data-settled="true"]').waitFor();
  await page.keyboard.press('d');
  await page.getByLabel('Why not?').fill('Not on a Friday');
  await button(page, /Deny this call/).click();
  assert.deepEqual(await first, { decision: 'denied', reason: 'Not on a Friday', approver: 'local' });
  await page.getByText('Nothing waits for your decision').waitFor();
});

inBrowser('no key approves a critical call, and a press only with a confirmation', async () => {
  await using server = await tests.serve();
  const answer = ask(server, { id: 'critical', summary: 'Launch it', risk: 'critical' });
  const { page } = await tests.browser.open(`${server.url}/inbox`);
  await page.locator('article[data-settled="true"]').waitFor();
  for (const key of ['a', 'r', 'a']) await page.keyboard.press(key);
  await button(page, /^Approve/).click();
  assert.match(await page.locator('.inbox-list').innerText(), /Launch it/);
  await button(page, /^Yes, run this critical call/).click();
  assert.equal((await answer).decision, 'approved');
});

inBrowser('a set of calls is approved or denied as it is', async () => {
  await using server = await tests.serve();
  const calls = [{ tool: 'launch', risk: 'high', arguments: { target: 'moon' } }];
  const answer = ask(server, { id: 'set', tool: 'approve_calls', summary: 'Approves 1 call', args: { calls } });
  const { page } = await tests.browser.open(`${server.url}/inbox`);
  await page.locator('article[data-settled="true"]').waitFor();
  const names = await page.locator('.approval-actions button').allInnerTexts();
  assert.deepEqual(
    names.map((name) => name.split(/\s/)[0]),
    ['Approve', 'Deny'],
  );
  for (const key of ['r', 'e', 'a']) await page.keyboard.press(key);
  assert.deepEqual([(await answer).decision, (await answer).scope], ['approved', 'once']);
});

inBrowser('every value that will run is on the page before Approve is enabled', async () => {
  await using server = await tests.serve();
  const { page } = await tests.browser.open(`${server.url}/inbox`);
  for (const seed of [1, 3, 7, 10, 13, 20]) {
    const { args } = createArgumentTree(seed);
    const answer = ask(server, { id: `tree-${seed}`, summary: `Tree ${seed}`, args });
    const card = page.getByRole('article').filter({ hasText: `Tree ${seed}` });
    await card.locator('.shown-row').first().waitFor();
    const more = card.getByRole('button', { name: /^Show all/ });
    if ((await more.count()) > 0) {
      assert.equal(await button(page, /^Approve/).getAttribute('aria-disabled'), 'true');
      await more.click();
    }
    const shown = await card
      .locator('.shown-row')
      .evaluateAll((rows) => rows.map((row) => row.textContent ?? '').join(''));
    assert.deepEqual(JSON.parse(shown), JSON.parse(JSON.stringify(args)), `seed ${seed}`);
    await button(page, /^Approve/).click();
    assert.equal((await answer).decision, 'approved');
    await page.getByText('Nothing waits for your decision').waitFor();
  }
});

inBrowser('if two people decide at once, one sees that the other was first', async () => {
  await using server = await tests.serve();
  const answer = ask(server, { summary: 'Only once' });
  const one = await tests.browser.open(`${server.url}/inbox`);
  const other = await tests.browser.open(`${server.url}/inbox`);
  // The second decision is held back until the first has reached the server.
  const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();
  await other.page.route('**/decision', async (route) => {
    await mayGoOn;
    await route.continue();
  });
  await button(other.page, /^Deny/).click();
  await button(other.page, /Deny this call/).click();
  await button(one.page, /^Approve/).click();
  assert.equal((await answer).decision, 'approved');
  goOn();
  await other.page
    .getByText(/decided first: this request is approved/)
    .first()
    .waitFor();
});

inBrowser(
  'a decision does not show before the server has confirmed it, and can be given again when it was lost',
  async () => {
    await using server = await tests.serve();
    const answer = ask(server, { summary: 'Wait for the server' });
    const { page } = await tests.browser.open(`${server.url}/inbox`);
    await page.route('**/decision', (route) => route.abort());
    await button(page, /^Approve/).click();
    await page
      .getByText(`No server answers at ${new URL(server.url).origin}: Failed to fetch`)
      .first()
      .waitFor();
    assert.ok(await page.getByRole('heading', { name: 'Wait for the server' }).isVisible());
    await page.unroute('**/decision');
    await button(page, /^Approve/).click();
    assert.equal((await answer).decision, 'approved');
    await page.getByText('Nothing waits for your decision').waitFor();
  },
);

inBrowser('a tool is tried with a form of its schema', async () => {
  await using server = await tests.serve();
  const { page } = await tests.browser.open(`${server.url}/tools/publish_report`);
  await page.getByLabel('title').fill('Hello');
  await button(page, /Call the tool/).click();
  assert.ok(await page.getByLabel('markdown').evaluate((field) => field === document.activeElement));
  await page.getByLabel('markdown').fill('# Text');
  await page.getByLabel('copies').fill('3');
  await page.getByLabel('tags').fill('["a"');
  await page.getByText('This is not JSON yet').waitFor();
  await page.getByLabel('tags').fill('["a"]');
  await button(page, /Call the tool/).click();
  const result = page.getByRole('region', { name: 'Result' });
  await result.getByText('"Hello"', { exact: true }).waitFor();
  assert.match(await result.innerText(), /copies: 3/);
});

inBrowser('empty lists say what will fill them, a failure what is wrong, and both go away', async () => {
  await using server = await tests.serve('/console');
  server.api.failWith(500);
  const { page } = await tests.browser.open(`${server.url}/runs`);
  await page.getByText('The store is not there').waitFor();
  server.api.failWith(0);
  server.api.forgetAll();
  await button(page, /Try again/).click();
  await page.getByText('No run yet').waitFor();
  for (const [path, text] of [
    ['tools', 'No tool is loaded'],
    ['artifacts', 'Nothing is stored'],
    ['jobs', 'No job yet'],
    ['channels', 'No channel yet'],
    ['memories', 'Nothing is remembered'],
    ['budgets', 'No budget is set'],
    ['queue', 'No run waits'],
  ] as const) {
    await page.goto(`${server.url}/${path}`);
    await page.getByText(text).waitFor();
  }
});

inBrowser('a conversation shows where the model continued with a summary, and its text', async () => {
  await using server = await tests.serve();
  const { page } = await tests.browser.open(`${server.url}/chat/session-1`);
  await page.getByText('The model continues with a summary of what is above').click();
  await page.getByText('the flights are counted').waitFor();
  await page.screenshot({ path: join(screenshots, 'chat-summary.png') });
});

inBrowser('an unknown visitor signs in and returns to the requested page', async () => {
  await using server = await tests.serve();
  server.api.failWith(401);
  const { page } = await tests.browser.open(`${server.url}/settings`);
  await page.getByLabel('Your token').fill('some token');
  await button(page, /Sign in/).click();
  await page.getByText('@ravi/state-sqlite').waitFor();
});

inBrowser('the events of a run that is over are read once', async () => {
  await using server = await tests.serve();
  const { page } = await tests.browser.open(`${server.url}/nowhere`);
  await page.clock.install();
  let streams = 0;
  page.on('request', (request) => {
    if (request.url().includes('/runs/run-invoices-19c2/events')) streams += 1;
  });
  const ended = page.waitForEvent('requestfinished', (request) => request.url().includes('/run-invoices-19c2/events'));
  await page.goto(`${server.url}/runs/run-invoices-19c2`);
  await page.getByText('Cannot read properties of undefined').first().waitFor();
  await ended;
  await page.clock.runFor(60_000);
  await page.getByText('Cannot read properties of undefined').first().waitFor();
  assert.equal(streams, 1);
});
