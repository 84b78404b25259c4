import assert from 'node:assert/strict';
import type { InterceptorDecision, JsonObject } from '@ravi/kernel';
import { settle } from '@ravi/testkit';
import { test } from 'vitest';
import { createHarness } from '../support/harness.ts';
import { recordingTool } from '../support/tools.ts';

test('an interceptor sees the call and may leave it unchanged', async () => {
  const tool = recordingTool('t');
  const harness = createHarness([tool]);
  const seen: unknown[] = [];
  harness.hooks.intercept((call) => {
    seen.push(call);
    return { action: 'continue' };
  });
  await harness.call('t', { a: 1 }, { callId: 'c1', caller: 'chain', parentId: 'p1' });
  assert.deepEqual(seen, [
    {
      runId: 'run',
      sessionId: 'session',
      callId: 'c1',
      parentId: 'p1',
      tool: 't',
      caller: 'chain',
      principal: 'ada',
      args: { a: 1 },
    },
  ]);
  assert.deepEqual(tool.calls, [{ a: 1 }]);
});

test('changes are passed from one interceptor to the next, and the final arguments are validated', async () => {
  const tool = recordingTool('t', { inputSchema: { properties: { n: { type: 'number' } } } });
  const harness = createHarness([tool]);
  harness.hooks.intercept(({ args }) => ({ action: 'modify', args: { n: (args['n'] as number) + 1 } }));
  harness.hooks.intercept(({ args }) => ({ action: 'modify', args: { n: (args['n'] as number) * 10 } }));
  await harness.call('t', { n: 1 });
  assert.deepEqual(tool.calls, [{ n: 20 }]);
  assert.equal(harness.onlyRecord().argsPreview, '{"n":20}');
  harness.hooks.intercept(() => ({ action: 'modify', args: { n: 'x' } }));
  assert.equal((await harness.call('t', { n: 1 })).error?.code, 'E_ARGUMENTS_INVALID');
});

test('a deny wins over every other decision', async () => {
  const tool = recordingTool('t');
  const harness = createHarness([tool]);
  harness.hooks.intercept(() => ({ action: 'modify', args: { a: 2 } }));
  harness.hooks.intercept(() => ({ action: 'deny', reason: 'not on Fridays' }));
  harness.hooks.intercept(() => ({ action: 'continue' }));
  const result = await harness.call('t');
  assert.equal(result.status, 'denied');
  assert.equal(result.error?.code, 'E_TOOL_NOT_ALLOWED');
  assert.equal(result.text, 'The call was denied: not on Fridays');
  assert.deepEqual(tool.calls, []);
});

test('an interceptor that throws or returns no decision denies', async () => {
  const bad: readonly (() => unknown)[] = [
    () => {
      throw new Error('no');
    },
    () => Promise.reject(new Error('no')),
    () => undefined,
    () => null,
    () => 'continue',
    () => ({}),
    () => ({ action: 'allow' }),
    () => ({ action: 'modify' }),
    () => ({ action: 'modify', args: [1] }),
  ];
  for (const interceptor of bad) {
    const tool = recordingTool('t');
    const harness = createHarness([tool]);
    harness.hooks.intercept(interceptor as () => InterceptorDecision);
    const result = await harness.call('t');
    assert.notEqual(result.status, 'ok', String(interceptor));
    assert.notEqual(result.error?.code, 'E_INTERNAL', String(interceptor));
    assert.deepEqual(tool.calls, []);
  }
});

test('an interceptor that is too slow denies, with a promise or any other thenable', async () => {
  const forever: readonly unknown[] = [new Promise(() => {}), { then() {} }];
  for (const slow of forever) {
    const tool = recordingTool('t');
    const harness = createHarness([tool]);
    harness.hooks.intercept(() => slow as Promise<InterceptorDecision>);
    const call = harness.call('t');
    await settle();
    harness.clock.advance(5_000);
    const result = await call;
    assert.equal(result.status, 'denied');
    assert.equal(result.text, 'The call was denied: An interceptor failed');
    assert.deepEqual(tool.calls, []);
  }
});

test('an interceptor cannot change the call by mutation, before or after its decision', async () => {
  const tool = recordingTool('t');
  const harness = createHarness([tool]);
  const modified = { list: [1] };
  harness.hooks.intercept((call) => {
    assert.throws(() => Object.assign(call.args, { a: 2 }), TypeError);
    assert.throws(() => Object.assign(call, { tool: 'other' }), TypeError);
    return { action: 'modify', args: modified };
  });
  const call = harness.call('t', { a: 1 });
  await call;
  assert.deepEqual(tool.calls, [{ list: [1] }]);
  assert.throws(() => (tool.calls[0]!['list'] as number[]).push(2), TypeError);
});

test('changing the arguments after the call has no effect', async () => {
  const tool = recordingTool('t');
  const harness = createHarness([tool]);
  harness.hooks.intercept(async () => ({ action: 'continue' }));
  const args = { a: 1, list: ['x'] };
  const call = harness.call('t', args);
  args.a = 2;
  args.list.push('y');
  await call;
  assert.deepEqual(tool.calls, [{ a: 1, list: ['x'] } satisfies JsonObject]);
  assert.equal(harness.onlyRecord().argsPreview, '{"a":1,"list":["x"]}');
});

test('a removed interceptor is not called any more', async () => {
  const harness = createHarness([recordingTool('t')]);
  const stop = harness.hooks.intercept(() => ({ action: 'deny', reason: 'no' }));
  assert.equal((await harness.call('t')).status, 'denied');
  stop();
  assert.equal((await harness.call('t')).status, 'ok');
});
