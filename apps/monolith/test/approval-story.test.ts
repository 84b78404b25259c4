import assert from 'node:assert/strict';
import type { RaviConfig } from '@ravi/host';
import { missingBrowser, openBrowser } from '@ravi/test-browser';
import { test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import { startProcess } from './support/server-process.ts';

const token = 'the-token-of-grace-0123456789-abcdef';
const config: RaviConfig = {
  approvals: { mode: 'pause' },
  plugins: {
    stateStore: { use: '@ravi/state-sqlite', file: './data/state.db' },
    approvalHandler: { use: '@ravi/approval-web', tokens: [{ token, principal: 'grace', roles: ['approve'] }] },
  },
};
const code = `
  await tools.launch({ target: 'moon' }).catch((error) => console.log(error.message));
  await tools.launch({ target: 'mars' });
  return 'both decided';
`;

const name =
  'in Chromium: a script asks, the server is killed, a person decides on the next server, and the script resumes';
const skipped = missingBrowser === undefined ? '' : ` (${missingBrowser})`;

test.skipIf(missingBrowser !== undefined)(
  `${name}${skipped}`,
  async () => {
    await using installation = await createInstallation(config);
    await using browser = await openBrowser();
    using first = startProcess(installation.folder, ['--port', '0']);
    const url = await first.url();
    const started = await fetch(`${url}/v1/chains`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    const { status, runId } = (await started.json()) as { readonly status: string; readonly runId: string };
    assert.equal(status, 'paused');

    const { page } = await browser.open(`${url}/approvals`);
    const cardOf = (target: string) =>
      page
        .locator('#cards')
        .getByRole('listitem')
        .filter({ hasText: `"target": "${target}"` });
    await page.getByLabel('Your token').fill(token);
    await page.keyboard.press('Enter');
    await cardOf('moon').waitFor();

    first.signal('SIGKILL');
    await first.exit;
    await page.getByText('Connection lost, trying again').waitFor();
    using second = startProcess(installation.folder, ['--port', new URL(url).port]);
    await second.url();
    await page.getByText('Live', { exact: true }).waitFor();

    await cardOf('moon').getByRole('button', { name: 'Deny', exact: true }).click();
    await cardOf('moon').getByLabel('Why not?').fill('Too close');
    await cardOf('moon').getByRole('button', { name: 'Deny this call' }).click();
    await cardOf('mars').getByRole('button', { name: 'Approve', exact: true }).click();

    const run = await completed(`${url}/v1/runs/${runId}`);
    assert.equal(run.outcome.result.value, 'both decided');
    assert.match(JSON.stringify(run.outcome.result.logs), /Too close/);
    assert.deepEqual(await installation.launches(), ['launch mars']);
  },
  120_000,
);

interface ShownRun {
  readonly status: string;
  readonly outcome: { readonly result: { readonly value: unknown; readonly logs: unknown } };
}

/** Returns the run once it has ended. */
async function completed(url: string): Promise<ShownRun> {
  for (;;) {
    const run = (await (await fetch(url)).json()) as ShownRun;
    if (run.status === 'completed') return run;
    assert.ok(['running', 'paused'].includes(run.status), JSON.stringify(run));
  }
}
