import assert from 'node:assert/strict';
import { missingBrowser, openBrowser } from '@ravi/test-browser';
import { test } from 'vitest';
import { serveModules } from './support/served-modules.ts';
import { startServer } from './support/server-process.ts';

test('the client runs a script and reads its events in a browser', async ({ skip }) => {
  skip(missingBrowser !== undefined, missingBrowser);
  await using server = await startServer();
  await using site = await serveModules(server.url);
  await using browser = await openBrowser();
  const { page, errors } = await browser.open(site.url);
  const outcome = await page.evaluate(`(async () => {
    const { createClient } = await import('@ravi/client');
    const client = createClient({ baseUrl: location.origin });
    const { id } = await client.runs.start({ kind: 'chain', code: 'return await tools.add({ left: 2, right: 3 })' });
    const types = [];
    for await (const event of client.runs.events(id)) types.push(event.type);
    const { status, outcome } = await client.runs.get(id);
    const refused = await client.runs.get('no-such-run').catch(({ code }) => code);
    return { last: types.at(-1), status, value: outcome.result.value, refused };
  })()`);
  assert.deepEqual(outcome, { last: 'run-end', status: 'completed', value: { sum: 5 }, refused: 'E_RUN_NOT_FOUND' });
  // Chromium logs the refused request.
  assert.equal(errors.filter((error) => !error.includes('404')).join(), '');
});
