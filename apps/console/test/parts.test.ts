import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createClient } from '@ravi/client';
import { missingBrowser, openBrowser } from '@ravi/test-browser';
import type { TestBrowser } from '@ravi/test-browser';
import { afterAll, beforeAll, test } from 'vitest';
import { installPage } from './support/installed-page.ts';
import { startRealServer } from './support/real-server.ts';

const inBrowser = missingBrowser === undefined ? test : test.skip;
const stack = new AsyncDisposableStack();
let browser: TestBrowser;

beforeAll(async () => {
  if (missingBrowser !== undefined) return;
  await installPage();
  browser = stack.use(await openBrowser());
});
afterAll(() => stack.disposeAsync());

inBrowser('a caller signs in, reads who it is, and signs out', async () => {
  const token = 'token-of-ada-0123456789abcdefghijkl';
  const tokenSha256 = createHash('sha256').update(token).digest('hex');
  await using server = await startRealServer({
    server: { tokens: [{ principal: 'ada', roles: ['run', 'approve'], tokenSha256 }] },
  });
  const { page } = await browser.open(`${server.url}/runs`);
  await page.getByLabel('Your token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('run, approve').waitFor();
  await page.getByText('ada', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to Ravi' }).waitFor();
});

inBrowser('with a handler that decides, the inbox says so, and the other pages work', async () => {
  await using server = await startRealServer({
    plugins: { approvalHandler: { use: '@ravi/approval-auto', rules: [] } },
  });
  const { page } = await browser.open(`${server.url}/inbox`);
  await page.getByText('@ravi/approval-auto (plugins.approvalHandler) decides approvals').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Runs' }).click();
  await page.getByRole('button', { name: 'New run' }).waitFor();
});

inBrowser('a page that cannot load says so, and loads when the server is back', async () => {
  await using server = await startRealServer();
  const { page } = await browser.open(`${server.url}/runs`);
  await page.getByRole('button', { name: 'New run' }).waitFor();
  await server.end('SIGKILL');
  await page.getByRole('link', { name: 'Budgets' }).click();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await server.restart();
  await page.getByText('Calls by models today').waitFor();
});

/** Fails twice. */
const flaky = `
let calls = 0;
export default {
  name: 'flaky', description: 'Fails twice.', risk: 'safe', inputSchema: { type: 'object' },
  async execute() {
    if (++calls < 3) throw Object.assign(new Error('The bank is busy'), { code: 'BUSY', retryable: true });
    return { content: [{ type: 'text', text: 'paid' }], isError: false };
  },
};`;

inBrowser('a call that was repeated shows its attempts', async () => {
  const changes = { tools: ['./more'], policy: { toolRetryDelayMs: 2 } };
  await using server = await startRealServer(changes, { 'more/flaky.mjs': flaky });
  const { id } = await createClient({ baseUrl: server.url }).runs.start({
    kind: 'chain',
    code: 'return await tools.flaky({})',
  });
  const { page } = await browser.open(`${server.url}/runs/${id}`);
  await page.getByText('3 attempts').click();
  await page.getByText('BUSY, The bank is busy').nth(1).waitFor();
  await page.getByText('no error').waitFor();
});

const pay = `
export default {
  name: 'pay', description: 'Pays.', risk: 'high', inputSchema: { type: 'object' },
  execute: async () => ({ content: [{ type: 'text', text: 'paid' }], isError: false }),
};`;

/** Waits for a result from outside. */
const deploy = `
export default {
  name: 'deploy', description: 'Deploys elsewhere.', risk: 'safe', inputSchema: { type: 'object' },
  execute: async (_args, context) => (await context.completion()).result,
};`;

inBrowser('a run shows the call that waits for its result from outside, until it is cancelled', async () => {
  await using server = await startRealServer({ tools: ['./more'] }, { 'more/deploy.mjs': deploy });
  const code = 'return await tools.deploy({})';
  const { id } = await createClient({ baseUrl: server.url }).runs.start({ kind: 'chain', code });
  const { page } = await browser.open(`${server.url}/runs/${id}`);
  const waiting = page.getByRole('region', { name: 'Results from outside' });
  await waiting.getByText('deploy').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).first().click();
  await waiting.waitFor({ state: 'detached' });
});

inBrowser('a message to a run that waits is listed, and read when the run continues', async () => {
  await using server = await startRealServer();
  const { runs } = createClient({ baseUrl: server.url });
  const { id } = await runs.start({ kind: 'agent', task: 'Ask me where to sit' });
  const { page } = await browser.open(`${server.url}/runs/${id}`);
  const messages = page.getByRole('form', { name: 'Messages to the agent' });
  await messages.getByLabel('Message to the agent').fill('Not next to the wing.');
  await messages.getByRole('button', { name: 'Send' }).click();
  await messages.getByText('Not next to the wing.').waitFor();
  await messages.getByText('not read yet').waitFor();
  await page.getByRole('button', { name: 'Aisle', exact: true }).click();
  await page.getByRole('button', { name: 'Answer' }).click();
  await messages.getByText(/, read$/).waitFor();
  // A run that has ended takes no more.
  await page.getByText('completed', { exact: true }).first().waitFor();
  await messages.getByLabel('Message to the agent').waitFor({ state: 'detached' });
});

inBrowser('a loop is approved in the inbox once, and its file has its name on the page and as a download', async () => {
  await using server = await startRealServer({ tools: ['./more'] }, { 'more/pay.mjs': pay });
  const code = `for (const to of ['ada', 'bob']) await tools.pay({ to });
    return { files: [await artifacts.put('to\\nada\\nbob\\n', { name: 'paid.csv', mediaType: 'text/csv' })] };`;
  await createClient({ baseUrl: server.url }).runs.start({ kind: 'chain', code, approve: 'set' });
  const { page } = await browser.open(`${server.url}/inbox`);
  await page.getByRole('heading', { name: /Approves 2 calls of one script at once/ }).waitFor();
  for (const to of ['ada', 'bob']) await page.getByText(`"${to}"`).first().waitFor();
  await page.getByRole('button', { name: /^Approve/ }).click();
  await page.getByText('Nothing waits for your decision').waitFor();
  await page.getByRole('link', { name: 'Artifacts' }).click();
  await page.getByRole('link', { name: 'paid.csv' }).click();
  await page.getByText('2 rows shown').waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download' }).click();
  assert.equal((await download).suggestedFilename(), 'paid.csv');
});
