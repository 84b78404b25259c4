import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { HostedTool, ProgressEvent } from '@ravi/kernel';
import { approveAll, createTestApprovals, createTestBlobs, createTestJournal, refusing } from '@ravi/testkit';
import { test } from 'vitest';
import { createHarness } from './support/harness.ts';
import { recordingTool, textResult } from './support/tools.ts';

const hosted: HostedTool = { name: 'hosted', description: 'Run elsewhere.', providerSpecs: {} };

test('a call that fails every gate is stopped by the first, then by the next, in the order of the list', async () => {
  const artifactStore = createTestBlobs();
  const foreign = { $artifact: artifactStore.put('x', { scope: { principal: 'eve', sessionId: 'other' } }) };
  const tool = recordingTool('t', {
    risk: 'high',
    inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    concurrency: { keys: () => undefined as unknown as string[] },
  });
  const denying = createTestApprovals(() => Promise.resolve({ decision: 'denied' }));

  // Each step fixes the reason of the previous failure and nothing else.
  const broken = {
    maxToolCalls: 1,
    name: 'unknown',
    allowed: ['none'],
    intercept: true,
    args: { file: foreign } as object,
  };
  const codes: (string | undefined)[] = [];
  const attempt = async (setting: Partial<typeof broken>, handler = denying, cancelled = true, lock = false) => {
    const { maxToolCalls, name, allowed, intercept, args } = { ...broken, ...setting };
    const used = lock ? { ...tool, concurrency: 'parallel' as const } : tool;
    const harness = createHarness([used, hosted], {
      artifactStore,
      approvalHandler: handler,
      journal: createTestJournal(refusing('started')),
      policy: { maxToolCalls },
      session: { allowedTools: allowed },
    });
    if (maxToolCalls === 1) await harness.call('unknown');
    if (intercept) harness.hooks.intercept(() => ({ action: 'deny', reason: 'intercepted' }));
    if (cancelled)
      harness.hooks.observe('approval-decided', () => queueMicrotask(() => harness.session.cancel('stop')));
    const result = await harness.call(name, args).catch((error: unknown) => {
      assert.ok(isKernelError(error));
      return { error: { code: `thrown ${error.code}` } };
    });
    codes.push(result.error?.code);
  };

  await attempt({});
  await attempt({ maxToolCalls: 9 });
  await attempt({ maxToolCalls: 9, name: 'hosted' });
  await attempt({ maxToolCalls: 9, name: 't' });
  await attempt({ maxToolCalls: 9, name: 't', allowed: ['t'] });
  await attempt({ maxToolCalls: 9, name: 't', allowed: ['t'], args: {} });
  const passing = { maxToolCalls: 9, name: 't', allowed: ['t'], intercept: false };
  await attempt({ ...passing, args: {} });
  await attempt({ ...passing, args: { n: 1 } }, denying, false);
  await attempt({ ...passing, args: { n: 1 } }, approveAll());
  await attempt({ ...passing, args: { n: 1 } }, approveAll(), false);
  await attempt({ ...passing, args: { n: 1 } }, approveAll(), false, true);
  assert.deepEqual(codes, [
    'E_BUDGET_EXHAUSTED', //        1
    'E_TOOL_UNKNOWN', //            2
    'E_TOOL_NOT_CALLABLE', //       3
    'E_TOOL_NOT_ALLOWED', //        3a
    'E_ARTIFACT_FORBIDDEN', //      the content
    'E_TOOL_NOT_ALLOWED', //        the interceptor
    'E_ARGUMENTS_INVALID', //       3b
    'E_APPROVAL_DENIED', //         4
    'thrown E_CANCELLED', //        6
    'E_TOOL_FAILED', //             6a
    'E_INTERNAL', //                6b
  ]);
  assert.deepEqual(tool.calls, []);
});

test('one call passes the gates in the order of the list', async () => {
  const steps: string[] = [];
  const artifactStore = createTestBlobs();
  const note = <Value>(step: string, value: Value): Value => {
    steps.push(step);
    return value;
  };
  const tool = recordingTool('t', {
    classifyRisk: () => note('risk judged', { risk: 'high' }),
    concurrency: { keys: () => note('locked', ['a']) },
    run(_args, context) {
      note('executed', undefined);
      context.progress({ fraction: 0.5 });
      return textResult('x'.repeat(5_000));
    },
  });
  const harness = createHarness([tool], {
    artifactStore,
    approvalHandler: createTestApprovals(() => Promise.resolve(note('approved', { decision: 'approved' }))),
    journal: createTestJournal((kind) => void note(`journal ${kind}`, undefined)),
    session: { onProgress: ({ type }) => void note(`progress ${type}`, undefined) },
  });
  for (const type of ['tool-call', 'tool-result', 'artifact'] as const) {
    harness.hooks.observe(type, () => void note(`hook ${type}`, undefined));
  }
  harness.hooks.intercept(() => note('intercepted', { action: 'continue' }));
  harness.hooks.interceptResult('after-tool', () => note('result intercepted', undefined));
  await harness.call('t');
  assert.deepEqual(steps, [
    'hook tool-call',
    'progress tool-call',
    'intercepted',
    'risk judged',
    'approved',
    'locked',
    'journal started',
    'executed',
    'progress tool-progress',
    'hook artifact',
    'result intercepted',
    'journal finished',
    'hook tool-result',
    'progress tool-result',
  ]);
});

test('progress reports calls inside a script as they happen', async () => {
  const events: ProgressEvent[] = [];
  const tool = recordingTool('t', {
    run(_args, { progress }) {
      progress({ message: 'half' });
      return textResult('ok');
    },
  });
  const harness = createHarness([tool], { session: { onProgress: (event) => void events.push(event) } });
  await harness.call('t', {}, { caller: 'chain', callId: 'c1' });
  const call = { runId: 'run', sessionId: 'session', callId: 'c1', tool: 't' };
  assert.deepEqual(events, [
    { type: 'tool-call', ...call, caller: 'chain', argsPreview: '{}' },
    { type: 'tool-progress', ...call, update: { message: 'half' } },
    { type: 'tool-result', ...call, caller: 'chain', status: 'ok', durationMs: 0, argsPreview: '{}', bytes: 2 },
  ]);
});

test('a progress sink that throws does not affect the call', async () => {
  const harness = createHarness([recordingTool('t')], {
    session: {
      onProgress() {
        throw new Error('the socket is closed');
      },
    },
  });
  assert.equal((await harness.call('t')).status, 'ok');
  assert.deepEqual(harness.logger.messages('warn'), ['progress sink failed', 'progress sink failed']);
});

test('a thrown value that cannot be printed does not affect the call either', async () => {
  const unprintable: unknown = Object.create(null);
  const fail = (): never => {
    throw unprintable;
  };
  const tool = recordingTool('t', { risk: 'high', concurrency: { keys: fail } });
  const judged = recordingTool('judged', { classifyRisk: fail });
  const harness = createHarness([tool, judged], {
    approvalHandler: createTestApprovals((_, index) =>
      index === 0 ? Promise.reject(unprintable) : approveAll().request({} as never, {} as never),
    ),
    session: { onProgress: fail },
  });
  harness.hooks.observe('tool-call', fail);
  harness.hooks.observe('tool-result', () => Promise.reject(unprintable));
  harness.hooks.interceptResult('tool-error', fail);
  const codes = [await harness.call('t'), await harness.call('t'), await harness.call('judged')].map(
    ({ error }) => error?.code,
  );
  assert.deepEqual(codes, ['E_APPROVAL_DENIED', 'E_TOOL_FAILED', undefined]);
  harness.hooks.intercept(fail);
  assert.equal((await harness.call('judged')).error?.code, 'E_TOOL_NOT_ALLOWED');
  assert.equal(harness.session.trace.length, 4);
});

test('an internal failure is an error without its internal message, recorded once', async () => {
  const harness = createHarness([recordingTool('t')]);
  harness.toolbox.get = () => {
    throw new Error('/srv/ravi/secret.ts:12');
  };
  const result = await harness.call('t');
  assert.equal(result.error?.code, 'E_INTERNAL');
  assert.equal(result.text, 'The call of t failed with an internal error');
  assert.equal(harness.onlyRecord().status, 'error');
  assert.deepEqual(harness.logger.messages('error'), ['the invoker itself failed']);
});
