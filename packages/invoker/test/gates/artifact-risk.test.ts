import assert from 'node:assert/strict';
import type { JsonObject, ToolRisk } from '@ravi/kernel';
import { approveAll, createTestApprovals, createTestBlobs } from '@ravi/testkit';
import type { TestApprovals } from '@ravi/testkit';
import { test } from 'vitest';
import { createHarness } from '../support/harness.ts';
import { recordingTool } from '../support/tools.ts';

/** A shell whose risk depends on its command, and a store. */
function setUp(approvalHandler?: TestApprovals) {
  const artifactStore = createTestBlobs();
  const shell = recordingTool('shell', {
    inputSchema: { type: 'object', properties: { command: { type: 'string' } } },
    classifyRisk: ({ command }: JsonObject): { risk: ToolRisk } => ({
      risk: JSON.stringify(command).includes('rm') ? 'critical' : 'safe',
    }),
  });
  const harness = createHarness([shell], {
    artifactStore,
    ...(approvalHandler === undefined ? {} : { approvalHandler }),
  });
  const put = (text: string) => ({
    $artifact: artifactStore.put(text, { scope: { principal: 'ada', sessionId: 'session' } }),
  });
  return { shell, harness, put };
}

test('the content of a ref is assessed: a dangerous command does not become safe as an artifact', async () => {
  const { shell, harness, put } = setUp();
  const result = await harness.call('shell', { command: put('rm -rf /') });
  assert.equal(result.error?.code, 'E_APPROVAL_NO_HANDLER');
  assert.deepEqual(shell.calls, []);
});

test('a risk that only the content shows needs approval before the tool runs', async () => {
  const approvalHandler = approveAll();
  const { shell, harness, put } = setUp(approvalHandler);
  assert.equal((await harness.call('shell', { command: put('rm a.txt') })).status, 'ok');
  assert.equal(approvalHandler.requests[0]?.risk, 'critical');
  assert.deepEqual(approvalHandler.requests[0]?.args, { command: { $artifact: 'blob_1' } });
  assert.equal(harness.onlyRecord().argsDigest, approvalHandler.requests[0]?.argsDigest);
  assert.deepEqual(shell.calls, [{ command: 'rm a.txt' }]);
});

test('harmless content needs no approval', async () => {
  const approvalHandler = approveAll();
  const { harness, put } = setUp(approvalHandler);
  assert.equal((await harness.call('shell', { command: put('ls') })).status, 'ok');
  assert.equal(approvalHandler.requests.length, 0);
});

test('a ref that the approver inserted is resolved and assessed too', async () => {
  const { put, ...base } = setUp(
    createTestApprovals((_, index) =>
      Promise.resolve(
        index === 0
          ? { decision: 'modified', modifiedArgs: { command: { $artifact: 'blob_2' } } }
          : { decision: 'denied' },
      ),
    ),
  );
  const first = put('rm a.txt');
  put('ls');
  assert.equal((await base.harness.call('shell', { command: first })).status, 'ok');
  assert.deepEqual(base.shell.calls, [{ command: 'ls' }]);
});
