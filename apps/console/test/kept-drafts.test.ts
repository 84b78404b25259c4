import assert from 'node:assert/strict';
import { ask, button, inBrowser, openBrowserTests } from './support/browser-tests.ts';
import type { Page } from './support/browser-tests.ts';
import type { ConsoleServer } from './support/console-server.ts';
import { checkLooks } from './support/looks.ts';

const draft = { title: 'Old', markdown: '# Text', tags: ['a'] };
const tests = openBrowserTests();

/** Decides a request as another approver would. */
async function decideElsewhere(server: ConsoleServer, id: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const address = `${server.url}/v1/approvals/${id}/decision`;
  const { status } = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
  assert.equal(status, 200);
}

/** Counts the decisions that the page sends. */
function decisionsOf(page: Page): readonly string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/decision')) sent.push(request.postData() ?? '');
  });
  return sent;
}

inBrowser(
  'a request that expires while it is edited keeps its draft, and typing reaches no other request',
  async () => {
    await using server = await tests.serve();
    void ask(server, { args: draft, id: 'edited', summary: 'Edited request', expiresAt: Date.now() + 8_000 });
    void ask(server, { args: draft, id: 'other', summary: 'Other request' });
    const opened = await tests.browser.open(`${server.url}/inbox`);
    const { page } = opened;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const sent = decisionsOf(page);
    await button(page, /^Edit/).click();
    await page.getByLabel('tags').fill('["half');
    await page.getByLabel('title').fill('New');
    await page.getByText('This request expired before you decided. Nothing was sent.').waitFor();
    await page.keyboard.type('a and r');
    await page.keyboard.press('Enter');
    assert.equal(await page.getByLabel('title').inputValue(), 'Newa and r');
    assert.equal(await page.getByLabel('tags').inputValue(), '["half');
    await button(page, /^Copy the arguments/).click();
    await page.getByText('Copied the arguments').waitFor();
    assert.deepEqual(JSON.parse(await page.evaluate('navigator.clipboard.readText()')), {
      title: 'Newa and r',
      markdown: '# Text',
      tags: ['a'],
    });
    await checkLooks(opened, 'draft-expired');
    await page.reload();
    await page.getByText('This request expired before you decided').waitFor();
    assert.equal(await page.getByLabel('title').inputValue(), 'Newa and r');
    assert.equal(await button(page, /^Approve/).count(), 0);
    await button(page, /^Discard the draft/).click();
    await page.getByRole('heading', { name: 'Other request' }).waitFor();
    assert.deepEqual(sent, []);
  },
);

inBrowser('a request that another approver decides keeps the reason that was being written', async () => {
  await using server = await tests.serve();
  void ask(server, { args: draft, id: 'contested', summary: 'Contested request' });
  const { page } = await tests.browser.open(`${server.url}/inbox`);
  const sent = decisionsOf(page);
  await button(page, /^Deny/).click();
  await page.getByLabel('Why not?').fill('Not on a Friday');
  await decideElsewhere(server, 'contested', { decision: 'approved', scope: 'once' });
  await page.getByText('local decided this request first: approved. Nothing was sent.').waitFor();
  assert.equal(await page.getByLabel('Why not?').inputValue(), 'Not on a Friday');
  assert.equal(await button(page, /^Deny this call/).count(), 0);
  assert.deepEqual(sent, []);
});

inBrowser('a draft in the chat outlives the run that asked', async () => {
  await using server = await tests.serve();
  const { page } = await tests.browser.open(`${server.url}/chat`);
  await page.getByLabel('Message to the agent').fill('When should I fly?');
  await page.keyboard.press('Enter');
  await button(page, /^Edit/).click();
  await page.getByLabel('title').fill('My own title');
  const { items } = (await (await fetch(`${server.url}/v1/approvals`)).json()) as {
    items: readonly { readonly id: string }[];
  };
  await decideElsewhere(server, items[0]?.id ?? '', { decision: 'denied' });
  await page.getByText('local decided this request first: denied. Nothing was sent.').waitFor();
  await page.getByText('At work').waitFor({ state: 'detached' });
  assert.equal(await page.getByLabel('title').inputValue(), 'My own title');
});
