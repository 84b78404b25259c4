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

test('a call that is judged with bytes or a stream is at least high', async () => {
  for (const [properties, artifacts] of [
    [{ command: { type: 'string', format: 'binary' } }, 'value'],
    [{ command: { type: 'string' } }, 'stream'],
  ] as const) {
    const approvalHandler = approveAll();
    const artifactStore = createTestBlobs();
    const shell = recordingTool('shell', {
      inputSchema: { type: 'object', properties },
      artifacts,
      classifyRisk: () => ({ risk: 'safe' }),
    });
    const harness = createHarness([shell], { artifactStore, approvalHandler });
    const $artifact = artifactStore.put('rm', { scope: { principal: 'ada', sessionId: 'session' } });
    assert.equal((await harness.call('shell', { command: { $artifact } })).status, 'ok');
    assert.deepEqual(
      approvalHandler.requests.map(({ risk }) => risk),
      ['high'],
    );
    assert.equal((await harness.call('shell', { command: 'ls' })).status, 'ok');
    assert.equal(approvalHandler.requests.length, 1, 'inline text is judged by the tool alone');
  }
});

test('what runs after an approval is the approved content: changed or deleted content is refused', async () => {
  for (const artifacts of ['value', 'stream'] as const) {
    for (const [change, code] of [
      ['replace', 'E_BLOB_CORRUPT'],
      ['delete', 'E_BLOB_NOT_FOUND'],
    ] as const) {
      const artifactStore = createTestBlobs();
      const approvalHandler = createTestApprovals(async () => {
        if (change === 'delete') await artifactStore.delete('blob_1');
        else {
          const changed = artifactStore.put('rm -rf /', { scope: { principal: 'ada', sessionId: 'session' } });
          const stat = await artifactStore.stat(changed);
          // As if all files of the artifact had been replaced, its metadata included.
          artifactStore.resolve = async () => Buffer.from('rm -rf /');
          artifactStore.stat = async () => stat;
        }
        return { decision: 'approved' };
      });
      const shell = recordingTool('shell', {
        risk: 'high',
        artifacts,
        inputSchema: { type: 'object', properties: { command: { type: 'string' } } },
      });
      const harness = createHarness([shell], { artifactStore, approvalHandler });
      const $artifact = artifactStore.put('ls', { scope: { principal: 'ada', sessionId: 'session' } });
      const result = await harness.call('shell', { command: { $artifact } });
      assert.equal(result.error?.code, code, `${artifacts} ${change}`);
      assert.deepEqual(shell.calls, []);
    }
  }
});
