import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadConfig, openPlugins } from '@ravi/host';
import type { ApprovalRequest, ApprovalDecisionInput } from '@ravi/kernel';
import { silentLogger } from '@ravi/kernel';
import { createApprovalRequest, createFakeClock } from '@ravi/testkit';
import { pluginContract } from '@ravi/testkit/plugin';
import { test } from 'vitest';
import plugin, { createBusinessHours } from '../src/index.ts';

pluginContract(test, plugin, { allowList: './allowed-tools.txt' });

const { signal } = new AbortController();
const monday = Date.UTC(2025, 0, 6);
const hourMs = 3_600_000;

/** Decides through the example's own configuration file. */
async function decide(
  nowMs: number,
  request: Partial<ApprovalRequest> = {},
): Promise<ApprovalDecisionInput | undefined> {
  const { config, baseDir } = await loadConfig({ cwd: dirname(import.meta.dirname), env: {} });
  await using plugins = await openPlugins(config, { baseDir, clock: createFakeClock(nowMs), logger: silentLogger });
  return plugins.approvalHandler?.request(createApprovalRequest(request), { signal });
}

test('one line of configuration opens it, and the hours come from the defaults of its schema', async () => {
  assert.equal((await decide(monday + 9 * hourMs))?.decision, 'approved');
  assert.equal((await decide(monday + 9 * hourMs - 1))?.decision, 'denied');
  assert.equal((await decide(monday + 17 * hourMs - 1))?.decision, 'approved');
  assert.match((await decide(monday + 17 * hourMs))?.reason ?? '', /Monday to Friday, 9 to 17/);
});

test('the weekend, a tool that is not listed and a critical call are denied with the reason', async () => {
  const noon = monday + 12 * hourMs;
  assert.equal((await decide(noon - 24 * hourMs))?.decision, 'denied');
  assert.equal((await decide(noon + 5 * 24 * hourMs))?.decision, 'denied');
  assert.match((await decide(noon, { tool: 'delete_all' }))?.reason ?? '', /delete_all is not on the allow-list/);
  assert.match((await decide(noon, { risk: 'critical' }))?.reason ?? '', /need a person/);
});

test('an edit of the list takes effect with the next call, and a list that is gone allows nothing', async () => {
  const baseDir = await mkdtemp(join(tmpdir(), 'ravi-hours-'));
  const clock = createFakeClock(monday);
  const handler = createBusinessHours({ allowList: 'list.txt', from: 0, to: 24 }, { baseDir, clock });
  const decision = async () => (await handler.request(createApprovalRequest(), { signal })).decision;
  try {
    assert.equal(await decision(), 'denied');
    await writeFile(join(baseDir, 'list.txt'), 'other\r\npublish_report\r\n');
    assert.equal(await decision(), 'approved');
  } finally {
    await rm(baseDir, { recursive: true });
  }
});
