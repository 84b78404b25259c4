import { createApprovalRequest } from '@ravi/testkit';
import { inBrowser, openBrowserTests } from './support/browser-tests.ts';
import type { ConsoleServer } from './support/console-server.ts';
import { checkLooks } from './support/looks.ts';

/** Pages over data that a real server does not have: their names, paths, and a text that appears last. */
const pages = [
  ['chat-two-alike', '/chat/session-1', 'Refund 40.00 € of order A-17'],
  ['inbox-two', '/inbox', 'Publish “When to fly” for the team'],
  ['tools-many', '/tools', '602 tools'],
  ['artifact-table', '/artifacts/art_rows', 'carrier'],
  ['artifact-csv', '/artifacts/art_airports', 'John F Kennedy'],
  ['artifact-tree', '/artifacts/art_settings', 'quiet'],
  ['artifact-image', '/artifacts/art_chart', 'image/svg+xml'],
  ['artifact-pdf', '/artifacts/art_paper', 'application/pdf'],
  ['artifact-none', '/artifacts/art_archive', 'There is no preview'],
  ['jobs-many', '/jobs', 'every day at 06:00'],
  ['channels-some', '/channels', 'team-flights'],
  ['channel', '/channels/team-flights', 'The second leg is fully booked'],
  ['memories-some', '/memories', 'Grace sits at the window'],
  ['queue-busy', '/queue', 'process_99ffee'],
  ['budgets-full', '/budgets', 'Calls by the largest script (maxScriptCalls) of run-flights-7f3a'],
] as const;

let server: ConsoleServer;

const tests = openBrowserTests(async ({ serve }, stack) => {
  server = stack.use(await serve());
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
  for (const id of ['approval-3', 'approval-4']) {
    void server.api.ask(
      createApprovalRequest({
        id,
        sessionId: 'session-1',
        tool: 'refund_order',
        summary: 'Refund 40.00 € of order A-17',
        args: { order: 'A-17', cents: 4_000 },
        requestedAt,
        expiresAt: requestedAt + 3_600_000,
      }),
    );
  }
});

for (const [name, path, text] of pages) {
  inBrowser(`${name} has no barrier, error or sideways scrolling in either theme, wide and narrow`, async () => {
    const opened = await tests.browser.open(`${server.url}${path}`);
    try {
      await opened.page.getByText(text).first().waitFor();
      await checkLooks(opened, name);
    } finally {
      await opened.page.context().close();
    }
  });
}
