import assert from 'node:assert/strict';
import { missingBrowser, openBrowser } from '@ravi/test-browser';
import { beforeAll, test } from 'vitest';
import { installPage } from './support/installed-page.ts';
import { startRealServer } from './support/real-server.ts';

const inBrowser = missingBrowser === undefined ? test : test.skip;
// Real work on a machine that may be busy with other tests.
const patienceMs = 60_000;

beforeAll(async () => {
  if (missingBrowser === undefined) await installPage();
}, 300_000);

inBrowser('a person reads, sends into and deletes a channel, and erases what agents remember', async () => {
  const toolSource = [{ use: '@ravi/tools-memory', trustAgents: true }];
  await using server = await startRealServer({ plugins: { toolSource } });
  await using browser = await openBrowser();
  const post = (path: string, body: object): Promise<Response> =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await post('/v1/channels/team/messages', { message: { seats: ['12A'] } });
  for (const text of ['Grace likes tea <img src=x>', 'Tom likes milk']) {
    const { status } = await post('/v1/tools/remember', { args: { text } });
    assert.equal(status, 200);
  }
  const { page, errors } = await browser.open(`${server.url}/channels`);
  page.setDefaultTimeout(patienceMs);
  await page.getByRole('link', { name: 'team', exact: true }).click();
  await page.getByText('"seats"').waitFor();
  await page.getByLabel('Message', { exact: true }).fill('From the console');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('cell', { name: 'From the console' }).waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete all messages' }).click();
  await page.getByText('No channel yet').waitFor();

  await page.getByRole('link', { name: 'Memories' }).click();
  await page.getByText('Tom likes milk').waitFor();
  await page.getByText('Grace likes tea <img src=x>').waitFor();
  await page.getByLabel(/Search memories/).fill('MILK');
  await page.getByText('Grace likes tea').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /Delete the memory Tom/ }).click();
  await page.getByRole('alertdialog', { name: 'Delete this memory?' }).getByText(/Tom/).waitFor();
  await page.getByRole('button', { name: 'Keep it' }).click();
  const kept = (await (await fetch(`${server.url}/v1/memories`)).json()) as { items: readonly unknown[] };
  assert.equal(kept.items.length, 2);
  await page.getByRole('button', { name: /Delete the memory Tom/ }).click();
  await page.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByText('Nothing was found').waitFor();
  const left = (await (await fetch(`${server.url}/v1/memories`)).json()) as { items: readonly { text: string }[] };
  assert.deepEqual(
    left.items.map(({ text }) => text),
    ['Grace likes tea <img src=x>'],
  );
  assert.deepEqual(errors, []);
});
