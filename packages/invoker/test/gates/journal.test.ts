import assert from 'node:assert/strict';
import { isKernelError, KernelError } from '@ravi/kernel';
import { approveAll, createTestBlobs, createTestJournal, refusing, settle } from '@ravi/testkit';
import { test } from 'vitest';
import { createHarness } from '../support/harness.ts';
import { heldTool, recordingTool, textResult } from '../support/tools.ts';

const policy = { maxRiskUnapproved: 'high' } as const;

test('a call with side effects is on record before it starts, and its outcome is written after it', async () => {
  const journal = createTestJournal();
  const tool = recordingTool('send', {
    risk: 'high',
    run() {
      assert.deepEqual(
        journal.writes.map((write) => write.kind),
        ['started'],
      );
      return textResult('sent');
    },
  });
  const harness = createHarness([tool], { journal, policy });
  const result = await harness.call('send', { to: 'a' }, { callId: 'c1' });
  const [started, finished] = journal.writes;
  const { record } = started!.entry;
  assert.deepEqual(
    [record.callId, record.tool, record.status, record.argsPreview],
    ['c1', 'send', 'started', '{"to":"a"}'],
  );
  assert.deepEqual([started!.entry.runId, started!.entry.sessionId], ['run', 'session']);
  assert.equal(started!.entry.idempotencyKey, tool.contexts[0]?.idempotencyKey);
  assert.ok(finished?.kind === 'finished');
  assert.deepEqual(finished.result, result);
  assert.equal(finished.entry.idempotencyKey, started!.entry.idempotencyKey);
});

test('the outcome in the journal is the record of the trace, for large arguments and results too', async () => {
  const journal = createTestJournal();
  const tool = recordingTool('send', { risk: 'high', run: () => textResult('x'.repeat(9_000)) });
  const harness = createHarness([tool], { journal, policy, artifactStore: createTestBlobs() });
  await harness.call('send', { body: 'y'.repeat(9_000) });
  const record = harness.onlyRecord();
  assert.match(record.argsPreview, /^\{"body":"yyy/);
  assert.equal(record.artifactRef, 'blob_1');
  assert.deepEqual(journal.writes[1]?.entry.record, record);
});

test('safe calls are not journalled', async () => {
  const journal = createTestJournal();
  await createHarness([recordingTool('read', { risk: 'safe' })], { journal }).call('read');
  assert.deepEqual(journal.writes, []);
});

test('a call that never starts is not journalled', async () => {
  const journal = createTestJournal();
  await createHarness([recordingTool('send', { risk: 'high' })], { journal }).call('send');
  assert.deepEqual(journal.writes, []);
});

test('a call that cannot be journalled does not start', async () => {
  const tool = recordingTool('send', { risk: 'high' });
  const harness = createHarness([tool], { journal: createTestJournal(refusing('started')), policy });
  const result = await harness.call('send');
  assert.equal(result.status, 'error');
  assert.match(result.text, /could not be written to the journal, so it was not started/);
  assert.deepEqual(tool.calls, []);
  assert.deepEqual(harness.logger.messages('error'), ['journal refused a call']);
});

test('a call can be repeated that did not start because the store was unavailable', async () => {
  const unavailable = (): never => {
    throw new KernelError('E_STATE_UNAVAILABLE', 'The database does not respond');
  };
  const tool = recordingTool('send', { risk: 'high' });
  const harness = createHarness([tool], { journal: { started: unavailable, finished: unavailable }, policy });
  const { error } = await harness.call('send');
  assert.deepEqual([error?.code, error?.retryable, tool.calls.length], ['E_STATE_UNAVAILABLE', true, 0]);
});

test('an outcome that cannot be written is logged, and the result is delivered', async () => {
  const harness = createHarness([recordingTool('send', { risk: 'high' })], {
    journal: createTestJournal(refusing('finished')),
    policy,
  });
  assert.equal((await harness.call('send')).status, 'ok');
  assert.deepEqual(harness.logger.messages('error'), ['journal lost an outcome']);
  assert.equal(harness.onlyRecord().status, 'ok');
});

test('a run that is cancelled during the journal write starts no tool, and the journal says so', async () => {
  const writing = Promise.withResolvers<void>();
  const journal = createTestJournal((kind) => (kind === 'started' ? writing.promise : undefined));
  const tool = recordingTool('send', { risk: 'high' });
  const harness = createHarness([tool], { journal, policy });
  const call = harness.call('send');
  await settle();
  harness.session.cancel('stop');
  writing.resolve();
  await assert.rejects(call, (error) => isKernelError(error, 'E_CANCELLED'));
  assert.deepEqual(tool.calls, []);
  assert.deepEqual(
    journal.writes.map((write) => write.entry.record.status),
    ['started', 'cancelled'],
  );
});

test('the end of a started call is written after an error, a time-out and a cancellation', async () => {
  const journal = createTestJournal();
  const tool = heldTool('send', { risk: 'high' });
  const harness = createHarness([tool], { journal, policy, approvalHandler: approveAll() });
  const failed = harness.call('send');
  await tool.started(0);
  tool.fail(0, new Error('no'));
  await failed;
  const late = harness.call('send');
  await tool.started(1);
  harness.clock.advance(60_000);
  await late;
  const cancelled = harness.call('send');
  await tool.started(2);
  harness.session.cancel('stop');
  await assert.rejects(cancelled);
  assert.deepEqual(
    journal.writes.filter((write) => write.kind === 'finished').map((write) => write.entry.record.status),
    ['error', 'timeout', 'cancelled'],
  );
});

test('a call of a tool that declares no risk is on record before it starts, even if it needs no approval', async () => {
  const journal = createTestJournal();
  const tool = recordingTool('undeclared', { classifyRisk: () => ({ risk: 'safe' }) });
  assert.equal((await createHarness([tool], { journal }).call('undeclared')).status, 'ok');
  assert.deepEqual(
    journal.writes.map(({ kind }) => kind),
    ['started', 'finished'],
  );
});
