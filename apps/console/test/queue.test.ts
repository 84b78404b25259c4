import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createClient } from '@ravi/client';
import { missingBrowser, openBrowser } from '@ravi/test-browser';
import type { BrowserPage, TestBrowser } from '@ravi/test-browser';
import { afterAll, beforeAll, test } from 'vitest';
import { installPage } from './support/installed-page.ts';
import { checkLooks } from './support/looks.ts';
import { startRealServer } from './support/real-server.ts';

type Page = BrowserPage['page'];

const inBrowser = missingBrowser === undefined ? test : test.skip;
const stack = new AsyncDisposableStack();
// Real work on a machine that may be busy with other tests.
const patienceMs = 60_000;
let browser: TestBrowser;

beforeAll(async () => {
  if (missingBrowser !== undefined) return;
  await installPage();
  browser = stack.use(await openBrowser());
}, 300_000);
afterAll(() => stack.disposeAsync());

const hold = `export default {
  name: 'hold', description: 'Works until its call is cancelled.', risk: 'safe', inputSchema: { type: 'object' },
  execute: (_args, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
};`;

/** Waits until a figure of the page has this value and note. */
async function figure(page: Page, name: string, value: string, note: RegExp): Promise<void> {
  const shown = page.locator('.figures > div').filter({ has: page.getByText(name, { exact: true }) });
  await shown.getByText(value, { exact: true }).waitFor();
  await shown.getByText(note).waitFor();
}

inBrowser('the queue shows a run that waits, its principal and the process, until the run is cancelled', async () => {
  const changes = { tools: ['./more'], runs: { slots: { agents: 2, scripts: 1 } } };
  await using server = await startRealServer(changes, { 'more/hold.mjs': hold });
  const { runs, queue } = createClient({ baseUrl: server.url });
  // One begins at once, the engine gives the second one to the server, and the third waits.
  const started: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    started.push((await runs.start({ kind: 'chain', code: 'await tools.hold({})' })).id);
  }
  const opened = await browser.open(`${server.url}/runs`);
  const { page, errors } = opened;
  page.setDefaultTimeout(patienceMs);
  await page.getByText('queued', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Queue', exact: true }).click();
  await page.getByRole('heading', { name: 'Queue', exact: true }).waitFor();
  await figure(page, 'Waiting', '1', /^the oldest for \d/);
  await figure(page, 'Taken', '1', /handed to servers/);
  await figure(page, 'Agents here', '0', /^2 slots on/);
  await figure(page, 'Scripts here', '2', /^1 slot on/);
  await page.getByText('Each server counts its own runs.').waitFor();
  const row = page.getByRole('region', { name: 'Principals' }).getByRole('row', { name: /^local/ });
  assert.deepEqual(await row.getByRole('cell').allTextContents(), ['local', '1', '1']);
  const process = page.getByRole('region', { name: 'Processes' }).getByRole('row', { name: /^alive/ });
  await process.getByText(server.url).waitFor();
  await checkLooks(opened, 'queue-waiting');

  for (const id of started) await runs.cancel(id);
  await page.getByText('No run waits').waitFor();
  await figure(page, 'Scripts here', '0', /^1 slot on/);
  assert.equal((await queue.get()).runs.ready, 0);
  assert.deepEqual(errors, []);
});

inBrowser('the figures of a server that has ended give way to the error, and come back with it', async () => {
  await using server = await startRealServer();
  const { page } = await browser.open(`${server.url}/queue`);
  page.setDefaultTimeout(patienceMs);
  await page.getByText('No run waits').waitFor();
  await server.end('SIGKILL');
  await page.getByRole('button', { name: 'Try again' }).first().waitFor();
  await page.getByText('No run waits').waitFor({ state: 'detached' });
  await server.restart();
  await page.getByText('No run waits').waitFor();
});

inBrowser('a caller who is not an admin has no link to the queue, and the page shows the refusal', async () => {
  const token = 'token-of-ada-0123456789abcdefghijkl';
  const tokenSha256 = createHash('sha256').update(token).digest('hex');
  await using server = await startRealServer({
    server: { tokens: [{ principal: 'ada', roles: ['run', 'approve'], tokenSha256 }] },
  });
  const { page } = await browser.open(`${server.url}/queue`);
  page.setDefaultTimeout(patienceMs);
  await page.getByLabel('Your token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('E_FORBIDDEN').first().waitFor();
  await page.getByText('run, approve').waitFor();
  assert.equal(await page.getByRole('link', { name: 'Queue', exact: true }).count(), 0);
  assert.equal(await page.getByRole('link', { name: 'Budgets' }).count(), 1);
});
