import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createApprovalRequest } from '@ravi/testkit';
import { inBrowser, openBrowserTests } from './support/browser-tests.ts';
import type { Page } from './support/browser-tests.ts';
import type { ConsoleServer } from './support/console-server.ts';
import { bigArtifact, bigRows } from './support/contents.ts';
import { finishedRun } from './support/runs.ts';

const maxElements = 5_000;
const maxCharacters = 1_200_000;
let server: ConsoleServer;

const tests = openBrowserTests(async ({ serve }, stack) => {
  server = stack.use(await serve());
});

async function openPage(path: string): Promise<Page> {
  const { page } = await tests.browser.open(`${server.url}${path}`);
  page.setDefaultTimeout(60_000);
  return page;
}

/** Checks that the document is small, because the time to lay out a page grows with its elements and its text. */
async function checkBounded(page: Page): Promise<void> {
  const [elements, characters] = await page.evaluate<[number, number]>(
    '[document.querySelectorAll("*").length, document.body.textContent.length]',
  );
  assert.ok(elements < maxElements, `${elements} elements`);
  assert.ok(characters < maxCharacters, `${characters} characters`);
}

inBrowser('a result of 12.9 MB opens as a tree whose last entry can be reached', async () => {
  server.api.addRun({ ...finishedRun, id: 'run-big', outcome: { result: { rows: [...bigRows] } } });
  const page = await openPage('/runs/run-big');
  const result = page.getByRole('region', { name: 'Value' });
  await result.locator('summary').first().waitFor();
  await checkBounded(page);
  await result.locator('summary').filter({ hasText: 'rows: ' }).last().click();
  for (const last of ['80000 … 85999', '85900 … 85999', '85999: ']) {
    await result.locator('summary').filter({ hasText: last }).last().click();
  }
  await result.getByText('"Zürich 85999"', { exact: true }).waitFor();
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download JSON' }).click();
  const file = await readFile(await (await downloading).path(), 'utf8');
  assert.equal(file, JSON.stringify({ rows: bigRows }));
  await checkBounded(page);
});

inBrowser('an artifact of 12.9 MB opens as a table, a tree and a text, each part of which can be reached', async () => {
  const page = await openPage(`/artifacts/${bigArtifact.ref}`);
  await page.getByRole('tab', { name: 'Table' }).waitFor();
  await page.getByText('Zürich 199').first().waitFor();
  await page.getByRole('tab', { name: 'Tree' }).click();
  await page.getByText('80000 … 85999').waitFor();
  await checkBounded(page);
  await page.getByRole('tab', { name: 'Text' }).click();
  const json = JSON.stringify(bigRows);
  const preview = page.getByRole('region', { name: 'Preview' });
  const parts = Math.ceil(bigArtifact.bytes / 100_000);
  let joined = '';
  for (const part of [1, 2, 3]) {
    await page.getByLabel('Part', { exact: false }).first().waitFor();
    await page.getByRole('spinbutton').fill(String(part));
    await preview.filter({ hasText: json.slice(joined.length, joined.length + 40) }).waitFor();
    joined += await preview.evaluate((element) => element.textContent);
  }
  assert.equal(joined, json.slice(0, joined.length));
  await page.getByRole('spinbutton').fill(String(parts));
  await preview.filter({ hasText: json.slice(-60) }).waitFor();
  await checkBounded(page);
});

inBrowser('long arguments are shown in parts, and Approve is enabled once each has been opened', async () => {
  const rows = bigRows.slice(0, 1_000).map(({ id, name }) => ({ id, name }));
  const args = { note: 'x'.repeat(12_900_000), rows };
  const requestedAt = Date.now();
  const decision = server.api.ask(
    createApprovalRequest({ id: 'big', summary: 'Big', args, requestedAt, expiresAt: requestedAt + 600_000 }),
  );
  const page = await openPage('/inbox');
  const approve = page.getByRole('button', { name: /^Approve/ });
  await page.getByRole('button', { name: /^Show all in 17 parts/ }).click();
  await checkBounded(page);
  let shown = '';
  for (let part = 1; part <= 17; part += 1) {
    assert.equal(await approve.getAttribute('aria-disabled'), 'true');
    await page.getByRole('spinbutton').fill(String(part));
    await page.locator(`.pager input[value="${part}"]`).waitFor();
    shown += await page
      .locator('.shown-row')
      .evaluateAll((elements) => elements.map((element) => element.textContent ?? '').join(''));
    await checkBounded(page);
  }
  assert.deepEqual(JSON.parse(shown), args);
  await approve.click();
  assert.equal((await decision).decision, 'approved');
});
