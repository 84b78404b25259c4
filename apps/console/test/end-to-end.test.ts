import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { missingBrowser, openBrowser } from '@ravi/test-browser';
import type { BrowserPage, TestBrowser } from '@ravi/test-browser';
import { afterAll, beforeAll, test } from 'vitest';
import { installPage } from './support/installed-page.ts';
import { startRealServer } from './support/real-server.ts';
import type { RealServer } from './support/real-server.ts';

type Page = BrowserPage['page'];

const inBrowser = missingBrowser === undefined ? test : test.skip;
const stack = new AsyncDisposableStack();
// Real work on a machine that may be busy with other tests.
const patienceMs = 60_000;
let browser: TestBrowser;
let server: RealServer;

beforeAll(async () => {
  if (missingBrowser !== undefined) return;
  await installPage();
  server = stack.use(await startRealServer());
  browser = stack.use(await openBrowser());
});
afterAll(() => stack.disposeAsync());

async function open(path: string): Promise<BrowserPage> {
  const opened = await browser.open(`${server.url}${path}`);
  opened.page.setDefaultTimeout(patienceMs);
  return opened;
}

async function startRun(page: Page, kind: 'Task for the agent' | 'Script', text: string): Promise<void> {
  await page.getByRole('button', { name: 'New run' }).click();
  await page.getByRole('button', { name: kind }).click();
  await page.getByRole('dialog').getByRole('textbox').fill(text);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
}

inBrowser('from a task over an edited approval to a report whose bytes are those that the tool wrote', async () => {
  const { page, errors } = await open('/');
  await startRun(page, 'Task for the agent', 'When should I fly?');
  await page.waitForURL('**/runs/run_*');
  const runUrl = page.url();

  await page.getByRole('link', { name: /Inbox/ }).click();
  await page.getByRole('heading', { name: /Write "When to fly"/ }).waitFor();
  await page.getByRole('button', { name: /^Edit/ }).click();
  await page.getByLabel('title').fill('When to fly in spring');
  await page.getByText('Your changes (1)').waitFor();
  await page.reload();
  await page.getByText('Your changes (1)').waitFor();
  await page.getByRole('button', { name: 'Approve with changes' }).click();
  await page.getByText('Nothing waits for your decision').waitFor();

  await page.goto(runUrl);
  await page.getByText('This is what the script came to').first().waitFor();
  await page.locator('[data-kind="chain"]').getByText('tool_chain').waitFor();
  const published = page.locator('[data-kind="nested"]').filter({ hasText: 'publish_report' });
  await published.getByRole('button').click();
  await published.getByText('modified').waitFor();

  await page.getByRole('tab', { name: /Artifacts/ }).click();
  await page.getByRole('link', { name: /text\/markdown/ }).click();
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download' }).click();
  const download = await downloading;
  const written = await readFile(join(server.dataFolder, 'reports/when-to-fly-in-spring.md'));
  assert.deepEqual(await readFile(await download.path()), written);
  assert.deepEqual(errors, []);
});
