import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { missingBrowser, openBrowser } from '@ravi/test-browser';
import type { BrowserPage, TestBrowser } from '@ravi/test-browser';
import { afterAll, beforeAll, test } from 'vitest';
import { openApiDouble } from './support/api-double.ts';
import { askForEverything, createAnswerCheck } from './support/api-document.ts';
import type { ApiDocument, Ask } from './support/api-document.ts';
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
  if (missingBrowser === undefined) await installPage();
  server = stack.use(await startRealServer());
  if (missingBrowser !== undefined) return;
  browser = stack.use(await openBrowser());
});
afterAll(() => stack.disposeAsync());

async function open(path: string): Promise<BrowserPage> {
  const opened = await browser.open(`${server.url}${path}`);
  opened.page.setDefaultTimeout(patienceMs);
  return opened;
}

async function startRun(page: Page, kind: 'Task for an agent' | 'Script', text: string): Promise<void> {
  await page.getByRole('button', { name: 'New run' }).click();
  await page.getByRole('button', { name: kind }).click();
  await page.getByRole('dialog').getByRole('textbox').fill(text);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
}

/** Holds every request until this many have arrived. */
function barrier(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let missing = count;
  return () => {
    missing -= 1;
    if (missing === 0) resolve();
    return promise;
  };
}

inBrowser('from a task over an edited approval to a report whose bytes are those that the tool wrote', async () => {
  const { page, errors } = await open('/');
  await startRun(page, 'Task for an agent', 'When should I fly?');
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
  await page.getByText('The script returned').first().waitFor();
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

inBrowser(
  'in the chat a report is denied with a reason, over a restart, and the answer of the agent tells it',
  async () => {
    const { page } = await open('/chat');
    await page.getByLabel('Message to the agent').fill('When should I fly?');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /Write "When to fly"/ }).waitFor();
    const said = await page.locator('.chat-main .block-text').allTextContents();
    assert.equal(new Set(said).size, said.length, `a text is shown twice: ${said.join(' | ')}`);
    const conversations = page.getByRole('navigation', { name: 'Conversations' });
    await conversations.getByRole('link', { name: 'When should I fly?' }).first().waitFor();
    await server.end('SIGTERM');
    await page.getByText('Connection lost').waitFor();
    await page.setViewportSize({ width: 390, height: 900 });
    await page.getByRole('banner').getByText('Offline').waitFor();
    await page.setViewportSize({ width: 1_280, height: 900 });
    await server.restart();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Deny/ }).click();
    await page.getByLabel('Why not?').fill('Not before the pilots agree');
    await page.getByRole('button', { name: 'Deny this call' }).click();
    await page.getByText('The script returned').waitFor();
    await page
      .getByText(/not published: .*Not before the pilots agree/)
      .last()
      .waitFor();
    await page.getByRole('link', { name: 'Run', exact: true }).last().click();
    await page
      .locator('[data-kind="nested"]')
      .filter({ hasText: 'publish_report' })
      .getByText('denied', { exact: true })
      .waitFor();
  },
);

inBrowser('a question of the agent is answered in the chat, after a reload, and the agent continues', async () => {
  const { page } = await open('/chat');
  await page.getByLabel('Message to the agent').fill('Ask me where to sit');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByLabel('Which seat do you want?').waitFor();
  await page.reload();
  await page.getByText('Waits for your answer').waitFor();
  await page.getByRole('button', { name: 'Aisle' }).click();
  await page.getByRole('button', { name: 'Answer' }).click();
  await page.getByText('The seat at the aisle is yours.').waitFor();
  assert.equal(await page.getByLabel('Which seat do you want?').count(), 0);
});

inBrowser('a question of a sub-agent is shown with its name, on the page of the run and in the chat', async () => {
  const { page } = await open('/chat');
  for (const place of ['chat', 'run'] as const) {
    await page.goto(`${server.url}/chat`);
    await page.getByLabel('Message to the agent').fill('Let the steward ask me');
    await page.getByRole('button', { name: 'Send' }).click();
    const form = page.getByRole('form', { name: 'The agent asks' });
    await form.getByText('The sub-agent steward asks').waitFor();
    const ownRun = await form.getByRole('link', { name: 'steward' }).getAttribute('href');
    if (place === 'run') {
      await page.getByRole('link', { name: 'Watch the run' }).click();
      await page.waitForURL('**/runs/run_*');
      assert.notEqual(new URL(page.url()).pathname, ownRun);
      await form.getByText('The sub-agent steward asks').waitFor();
    }
    await form.getByRole('button', { name: 'Aisle' }).click();
    await form.getByRole('button', { name: 'Answer' }).click();
    await page.getByText('The steward says: The seat at the aisle is yours.').first().waitFor();
    await form.waitFor({ state: 'detached' });
  }
});

inBrowser('console output of a script is shown while it runs', async () => {
  const { page } = await open('/runs');
  await startRun(
    page,
    'Script',
    `// Counts down
    console.warn('three, two, one');
    export default await tools.launch({ target: 'pluto' });`,
  );
  await page.getByRole('heading', { name: 'Launch to pluto' }).waitFor();
  await page.getByRole('tab', { name: 'Console' }).click();
  await page.getByRole('log').getByText('three, two, one').waitFor();
  await page.getByRole('button', { name: 'Cancel run' }).click();
  await page.getByText('cancelled', { exact: true }).first().waitFor();
  await page.getByRole('heading', { name: 'Launch to pluto' }).waitFor({ state: 'detached' });
});

inBrowser('an approval for the run covers its later calls of the tool', async () => {
  const { page } = await open('/runs');
  await startRun(
    page,
    'Script',
    `// Two planets
    await tools.launch({ target: 'mars' });
    await tools.launch({ target: 'venus' });
    export default 'both launched';`,
  );
  await page.getByRole('heading', { name: 'Launch to mars' }).waitFor();
  await page.getByRole('button', { name: 'For this run' }).click();
  await page.getByText('both launched').first().waitFor();
  const later = page.locator('[data-kind="nested"]').filter({ hasText: 'launch' }).nth(1);
  await later.getByRole('button').click();
  await later.getByText('run-scope').waitFor();
});

inBrowser('of two browsers that decide at the same moment exactly one does, and the other learns of it', async () => {
  const first = await open('/runs');
  await startRun(first.page, 'Script', `// One moon\nexport default await tools.launch({ target: 'moon' });`);
  await first.page.getByRole('heading', { name: 'Launch to moon' }).waitFor();
  const second = await open(new URL(first.page.url()).pathname);
  const pages = [first.page, second.page];
  const bothHaveSent = barrier(pages.length);
  for (const page of pages) {
    await page.route('**/decision', async (route) => {
      await bothHaveSent();
      await route.continue();
    });
  }
  const answers = await Promise.all(
    pages.map(async (page) => {
      const answered = page.waitForResponse('**/decision');
      await page.getByRole('button', { name: /^Approve/ }).click();
      return { page, status: (await answered).status() };
    }),
  );
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((left, right) => left - right),
    [200, 409],
  );
  const told = answers.find(({ status }) => status === 409);
  await told?.page
    .getByText(/decided first: this request is approved/)
    .first()
    .waitFor();
  for (const page of pages) await page.getByText('launched to moon').first().waitFor();
});

inBrowser('a run outlives a killed and a stopped server, and its page too', async () => {
  const { page } = await open('/runs');
  await startRun(
    page,
    'Script',
    `// Two moons
    const first = await tools.launch({ target: 'phobos' });
    const second = await tools.launch({ target: 'deimos' });
    export default [first, second];`,
  );
  for (const [target, signal] of [
    ['phobos', 'SIGKILL'],
    ['deimos', 'SIGTERM'],
  ] as const) {
    await page.getByRole('heading', { name: `Launch to ${target}` }).waitFor();
    await server.end(signal);
    await page.getByText('Connection lost').waitFor();
    await server.restart();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Approve/ }).click();
  }
  const result = page.getByRole('region', { name: 'Result' });
  await result.getByText(/launched to phobos/).waitFor();
  await result.getByText(/launched to deimos/).waitFor();
});

inBrowser('of the rows of 500 calls only those in sight are in the document, and the last can be reached', async () => {
  const { page } = await open('/runs');
  await startRun(
    page,
    'Script',
    `// Five hundred things
    const weights = await Promise.all(Array.from({ length: 500 }, (_, thing) => tools.weigh({ thing })));
    export default weights.reduce((sum, { grams }) => sum + grams, 0);`,
  );
  await page.getByRole('region', { name: 'Result' }).getByText('1247500').waitFor();
  const rows = page.locator('.waterfall li');
  await page.locator('[aria-setsize="500"]').first().waitFor();
  assert.ok((await rows.count()) < 100, `${await rows.count()} rows`);
  await page.keyboard.press('End');
  const last = page.locator('[aria-posinset="500"]');
  await last.getByRole('button').click();
  await last.getByRole('region', { name: 'Arguments of weigh' }).waitFor();
});

test('the server and the double that other tests use answer as the document of the server says', async () => {
  const atServer: Ask = (path, init) => fetch(`${server.url}${path}`, init);
  const document = (await (await atServer('/v1/openapi.json')).json()) as ApiDocument;
  const post = (body: object, method = 'POST'): RequestInit => ({
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const stored = await atServer(
    '/v1/runs',
    post({ kind: 'chain', code: `await tools.open_dataset({ name: 'airports' })` }),
  );
  const { id: storedId } = (await stored.json()) as { readonly id: string };
  // The stream ends with the run.
  await (await atServer(`/v1/runs/${storedId}/events`)).text();
  const snippet = { description: 'Weighs one thing.', code: 'export default await tools.weigh({ thing: 1 });' };
  await atServer('/v1/snippets/weigh_one', post(snippet, 'PUT'));
  await atServer('/v1/channels/news/messages', post({ message: 'Seats are open' }));
  const double = openApiDouble();
  const checks = [
    createAnswerCheck(document, atServer),
    createAnswerCheck(document, async (path, init) => double.app.request(path, init)),
  ];
  try {
    for (const check of checks) {
      const task = post({ kind: 'agent', task: 'Ask me where to sit' });
      const run = (await check.ask('/v1/runs', task)) as { readonly id: string };
      await askForEverything(check);
      await check.ask(`/v1/runs/${run.id}/cancel`, post({}));
    }
  } finally {
    double.close();
  }
  assert.deepEqual(checks[1]?.asked, checks[0]?.asked);
});
