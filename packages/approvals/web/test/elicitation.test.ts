import assert from 'node:assert/strict';
import { inBrowser, startFileBrowser } from './support/browser-test.ts';
import { button, cardOf } from './support/page.ts';
import { startApprovalServer } from './support/server.ts';

const browser = startFileBrowser();

inBrowser('a form of a running call is filled in, and a page is opened by its host', async () => {
  await using server = await startApprovalServer();
  const page = await browser.openSignedIn(server);
  const schema = {
    type: 'object',
    properties: {
      city: { type: 'string', title: 'City', minLength: 2 },
      nights: { type: 'integer' },
      extras: { type: 'array', items: { type: 'string', enum: ['wifi', 'bath'] } },
    },
    required: ['city'],
  };
  const form = server.ask({ id: 'form', risk: 'safe', elicitation: { mode: 'form', message: 'Where to?', schema } });
  await cardOf(page, 'Where to?').waitFor();
  assert.equal(await button(page, 'Approve').count(), 0);
  await button(page, 'Send answer').click();
  assert.equal(await page.getByLabel('City').and(page.locator(':invalid')).count(), 1);
  await page.getByLabel('City').fill('Oslo');
  await page.getByLabel('nights (optional)').fill('2');
  await page.getByLabel('extras (optional)').selectOption(['bath']);
  await button(page, 'Send answer').click();
  const content = { city: 'Oslo', nights: 2, extras: ['bath'] };
  assert.deepEqual(await form, { decision: 'approved', content, approver: 'ada' });

  const url = 'https://example.org/in?state=1';
  const visit = server.ask({ id: 'visit', risk: 'safe', elicitation: { mode: 'url', message: 'Sign in', url } });
  const link = page.getByRole('link', { name: 'Open example.org' });
  await link.waitFor();
  assert.deepEqual([await link.getAttribute('href'), await link.getAttribute('rel')], [url, 'noopener noreferrer']);
  await button(page, 'Decline').click();
  await button(page, 'Decline the request').click();
  assert.equal((await visit).decision, 'denied');
});
