import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { isKernelError, KernelError } from '@ravi/kernel';
import { settle } from '@ravi/testkit';
import { test } from 'vitest';
import { createHarness } from '../support/harness.ts';
import { heldTool, recordingTool } from '../support/tools.ts';

const cancelled = (error: unknown) => isKernelError(error, 'E_CANCELLED');

test('no tool starts in a cancelled run, and the record says cancelled', async () => {
  const tool = recordingTool('t');
  const harness = createHarness([tool]);
  harness.session.cancel('the user left');
  await assert.rejects(harness.call('t'), (error) => cancelled(error) && (error as Error).message === 'the user left');
  assert.deepEqual(tool.calls, []);
  assert.equal(harness.onlyRecord().status, 'cancelled');
  assert.equal(harness.onlyRecord().errorCode, 'E_CANCELLED');
  assert.equal(harness.recorded.of('tool-result')[0]?.status, 'cancelled');
  assert.throws(() => harness.session.check(), cancelled);
});

test('cancelling while tools run ends every call and aborts the signals of the tools', async () => {
  const tool = heldTool('t');
  const harness = createHarness([tool]);
  const calls = [harness.call('t'), harness.call('t')];
  await tool.started(1);
  const [first] = tool.contexts;
  const { signal } = first!;
  first!.check();
  harness.session.cancel('stop');
  for (const call of calls) await assert.rejects(call, cancelled);
  assert.equal(signal.aborted, true);
  assert.equal(tool.contexts[1]!.signal.aborted, true, 'also for a tool that looks at its signal afterwards only');
  assert.throws(() => first!.check(), cancelled);
  assert.deepEqual(
    harness.session.trace.map((record) => record.status),
    ['cancelled', 'cancelled'],
  );
});

test('a result after the cancellation is dropped and marked late', async () => {
  const tool = heldTool('t');
  const harness = createHarness([tool]);
  const call = harness.call('t');
  await tool.started(0);
  harness.session.cancel('stop');
  await assert.rejects(call, cancelled);
  assert.equal(harness.onlyRecord().late, undefined);
  tool.finish(0);
  await settle();
  assert.equal(harness.onlyRecord().late, true);
  assert.equal(harness.onlyRecord().status, 'cancelled');
  assert.deepEqual(harness.logger.messages('warn'), ['late result of a tool was dropped']);
});

test('a signal from outside cancels the session', async () => {
  const outside = new AbortController();
  const tool = heldTool('t');
  const harness = createHarness([tool], { session: { signal: outside.signal } });
  const call = harness.call('t');
  await tool.started(0);
  outside.abort(new Error('the client hung up'));
  await assert.rejects(
    call,
    (error) => cancelled(error) && ((error as Error).cause as Error).message === 'the client hung up',
  );
  await assert.rejects(harness.call('t'), cancelled);
  assert.equal(tool.calls.length, 1);
});

test('a session that is opened with an aborted signal starts nothing', async () => {
  const tool = recordingTool('t');
  const harness = createHarness([tool], { session: { signal: AbortSignal.abort() } });
  await assert.rejects(harness.call('t'), cancelled);
  assert.deepEqual(tool.calls, []);
});

test('the signal of one call cancels that call alone', async () => {
  const tool = heldTool('t');
  const harness = createHarness([tool]);
  const single = new AbortController();
  const calls = [harness.call('t', {}, { signal: single.signal }), harness.call('t')] as const;
  await tool.started(1);
  single.abort();
  await assert.rejects(calls[0], cancelled);
  tool.finish(1);
  assert.equal((await calls[1]).status, 'ok');
});

test('a call with its own signal ends with its session too', async () => {
  const tool = heldTool('t');
  const harness = createHarness([tool]);
  const call = harness.call('t', {}, { signal: new AbortController().signal });
  await tool.started(0);
  harness.session.cancel('stop');
  await assert.rejects(call, cancelled);
});

test('a finished call keeps no listener on the signal it was given', async () => {
  const harness = createHarness([recordingTool('t')]);
  const { signal } = new AbortController();
  for (let call = 0; call < 10; call++) await harness.call('t', {}, { signal });
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('a tool that throws E_CANCELLED itself has failed, and the run continues', async () => {
  const tool = recordingTool('t', {
    run() {
      throw new KernelError('E_CANCELLED', 'The inner run was cancelled');
    },
  });
  const harness = createHarness([tool]);
  const result = await harness.call('t');
  assert.equal(result.status, 'error');
  assert.equal(harness.onlyRecord().status, 'error');
});

test('a tool that cancels its own run gets no result delivered', async () => {
  const harness = createHarness([
    recordingTool('t', {
      run() {
        harness.session.cancel('enough');
        return { content: [], isError: false };
      },
    }),
  ]);
  await assert.rejects(harness.call('t'), cancelled);
  assert.equal(harness.onlyRecord().status, 'cancelled');
});
