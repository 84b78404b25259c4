import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { missingBrowser, openBrowser } from '@ravi/test-browser';
import { test } from 'vitest';

const token = 'the-token-of-grace-0123456789-abcdef';
const program = join(import.meta.dirname, '../src/server.ts');
const script = `
  const orders = await tools.list_orders();
  const told = [];
  for (const { id, daysLate } of orders.filter((order) => order.daysLate > 3)) {
    await tools.send_mail({ order: id, text: daysLate + ' days late' });
    told.push(id);
  }
  return { told, at: Date.now() > 0 };
`;

async function startServer(folder: string, port = '0') {
  const child = spawn(process.execPath, [program, folder, port], {
    env: { ...process.env, APPROVAL_TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const url = line.replace('listening on ', '');
  return {
    url,
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'close');
    },
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  };
}

interface ShownRun {
  readonly status: string;
  readonly outcome?: { readonly result: { readonly value: unknown } };
}

/** The run once it has this status. */
async function runAt(url: string, status: string): Promise<ShownRun> {
  for (;;) {
    const run = (await (await fetch(`${url}/runs/story`)).json()) as ShownRun;
    if (run.status === status) return run;
    assert.ok(['running', 'paused', 'unknown'].includes(run.status), JSON.stringify(run));
  }
}

async function effectsIn(folder: string): Promise<readonly string[]> {
  return (await readFile(join(folder, 'effects.txt'), 'utf8')).trimEnd().split('\n');
}

const name =
  'in Chromium: a script asks, the server is killed and started again, a person decides, and the script resumes';
const skipped = missingBrowser === undefined ? '' : ` (${missingBrowser})`;

test.skipIf(missingBrowser !== undefined)(
  `${name}${skipped}`,
  async () => {
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'ravi-story-'));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    const browser = stack.use(await openBrowser());

    using before = await startServer(folder);
    const { url } = before;
    await fetch(`${url}/runs/story`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: script }),
    });
    const { page } = await browser.open(`${url}/approvals`);
    await page.getByLabel('Your token').fill(token);
    await page.keyboard.press('Enter');
    const card = page.locator('#cards').getByRole('listitem').filter({ hasText: '9 days late' });
    await card.waitFor();
    await runAt(url, 'paused');
    await before.kill();
    await page.getByText('Connection lost, trying again').waitFor();
    assert.deepEqual(await effectsIn(folder), ['list_orders']);

    using after = await startServer(folder, new URL(url).port);
    await page.getByText('Live', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.locator('#past').getByText('Approved').waitFor();
    const { outcome } = await runAt(after.url, 'completed');
    assert.deepEqual(outcome?.result.value, { told: [2], at: true });
    assert.deepEqual(await effectsIn(folder), ['list_orders', 'send_mail to the customer of 2: 9 days late']);
  },
  120_000,
);
