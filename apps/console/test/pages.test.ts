import assert from 'node:assert/strict';
import { join } from 'node:path';
import { createApprovalRequest } from '@ravi/testkit';
import { accessibilityProblems, missingBrowser, openBrowser } from '@ravi/test-browser';
import type { TestBrowser } from '@ravi/test-browser';
import { afterAll, beforeAll, test } from 'vitest';
import { buildPage } from './support/built-page.ts';
import { startConsoleServer } from './support/console-server.ts';
import type { ConsoleServer } from './support/console-server.ts';

const screenshots = join(import.meta.dirname, '../../../artifacts/console');

/** Every page by its name, where it lies, and a text that it shows once it has everything. */
const pages = [
  ['runs', '/runs', 'When should I fly? Publish a report.'],
  ['run', '/runs/run-flights-7f3a', 'publish_report'],
  ['run-script', '/runs/run-invoices-19c2?view=script', 'list_invoices'],
  ['run-console', '/runs/run-flights-7f3a?view=console', '703 earthquakes'],
  ['run-artifacts', '/runs/run-flights-7f3a?view=artifacts', 'text/markdown'],
  ['run-prompts', '/runs/run-flights-7f3a?view=prompts', 'System prompt'],
  ['inbox', '/inbox', 'Publish “When to fly” for the team'],
  ['inbox-decided', '/inbox?view=decided', 'Nothing has been decided yet'],
  ['tools', '/tools', '602 tools'],
  ['tool', '/tools/publish_report', 'Stands above the report.'],
  ['tool-stub', '/tools/publish_report?view=stub', 'Promise'],
  ['artifacts', '/artifacts', 'application/pdf'],
  ['artifact-text', '/artifacts/art_report', 'Fly at 6:00'],
  ['artifact-table', '/artifacts/art_rows', 'carrier'],
  ['artifact-csv', '/artifacts/art_airports', 'John F Kennedy'],
  ['artifact-tree', '/artifacts/art_settings', 'quiet'],
  ['artifact-image', '/artifacts/art_chart', 'image/svg+xml'],
  ['artifact-pdf', '/artifacts/art_paper', 'application/pdf'],
  ['artifact-none', '/artifacts/art_archive', 'There is no preview'],
  ['jobs', '/jobs', 'every day at 06:00'],
  ['budgets', '/budgets', 'Tokens today'],
  ['settings', '/settings', '@ravi/state-sqlite'],
  ['chat', '/chat', 'What shall be done?'],
  ['chat-session', '/chat/session-1', 'Fly at 6:00: only 4 % of the flights are late then.'],
  ['not-found', '/nowhere', 'There is nothing at this address'],
] as const;

const looks = (['light', 'dark'] as const).flatMap((theme) => [1_280, 390].map((width) => ({ theme, width })));

const sidewaysPixels = 'scrollTo(10_000, 0), scrollX';

const inBrowser = missingBrowser === undefined ? test : test.skip;
const stack = new AsyncDisposableStack();
let browser: TestBrowser;
let server: ConsoleServer;

beforeAll(async () => {
  if (missingBrowser !== undefined) return;
  const { folder } = stack.use(await buildPage());
  browser = stack.use(await openBrowser());
  server = stack.use(await startConsoleServer({ folder }));
  const requestedAt = Date.now();
  void server.api.ask(
    createApprovalRequest({
      id: 'approval-1',
      runId: 'run-waiting',
      tool: 'publish_report',
      summary: 'Publish “When to fly” for the team',
      args: { title: 'When to fly', markdown: 'Fly at **6:00**,\nnot at 20:00.', audience: 'team', copies: 2 },
      requestedAt,
      expiresAt: requestedAt + 3_600_000,
    }),
  );
  void server.api.ask(
    createApprovalRequest({
      id: 'approval-2',
      runId: 'run-waiting',
      tool: 'archive_customer_11',
      risk: 'critical',
      summary: 'Archive the customer “Pelican Freight”, with 212 orders',
      args: { customer: { id: 'c-7712', name: 'Pelican Freight' }, reason: 'duplicate' },
      requestedAt,
      expiresAt: requestedAt + 900_000,
    }),
  );
}, 60_000);
afterAll(() => stack.disposeAsync());

for (const [name, path, text] of pages) {
  inBrowser(`${name} has no barrier, error or sideways scrolling in either theme, wide and narrow`, async () => {
    const { page, errors } = await browser.open(`${server.url}${path}`);
    try {
      await page.getByText(text).first().waitFor();
      for (const { theme, width } of looks) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
        await page.screenshot({ path: join(screenshots, `${name}-${theme}-${width}.png`), fullPage: name !== 'tools' });
        assert.deepEqual(await accessibilityProblems(page), [], `${theme}, ${width} pixels`);
        assert.equal(await page.evaluate(sidewaysPixels), 0, `${width} pixels are too few`);
      }
      assert.deepEqual(errors, []);
    } finally {
      await page.context().close();
    }
  });
}
