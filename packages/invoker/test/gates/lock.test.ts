import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { JsonObject } from '@ravi/kernel';
import { sessionOf } from '../../src/index.ts';
import { settle } from '@ravi/testkit';
import { test } from 'vitest';
import { createHarness } from '../support/harness.ts';
import { heldTool, recordingTool } from '../support/tools.ts';

const byFile = { keys: ({ files }: JsonObject) => files as readonly string[] };

test('parallel calls run at once', async () => {
  const tool = heldTool('t');
  const harness = createHarness([tool]);
  const calls = [harness.call('t'), harness.call('t'), harness.call('t')];
  await tool.started(2);
  assert.equal(tool.running, 3);
  for (const index of [0, 1, 2]) tool.finish(index);
  await Promise.all(calls);
});

test('exclusive calls run one at a time, in their order of arrival, across tools and sessions', async () => {
  const a = heldTool('a', { concurrency: 'exclusive' });
  const b = heldTool('b', { concurrency: 'exclusive' });
  const harness = createHarness([a, b]);
  await using other = harness.invoker.openSession();
  const calls = [harness.call('a'), harness.call('b', {}, { session: other }), harness.call('a')];
  await a.started(0);
  await settle();
  assert.deepEqual([a.running, b.running], [1, 0]);
  a.finish(0);
  await b.started(0);
  assert.deepEqual([a.running, b.running], [0, 1]);
  b.finish(0);
  await a.started(1);
  a.finish(1);
  await Promise.all(calls);
  assert.deepEqual([a.mostRunning, b.mostRunning], [1, 1]);
});

test('calls that share a key take turns, and other calls run at the same time', async () => {
  const tool = heldTool('t', { concurrency: byFile });
  const harness = createHarness([tool]);
  const calls = [
    harness.call('t', { files: ['x', 'y'] }),
    harness.call('t', { files: ['y'] }),
    harness.call('t', { files: ['z'] }),
  ];
  await tool.started(1);
  await settle();
  assert.deepEqual(tool.calls, [{ files: ['x', 'y'] }, { files: ['z'] }]);
  tool.finish(0);
  await tool.started(2);
  tool.finish(1);
  tool.finish(2);
  await Promise.all(calls);
});

test('keys in opposite orders never deadlock, and a repeated key counts once', async () => {
  const tool = recordingTool('t', { concurrency: byFile });
  const harness = createHarness([tool]);
  const results = await Promise.all([
    harness.call('t', { files: ['a', 'b', 'a'] }),
    harness.call('t', { files: ['b', 'a'] }),
    harness.call('t', { files: ['a'] }),
    harness.call('t', { files: ['b', 'c', 'a'] }),
  ]);
  assert.deepEqual(
    results.map((result) => result.status),
    ['ok', 'ok', 'ok', 'ok'],
  );
});

test('a key with the name of the exclusive lock is a different lock', async () => {
  const exclusive = heldTool('exclusive', { concurrency: 'exclusive' });
  const keyed = recordingTool('keyed', { concurrency: { keys: () => ['exclusive'] } });
  const harness = createHarness([exclusive, keyed]);
  const held = harness.call('exclusive');
  await exclusive.started(0);
  assert.equal((await harness.call('keyed')).status, 'ok');
  exclusive.finish(0);
  await held;
});

test('a lock is released after a failure, a time-out and an invalid result', async () => {
  const tool = heldTool('t', { concurrency: 'exclusive' });
  const harness = createHarness([tool]);
  const failing = harness.call('t');
  await tool.started(0);
  tool.fail(0, new Error('no'));
  assert.equal((await failing).status, 'error');
  const slow = harness.call('t');
  await tool.started(1);
  harness.clock.advance(60_000);
  assert.equal((await slow).error?.code, 'E_CALL_TIMEOUT');
  tool.finish(1);
  const garbage = harness.call('t');
  await tool.started(2);
  tool.finish(2, null as never);
  assert.equal((await garbage).status, 'error');
  const last = harness.call('t');
  await tool.started(3);
  tool.finish(3);
  assert.equal((await last).status, 'ok');
});

test('the wait for a lock does not count as execution time', async () => {
  const tool = heldTool('t', { concurrency: 'exclusive' });
  const harness = createHarness([tool]);
  const first = harness.call('t');
  const second = harness.call('t');
  await tool.started(0);
  harness.clock.advance(50_000);
  tool.finish(0);
  await first;
  await tool.started(1);
  harness.clock.advance(50_000);
  tool.finish(1);
  assert.equal((await second).status, 'ok');
});

test('a call that is cancelled in the queue holds no lock and does not start', async () => {
  const tool = heldTool('t', { concurrency: byFile });
  const harness = createHarness([tool]);
  const single = new AbortController();
  const holder = harness.call('t', { files: ['b'] });
  await tool.started(0);
  const waiting = harness.call('t', { files: ['a', 'b'] }, { signal: single.signal });
  await settle();
  const next = harness.call('t', { files: ['a'] });
  single.abort();
  await assert.rejects(waiting, (error) => isKernelError(error, 'E_CANCELLED'));
  await tool.started(1);
  tool.finish(1);
  assert.equal((await next).status, 'ok', 'the key that it had taken is free again');
  tool.finish(0);
  await holder;
  assert.equal(tool.calls.length, 2);
});

test('when a whole queue is cancelled, none of its calls starts', async () => {
  const tool = heldTool('t', { concurrency: 'exclusive' });
  const harness = createHarness([tool]);
  const calls = Array.from({ length: 5 }, () => harness.call('t'));
  await tool.started(0);
  harness.session.cancel('stop');
  for (const call of calls) await assert.rejects(call, (error) => isKernelError(error, 'E_CANCELLED'));
  assert.equal(tool.calls.length, 1);
  assert.equal(harness.session.trace.length, 5);
});

test('a tool whose keys cannot be read fails with E_TOOL_FAILED, not E_INTERNAL', async () => {
  for (const keys of [
    () => {
      throw new Error('no keys');
    },
    () => 'a',
    () => [1],
    () => undefined,
  ]) {
    const tool = recordingTool('t', { concurrency: { keys: keys as unknown as () => string[] } });
    const result = await createHarness([tool]).call('t');
    assert.equal(result.error?.code, 'E_TOOL_FAILED', String(keys));
    assert.match(result.text, /The tool t failed in concurrency.keys/);
    assert.deepEqual(tool.calls, []);
  }
});

test('a lock is held after a time-out until the tool settles, for at most a minute', async () => {
  const tool = heldTool('t', { concurrency: 'exclusive' });
  const harness = createHarness([tool]);
  const late = harness.call('t');
  await tool.started(0);
  harness.clock.advance(60_000);
  assert.equal((await late).error?.code, 'E_CALL_TIMEOUT');
  const second = harness.call('t');
  await settle();
  assert.equal(tool.running, 1);
  tool.finish(0);
  await tool.started(1);
  harness.clock.advance(60_000);
  assert.equal((await second).error?.code, 'E_CALL_TIMEOUT');
  const third = harness.call('t');
  harness.clock.advance(59_999);
  await settle();
  assert.equal(tool.calls.length, 2);
  harness.clock.advance(1);
  await tool.started(2);
  tool.finish(2);
  assert.equal((await third).status, 'ok');
  tool.finish(1);
});

test('an exclusive call inside an exclusive call runs under its lock, and its siblings take turns', async () => {
  const inner = heldTool('inner', { concurrency: 'exclusive' });
  const results: string[] = [];
  const outer = recordingTool('outer', {
    concurrency: 'exclusive',
    async run(_args, context) {
      const parent = sessionOf(context);
      assert.ok(parent);
      await using session = harness.invoker.openSession({ parent, parentCallId: context.callId });
      const calls = [
        harness.invoker.invoke({ name: 'inner', args: {} }, { session: parent, parentId: context.callId }),
        harness.invoker.invoke({ name: 'inner', args: {} }, { session }),
      ];
      for (const call of calls) results.push((await call).status);
      return { content: [], isError: false };
    },
  });
  const harness = createHarness([inner, outer]);
  const nested = harness.call('outer');
  await inner.started(0);
  const other = harness.call('inner');
  await settle();
  assert.equal(inner.running, 1);
  inner.finish(0);
  await inner.started(1);
  inner.finish(1);
  assert.equal((await nested).status, 'ok');
  assert.deepEqual(results, ['ok', 'ok']);
  await inner.started(2);
  inner.finish(2);
  assert.equal((await other).status, 'ok');
  assert.equal(inner.mostRunning, 1);
});
