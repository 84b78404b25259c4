import assert from 'node:assert/strict';
import { ask, button, inBrowser, openBrowserTests } from './support/browser-tests.ts';

const tests = openBrowserTests();

const schema = {
  type: 'object',
  properties: {
    city: { type: 'string', title: 'City', description: 'Where the journey ends', minLength: 2 },
    nights: { type: 'integer', minimum: 1, default: 2 },
    room: {
      type: 'string',
      oneOf: [
        { const: 's', title: 'Single' },
        { const: 'd', title: 'Double' },
      ],
    },
    extras: { type: 'array', items: { type: 'string', enum: ['wifi', 'bath'] } },
  },
  required: ['city', 'room'],
};

inBrowser('a form of a running call is filled in and sent from the inbox', async () => {
  await using server = await tests.serve();
  const result = ask(server, { tool: 'travel', elicitation: { mode: 'form', message: 'Where to?', schema } });
  const { page } = await tests.browser.open(`${server.url}/inbox`);
  const card = page.getByRole('article', { name: 'travel asks for input' });
  await card.getByRole('heading', { name: 'Where to?' }).waitFor();
  assert.equal(await button(page, /^(?:Approve|For this run|Edit)/).count(), 0, 'it does not ask for permission');
  // The browser checks required fields before anything is sent.
  await card.getByRole('button', { name: 'Send answer' }).click();
  assert.equal(await card.getByLabel('City').evaluate((field: HTMLInputElement) => field.validity.valueMissing), true);
  await card.getByLabel('City').fill('Oslo');
  assert.equal(await card.getByLabel(/nights/).inputValue(), '2');
  await card.getByLabel('room').selectOption({ label: 'Double' });
  await card.getByLabel('bath').check();
  await card.getByRole('button', { name: 'Send answer' }).click();
  const { decision, content } = await result;
  assert.deepEqual(
    { decision, content },
    { decision: 'approved', content: { city: 'Oslo', nights: 2, room: 'd', extras: ['bath'] } },
  );
});

inBrowser('a page shows its host, opens without a way back, and can be declined', async () => {
  await using server = await tests.serve();
  const url = 'https://example.org/sign-in?state=1';
  const result = ask(server, { tool: 'mail', elicitation: { mode: 'url', message: 'Sign in to your mail', url } });
  const { page } = await tests.browser.open(`${server.url}/inbox`);
  const link = page.getByRole('link', { name: /Open example\.org/ });
  await link.waitFor();
  const attributes = ['href', 'target', 'rel'].map((name) => link.getAttribute(name));
  assert.deepEqual(await Promise.all(attributes), [url, '_blank', 'noopener noreferrer']);
  await button(page, /^Decline/).click();
  assert.equal((await result).decision, 'denied');
});
