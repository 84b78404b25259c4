import assert from 'node:assert/strict';
import type { InvocationResult, ResultPoint } from '@ravi/kernel';
import { createFakeClock, createMemoryLogger, settle } from '@ravi/testkit';
import { test } from 'vitest';
import { HookManager } from '../../src/index.ts';
import { createHarness } from '../support/harness.ts';
import { recordingTool } from '../support/tools.ts';

function createHooks() {
  const clock = createFakeClock();
  const logger = createMemoryLogger();
  return { clock, logger, hooks: new HookManager({ clock, logger }) };
}

const scope = { runId: 'r', sessionId: 's' };

test('an observer gets a frozen copy', async () => {
  const { hooks, logger } = createHooks();
  const payload = { ...scope, tool: 't', approval: { requestId: 'a', decision: 'approved' as const, waitedMs: 1 } };
  const seen: unknown[] = [];
  hooks.observe('approval-decided', (given) => {
    seen.push(given);
    (given.approval as { decision: string }).decision = 'denied';
  });
  hooks.observe('approval-decided', (given) => void seen.push(given.approval.decision));
  hooks.emit({ type: 'approval-decided', ...payload });
  await settle();
  assert.notEqual(seen[0], payload);
  assert.equal(seen[1], 'approved');
  assert.deepEqual(logger.messages('warn'), ['hook observer failed']);
});

test('observers that throw, reject or never end are logged and affect no other observer', async () => {
  const harness = createHarness([recordingTool('t')]);
  harness.hooks.observe('tool-call', () => {
    throw new Error('no');
  });
  harness.hooks.observe('tool-call', () => Promise.reject(new Error('no')));
  harness.hooks.observe('tool-call', () => new Promise(() => {}));
  harness.hooks.observe('tool-call', () => ({ then() {} }) as unknown as Promise<void>);
  assert.equal((await harness.call('t')).status, 'ok');
  await settle();
  assert.equal(harness.logger.messages('warn').length, 2);
  harness.clock.advance(5_000);
  await settle();
  assert.equal(harness.logger.messages('warn').length, 4);
  assert.match(
    String(harness.logger.records.at(-1)?.fields?.['error']),
    /observer of tool-call took longer than 5000 ms/,
  );
});

test('a removed observer is not called any more, even if it removed itself', () => {
  const { hooks } = createHooks();
  const heard: string[] = [];
  const stopFirst = hooks.observe('session-opened', () => {
    heard.push('first');
    stopFirst();
  });
  const stopSecond = hooks.observe('session-opened', () => void heard.push('second'));
  hooks.emit({ type: 'session-opened', ...scope });
  hooks.emit({ type: 'session-opened', ...scope });
  stopSecond();
  stopSecond();
  hooks.emit({ type: 'session-opened', ...scope });
  assert.deepEqual(heard, ['first', 'second', 'second']);
  assert.equal(hooks.observes('session-opened'), false);
});

test('an observer that adds observers does not loop', () => {
  const { hooks } = createHooks();
  let heard = 0;
  const again = (): void => {
    heard++;
    hooks.observe('session-opened', () => again());
  };
  hooks.observe('session-opened', again);
  hooks.emit({ type: 'session-opened', ...scope });
  assert.equal(heard, 1);
});

test('one function that observes twice is two observers', () => {
  const { hooks } = createHooks();
  let heard = 0;
  const observer = (): void => void heard++;
  const stop = hooks.observe('session-opened', observer);
  hooks.observe('session-opened', observer);
  stop();
  hooks.emit({ type: 'session-opened', ...scope });
  assert.equal(heard, 1);
});

/** Tool to call for each point. */
const points: Readonly<Record<ResultPoint, string>> = {
  'after-tool': 'good',
  'tool-error': 'bad',
  'permission-denied': 'risky',
  'budget-exceeded': 'good',
  'tools-disabled': 'good',
};

function atPoint(point: ResultPoint) {
  const bad = recordingTool('bad', {
    run() {
      throw new Error('broken');
    },
  });
  return createHarness([recordingTool('good'), bad, recordingTool('risky', { risk: 'high' })], {
    policy: { maxToolCalls: point === 'budget-exceeded' ? 1 : 9 },
    session: { toolsEnabled: point !== 'tools-disabled' },
  });
}

test('each of the five points sees its own results only', async () => {
  for (const [point, name] of Object.entries(points) as [ResultPoint, string][]) {
    const harness = atPoint(point);
    if (point === 'budget-exceeded') await harness.call('unknown');
    const seen: ResultPoint[] = [];
    for (const other of Object.keys(points) as ResultPoint[]) {
      harness.hooks.interceptResult(other, (call, result) => {
        assert.ok(Object.isFrozen(call) && Object.isFrozen(result));
        seen.push(other);
        return undefined;
      });
    }
    await harness.call(name);
    assert.deepEqual(seen, [point]);
  }
});

test('an interceptor may replace a result, and the next one sees the replacement', async () => {
  const harness = atPoint('after-tool');
  harness.hooks.interceptResult('after-tool', (_call, result) => ({ ...result, text: `${result.text}!` }));
  harness.hooks.interceptResult('after-tool', (_call, result) => ({ ...result, text: `<${result.text}>` }));
  assert.equal((await harness.call('good')).text, '<ok!>');
  assert.equal(harness.onlyRecord().status, 'ok');
});

test('a failure may be replaced by a success, and the trace still has the failure', async () => {
  const harness = atPoint('tool-error');
  harness.hooks.interceptResult('tool-error', () => ({ status: 'ok', text: 'from the cache', files: [] }));
  assert.deepEqual(await harness.call('bad'), { status: 'ok', text: 'from the cache', files: [] });
  assert.equal(harness.onlyRecord().status, 'error');
});

test('the result of a call that stopped before its tool was looked up may be replaced, also by a success', async () => {
  const harness = atPoint('budget-exceeded');
  const missing = { status: 'ok', text: 'there is none', files: [] } as const;
  harness.hooks.interceptResult('tool-error', () => missing);
  assert.deepEqual(await harness.call('unknown'), missing);
  harness.hooks.interceptResult('budget-exceeded', (_call, result) => ({ ...result, text: `${result.text} Stop.` }));
  assert.match((await harness.call('good')).text, /is used up.* Stop\.$/);
});

test('a denied call stays denied, even if an interceptor returns ok or changes the result in place', async () => {
  for (const point of ['permission-denied', 'tools-disabled'] as const) {
    const harness = atPoint(point);
    const before = await harness.call(points[point]);
    harness.hooks.interceptResult(point, () => ({ status: 'ok', text: 'allowed', files: [] }));
    const result = await harness.call(points[point]);
    assert.equal(result.status, 'denied');
    assert.equal(result.text, 'allowed');
    assert.equal(result.error?.code, before.error?.code);
    harness.hooks.interceptResult(point, (_call, given) => {
      (given as { status: string }).status = 'ok';
      return undefined;
    });
    assert.equal((await harness.call(points[point])).status, 'denied');
  }
});

test('an invalid replacement leaves the result unchanged', async () => {
  const bad: readonly unknown[] = [
    null,
    'ok',
    {},
    { status: 'great', text: '', files: [] },
    { status: 'ok', text: 7, files: [] },
    { status: 'ok', text: 'x' },
    { status: 'error', text: 'x', files: [] },
    { status: 'error', text: 'x', files: [], error: 'E_X' },
  ];
  for (const replacement of bad) {
    const harness = atPoint('after-tool');
    harness.hooks.interceptResult('after-tool', () => replacement as InvocationResult);
    assert.equal((await harness.call('good')).text, 'ok', JSON.stringify(replacement));
    assert.deepEqual(harness.logger.messages('error'), ['result interceptor failed']);
  }
});

test('an interceptor of results that throws or is too slow leaves the result unchanged', async () => {
  const harness = atPoint('after-tool');
  harness.hooks.interceptResult('after-tool', () => {
    throw new Error('no');
  });
  harness.hooks.interceptResult('after-tool', () => new Promise(() => {}));
  const call = harness.call('good');
  await settle();
  harness.clock.advance(5_000);
  assert.equal((await call).text, 'ok');
  assert.equal(harness.logger.messages('error').length, 2);
});

test('an interceptor cannot change a result after it was delivered', async () => {
  const harness = atPoint('after-tool');
  const kept = { status: 'ok' as const, text: 'fine', files: [] };
  harness.hooks.interceptResult('after-tool', () => kept);
  const result = await harness.call('good');
  kept.text = 'changed';
  assert.equal(result.text, 'fine');
});

test('interceptors do not see the result of a cancelled call', async () => {
  const harness = atPoint('after-tool');
  let asked = 0;
  for (const point of Object.keys(points) as ResultPoint[]) {
    harness.hooks.interceptResult(point, () => {
      asked++;
      return undefined;
    });
  }
  harness.session.cancel('stop');
  await assert.rejects(harness.call('good'));
  assert.equal(asked, 0);
});

test('at every point an interceptor sees the arguments of the call', async () => {
  for (const [point, name] of [
    ['after-tool', 'good'],
    ['tool-error', 'unknown'],
    ['permission-denied', 'risky'],
    ['tools-disabled', 'good'],
  ] as const) {
    const harness = atPoint(point);
    const seen: unknown[] = [];
    harness.hooks.interceptResult(point, (call) => {
      seen.push(call.args);
      return undefined;
    });
    await harness.call(name, { a: 1 });
    assert.deepEqual(seen, [{ a: 1 }], point);
  }
});
