import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { isKernelError } from '@ravi/kernel';
import { createTestBlobs, settle } from '@ravi/testkit';
import { test } from 'vitest';
import { createHarness } from './support/harness.ts';
import { heldTool, recordingTool, textResult } from './support/tools.ts';
import type { HeldTool } from './support/tools.ts';

test('a tool that never returns times out exactly at callTimeoutMs and sees its signal abort', async () => {
  const tool = heldTool('t');
  const harness = createHarness([tool], { policy: { callTimeoutMs: 2_000, approvalTimeoutMs: 1_000 } });
  const call = harness.call('t');
  await tool.started(0);
  const { signal, check } = tool.contexts[0]!;
  harness.clock.advance(1_999);
  assert.equal(signal.aborted, false);
  harness.clock.advance(1);
  assert.equal(signal.aborted, true);
  assert.ok(isKernelError(signal.reason, 'E_CALL_TIMEOUT'));
  assert.throws(
    () => check(),
    (error) => isKernelError(error, 'E_CANCELLED'),
  );
  const result = await call;
  assert.equal(result.status, 'error');
  assert.deepEqual(result.error, {
    code: 'E_CALL_TIMEOUT',
    message: 'The tool t took longer than 2000 ms (callTimeoutMs)',
    retryable: true,
  });
  assert.equal(harness.onlyRecord().status, 'timeout');
  assert.equal(harness.onlyRecord().durationMs, 2_000);
});

test('a result after the time-out is dropped and marked late, without a second record', async () => {
  for (const end of [(tool: HeldTool) => tool.finish(0), (tool: HeldTool) => tool.fail(0, new Error('late'))]) {
    const tool = heldTool('t');
    const harness = createHarness([tool]);
    const call = harness.call('t');
    await tool.started(0);
    harness.clock.advance(60_000);
    assert.equal((await call).error?.code, 'E_CALL_TIMEOUT');
    const before = harness.onlyRecord();
    assert.equal(before.late, undefined);
    end(tool);
    await settle();
    assert.equal(harness.onlyRecord().late, true);
    assert.equal(harness.recorded.of('tool-result').length, 1);
  }
});

test('a tool knows whether an observer receives its progress', async () => {
  const known: boolean[] = [];
  for (const session of [{}, { onProgress: () => {} }]) {
    const tool = heldTool('t');
    const call = createHarness([tool], { session }).call('t');
    await tool.started(0);
    known.push(tool.contexts[0]!.reportsProgress);
    tool.finish(0);
    await call;
  }
  assert.deepEqual(known, [false, true]);
});

test('progress of a tool is dropped after its time-out', async () => {
  const tool = heldTool('t');
  const events: string[] = [];
  const harness = createHarness([tool], { session: { onProgress: (event) => void events.push(event.type) } });
  const call = harness.call('t');
  await tool.started(0);
  harness.clock.advance(60_000);
  await call;
  tool.contexts[0]!.progress({ message: 'still here' });
  assert.deepEqual(events, ['tool-call', 'tool-result']);
});

test('a tool that manages its own timeout is not timed out, and cancellation still reaches it', async () => {
  const tool = heldTool('chain', { managesOwnTimeout: true });
  const harness = createHarness([tool]);
  const call = harness.call('chain');
  await tool.started(0);
  harness.clock.advance(3_600_000);
  assert.equal(tool.contexts[0]!.signal.aborted, false);
  harness.session.cancel('stop');
  assert.equal(tool.contexts[0]!.signal.aborted, true);
  await assert.rejects(call);
});

test('calls with different limits each end at their own', async () => {
  const tool = heldTool('t');
  const harness = createHarness([tool]);
  const policy = { callTimeoutMs: 500, approvalTimeoutMs: 100 };
  await using hasty = harness.invoker.openSession({ policy });
  const patient = harness.call('t');
  const impatient = harness.call('t', {}, { session: hasty });
  await tool.started(1);
  harness.clock.advance(500);
  assert.equal((await impatient).error?.code, 'E_CALL_TIMEOUT');
  harness.clock.advance(59_000);
  tool.finish(0);
  assert.equal((await patient).status, 'ok');
});

test('the deadline of a finished call never fires', async () => {
  const tool = recordingTool('t');
  const harness = createHarness([tool]);
  for (let call = 0; call < 20; call++) await harness.call('t');
  harness.clock.advance(3_600_000);
  assert.equal(harness.clock.pendingTimers, 0);
  assert.ok(harness.session.trace.every((record) => record.status === 'ok' && record.late === undefined));
});

test('the context has the ids of the run and the call, the principal and the idempotency key', async () => {
  const tool = recordingTool('t');
  const harness = createHarness([tool]);
  await harness.call('t', {}, { callId: 'c1' });
  const context = tool.contexts[0]!;
  assert.deepEqual(
    [context.runId, context.sessionId, context.callId, context.principal, context.clock === harness.clock],
    ['run', 'session', 'c1', 'ada', true],
  );
  await using resumed = harness.invoker.openSession({ runId: 'run', sessionId: 'session', principal: 'ada' });
  await harness.call('t', {}, { callId: 'c1', session: resumed });
  await harness.call('t', {}, { callId: 'c2', session: resumed });
  const keys = tool.contexts.map((each) => each.idempotencyKey);
  assert.equal(keys[1], keys[0], 'the same for every attempt of one call');
  assert.notEqual(keys[2], keys[0]);
});

test('the scratchpad is shared by the tools of one session only', async () => {
  const seen: unknown[] = [];
  const tool = recordingTool('t', {
    run(args, { scratchpad }) {
      seen.push(scratchpad.get('last'));
      scratchpad.set('last', args['n']);
      return textResult('ok');
    },
  });
  const harness = createHarness([tool]);
  await using other = harness.invoker.openSession();
  await harness.call('t', { n: 1 });
  await harness.call('t', { n: 2 });
  await harness.call('t', { n: 3 }, { session: other });
  assert.deepEqual(seen, [undefined, 1, undefined]);
});

test('a tool reads the blobs of its own session and no others', async () => {
  const artifactStore = createTestBlobs();
  const own = artifactStore.put('mine', { scope: { principal: 'ada', sessionId: 'session' } });
  const foreign = artifactStore.put('yours', { scope: { principal: 'eve', sessionId: 'session' } });
  const tool = recordingTool('t', {
    async run(_args, { blobs }) {
      assert.equal(Buffer.from(await blobs.resolve(own)).toString(), 'mine');
      assert.equal((await blobs.stat(own))?.bytes, 4);
      for (const read of [blobs.resolve(foreign), blobs.open(foreign)]) {
        await assert.rejects(read, (error) => isKernelError(error, 'E_ARTIFACT_FORBIDDEN'));
      }
      assert.equal(await blobs.stat(foreign), undefined);
      await assert.rejects(blobs.resolve('nowhere'), (error) => isKernelError(error, 'E_BLOB_NOT_FOUND'));
      return textResult('checked');
    },
  });
  assert.equal((await createHarness([tool], { artifactStore }).call('t')).text, 'checked');
});

test('a call finishes with the tool it started with, even if the tool is replaced meanwhile', async () => {
  const tool = heldTool('t');
  const harness = createHarness([tool]);
  const call = harness.call('t');
  await tool.started(0);
  harness.toolbox.add(recordingTool('t', { run: () => textResult('new') }));
  tool.finish(0, textResult('old'));
  assert.equal((await call).text, 'old');
  assert.equal((await harness.call('t')).text, 'new');
});

test('wrapExecution knows the call and stays active across everything that the call awaits', async () => {
  const current = new AsyncLocalStorage<string | undefined>();
  const tool = recordingTool('t', {
    async run() {
      await setImmediate();
      return textResult(current.getStore() ?? 'unknown');
    },
  });
  const harness = createHarness([tool], { wrapExecution: ({ callId }, body) => current.run(callId, body) });
  const results = await Promise.all(['a', 'b'].map((callId) => harness.call('t', {}, { callId })));
  assert.deepEqual(
    results.map(({ text }) => text),
    ['a', 'b'],
  );
});

test('a wrapExecution that throws fails only its own call', async () => {
  const harness = createHarness([recordingTool('t')], {
    wrapExecution() {
      throw new Error('out of order');
    },
  });
  assert.equal((await harness.call('t')).status, 'error');
  assert.equal(harness.onlyRecord().status, 'error');
});
