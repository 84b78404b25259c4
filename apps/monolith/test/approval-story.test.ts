import { missingBrowser, openBrowser } from '@ravi/test-browser';
import type { RaviConfig } from '@ravi/host';
import { test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import { startProcess } from './support/server-process.ts';

const token = 'the-token-of-grace-0123456789-abcdef';
const config: RaviConfig = {
  plugins: {
    stateStore: { use: '@ravi/state-sqlite', file: './data/state.db' },
    approvalHandler: { use: '@ravi/approval-web', tokens: [{ token, principal: 'grace', roles: ['approve'] }] },
  },
};

const name = 'in Chromium: a request outlives the process that asked, and is answered in the page that stayed open';
const skipped = missingBrowser === undefined ? '' : ` (${missingBrowser})`;

test.skipIf(missingBrowser !== undefined)(
  `${name}${skipped}`,
  async () => {
    await using installation = await createInstallation(config);
    await using browser = await openBrowser();
    using first = startProcess(installation.folder, ['--port', '0']);
    const url = await first.url();
    const cut = fetch(`${url}/v1/tools/launch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ arguments: { target: 'moon' } }),
    });
    cut.catch(() => {});

    const { page } = await browser.open(`${url}/approvals`);
    await page.getByLabel('Your token').fill(token);
    await page.keyboard.press('Enter');
    const card = page.locator('#cards').getByRole('listitem').filter({ hasText: '"target": "moon"' });
    await card.waitFor();

    first.signal('SIGKILL');
    await first.exit;
    await page.getByText('Connection lost, trying again').waitFor();
    using second = startProcess(installation.folder, ['--port', new URL(url).port]);
    await second.url();
    await page.getByText('Live', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.locator('#past').getByText('Approved').waitFor();
  },
  120_000,
);
