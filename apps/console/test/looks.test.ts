import { missingBrowser, openBrowser } from '@ravi/test-browser';
import type { TestBrowser } from '@ravi/test-browser';
import { afterAll, beforeAll, test } from 'vitest';
import { furnish } from './support/furnish.ts';
import type { Furnished } from './support/furnish.ts';
import { installPage } from './support/installed-page.ts';
import { checkLooks } from './support/looks.ts';
import { startRealServer } from './support/real-server.ts';
import type { RealServer } from './support/real-server.ts';

/** Every page over data of the real server: where it lies, and a text that it shows once it has everything. */
const pages: readonly (readonly [name: string, pathOf: (at: Furnished) => string, text: string])[] = [
  ['runs', () => '/runs', 'When should I fly? Publish a report.'],
  ['run', ({ runId }) => `/runs/${runId}`, 'publish_report'],
  ['run-failed', ({ failedId }) => `/runs/${failedId}?view=script`, 'Adds up what is not there'],
  ['run-console', ({ runId }) => `/runs/${runId}?view=console`, 'There is no column'],
  ['run-artifacts', ({ runId }) => `/runs/${runId}?view=artifacts`, 'text/markdown'],
  ['run-prompts', ({ runId }) => `/runs/${runId}?view=prompts`, 'Tool definitions'],
  ['run-question', ({ askingId }) => `/runs/${askingId}`, 'Which seat do you want?'],
  ['run-wide', ({ wideId }) => `/runs/${wideId}`, 'weigh'],
  ['inbox', () => '/inbox', 'Launch to Proxima'],
  ['inbox-decided', () => '/inbox?view=decided', 'approved'],
  ['agents', () => '/agents', 'default'],
  ['tools', () => '/tools', 'publish_report'],
  ['saved-scripts', () => '/tools?view=scripts', 'weigh_three'],
  ['skills', () => '/tools?view=skills', 'kits/typo.yaml:4: no tool is named or matches "lunch"; did you mean launch?'],
  ['tool', () => '/tools/publish_report', 'Publishes a report in Markdown'],
  ['tool-stub', () => '/tools/publish_report?view=stub', 'Promise'],
  ['artifacts', () => '/artifacts', 'text/markdown'],
  ['artifact', ({ reportRef }) => `/artifacts/${reportRef}`, 'Fly at 5:00'],
  ['jobs', () => '/jobs', 'No job yet'],
  ['channels', () => '/channels', 'No channel yet'],
  ['memories', () => '/memories', 'Nothing is remembered'],
  ['triggers', () => '/triggers', '30 9 * * MON-FRI in Europe/Berlin'],
  ['trigger', ({ scheduleId }) => `/triggers/${scheduleId}`, 'It has not fired yet'],
  ['budgets', () => '/budgets', 'Tokens today'],
  ['queue', () => '/queue', 'engine-memory'],
  ['settings', () => '/settings', '@ravi/sandbox-isolated-vm'],
  ['chat', () => '/chat', 'What should the agent do?'],
  ['chat-session', ({ sessionId }) => `/chat/${sessionId}`, 'The script returned'],
  ['not-found', () => '/nowhere', 'There is nothing at this address'],
];

const inBrowser = missingBrowser === undefined ? test : test.skip;
const stack = new AsyncDisposableStack();
let browser: TestBrowser;
let server: RealServer;
let furnished: Furnished;

beforeAll(async () => {
  if (missingBrowser !== undefined) return;
  await installPage();
  server = stack.use(await startRealServer());
  furnished = await furnish(server.url);
  browser = stack.use(await openBrowser());
});
afterAll(() => stack.disposeAsync());

for (const [name, pathOf, text] of pages) {
  inBrowser(`${name} has no barrier, error or sideways scrolling in either theme, wide and narrow`, async () => {
    const opened = await browser.open(`${server.url}${pathOf(furnished)}`);
    try {
      await opened.page.getByText(text).first().waitFor();
      await checkLooks(opened, name);
    } finally {
      await opened.page.context().close();
    }
  });
}
