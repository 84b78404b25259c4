import assert from 'node:assert/strict';
import { isKernelError, KernelError } from '@ravi/kernel';
import type { ToolContext } from '@ravi/kernel';
import { approveAll, createTestJournal, settle } from '@ravi/testkit';
import { test } from 'vitest';
import { createHarness } from './support/harness.ts';
import type { Harness, HarnessOptions } from './support/harness.ts';
import { recordingTool, textResult } from './support/tools.ts';
import type { RecordingTool, ToolOverrides } from './support/tools.ts';

const busy = (options: ConstructorParameters<typeof KernelError>[2] = {}): KernelError =>
  new KernelError('E_BUSY', 'The service is busy', { retryable: true, ...options });

/** A safe tool that fails with these errors, one per attempt, and then succeeds. */
function failingTool(errors: readonly unknown[], overrides: ToolOverrides = {}): RecordingTool {
  const tool: RecordingTool = recordingTool('t', {
    risk: 'safe',
    ...overrides,
    run(_args, context) {
      const error = errors[tool.calls.length - 1];
      if (error === undefined) return textResult('done');
      if (typeof error === 'function') return (error as (context: ToolContext) => unknown)(context);
      throw error;
    },
  });
  return tool;
}

/** Lets a call run to its end on a clock that moves in steps of `stepMs`. */
async function finish(harness: Harness, options: HarnessOptions & { readonly stepMs?: number } = {}) {
  const calling = harness.call('t').then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  let ended: Awaited<typeof calling> | undefined;
  void calling.then((value) => (ended = value));
  for (let step = 0; ended === undefined && step < 200; step++) {
    await settle();
    if (ended === undefined) harness.clock.advance(options.stepMs ?? 1_000);
  }
  assert.ok(ended !== undefined, 'the call has ended');
  const outcome = await calling;
  if ('error' in outcome) throw outcome.error;
  return outcome.result;
}

test('a call is repeated after errors that may pass, as one call with one record and one key', async () => {
  const tool = failingTool([busy(), busy()]);
  const harness = createHarness([tool]);
  const result = await finish(harness);
  assert.deepEqual([result.status, result.text, tool.calls.length], ['ok', 'done', 3]);
  const record = harness.onlyRecord();
  const error = { code: 'E_BUSY', message: 'The service is busy' };
  assert.deepEqual(
    record.attempts?.map((attempt) => attempt.error),
    [error, error, undefined],
  );
  const starts = record.attempts?.map(({ startedAt }) => startedAt) ?? [];
  assert.deepEqual(
    starts,
    starts.toSorted((left, right) => left - right),
  );
  assert.equal(starts[0], record.startedAt);
  assert.equal(record.status, 'ok');
  assert.equal(harness.session.callCount, 1);
  assert.equal(new Set(tool.contexts.map(({ idempotencyKey }) => idempotencyKey)).size, 1);
});

test('observers and the session receive each failed attempt, and one start and one end of the call', async () => {
  const progress: string[] = [];
  const harness = createHarness([failingTool([busy(), busy()])], {
    session: { onProgress: ({ type }) => void progress.push(type) },
  });
  await finish(harness);
  const retries = harness.recorded.of('tool-retry');
  assert.deepEqual(
    retries.map(({ callId, tool, attempt, error }) => [callId, tool, attempt, error.code]),
    [
      ['call_1', 't', 1, 'E_BUSY'],
      ['call_1', 't', 2, 'E_BUSY'],
    ],
  );
  assert.deepEqual(progress, ['tool-call', 'tool-retry', 'tool-retry', 'tool-result']);
  const [ended] = harness.recorded.of('tool-result');
  assert.equal(ended?.attempts?.length, 3);
  assert.throws(() => Object.assign(ended?.attempts?.[0] ?? {}, { durationMs: 0 }), TypeError);
});

test('the wait doubles from toolRetryDelayMs, with up to half of it left out at random', async () => {
  const harness = createHarness(
    [
      failingTool(
        Array.from({ length: 5 }, () => busy()),
        { retry: { maxRetries: 5 } },
      ),
    ],
    {
      policy: { toolRetryDelayMs: 100 },
    },
  );
  await finish(harness, { stepMs: 100 });
  const delays = harness.recorded.of('tool-retry').map(({ delayMs }) => delayMs);
  assert.equal(delays.length, 5);
  delays.forEach((delayMs, index) => {
    const whole = 100 * 2 ** index;
    assert.ok(delayMs >= whole / 2 && delayMs <= whole, `${delayMs} of ${whole}`);
  });
});

test('a longer retryAfterMs of the other side is the wait', async () => {
  const harness = createHarness([failingTool([busy({ retryAfterMs: 7_000 })])]);
  await finish(harness);
  assert.deepEqual(
    harness.recorded.of('tool-retry').map(({ delayMs }) => delayMs),
    [7_000],
  );
});

test('a wait that would reach the time limit of the call is not begun: the call ends with its own error', async () => {
  const tool = failingTool([busy({ retryAfterMs: 60_000 })]);
  const harness = createHarness([tool]);
  const { error } = await harness.call('t');
  assert.deepEqual([error?.code, error?.retryAfterMs, tool.calls.length], ['E_BUSY', 60_000, 1]);
  assert.equal(harness.onlyRecord().attempts, undefined);
  assert.equal(harness.clock.pendingTimers, 1, 'the timer of the time limits alone');
});

test('all attempts together have the time limit of one call', async () => {
  const never = (): Promise<never> => new Promise(() => {});
  const tool = failingTool([busy(), never]);
  const harness = createHarness([tool], { policy: { callTimeoutMs: 5_000, toolRetryDelayMs: 1_000 } });
  const { error } = await finish(harness);
  assert.equal(error?.code, 'E_CALL_TIMEOUT');
  const record = harness.onlyRecord();
  assert.deepEqual([record.status, record.durationMs], ['timeout', 5_000]);
  assert.deepEqual(
    record.attempts?.map((attempt) => attempt.error?.code),
    ['E_BUSY', 'E_CALL_TIMEOUT'],
  );
});

test('errors that cannot improve end the call at once', async () => {
  const errors: readonly unknown[] = [
    new Error('no such file'),
    Object.assign(new Error('no such file'), { code: 'ENOENT' }),
    new KernelError('E_FORBIDDEN', 'not allowed'),
    new TypeError('not a function'),
    busy({ retryable: false }),
    'text',
    undefined,
  ];
  for (const error of errors) {
    const tool = recordingTool('t', {
      risk: 'safe',
      run() {
        throw error;
      },
    });
    const harness = createHarness([tool]);
    assert.equal((await harness.call('t')).status, 'error');
    assert.equal(tool.calls.length, 1, String(error));
  }
});

test('an error of the network is repeated without saying that it may pass', async () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  for (const error of [refused, new TypeError('fetch failed', { cause: refused })]) {
    const tool = failingTool([error]);
    assert.equal((await finish(createHarness([tool]))).status, 'ok');
    assert.equal(tool.calls.length, 2);
  }
});

test('a result with a retryable error block is repeated like an exception', async () => {
  const block = { type: 'error', message: 'busy', retryable: true } as const;
  const tool = failingTool([() => ({ content: [block], isError: true })]);
  assert.equal((await finish(createHarness([tool]))).status, 'ok');
});

test('only a call that can do no harm twice is repeated', async () => {
  const cases: readonly [ToolOverrides, KernelError, number][] = [
    [{ risk: 'high' }, busy(), 1],
    [{ risk: 'critical' }, busy(), 1],
    [{ risk: undefined as never }, busy(), 1],
    [{ risk: 'safe', classifyRisk: () => ({ risk: 'high' }) }, busy(), 1],
    [{ risk: 'high', idempotent: true }, busy(), 2],
    [{ risk: 'critical', idempotent: true }, busy(), 2],
    [{ risk: 'high' }, busy({ hadNoEffect: true }), 2],
    [{ risk: 'high' }, busy({ hadNoEffect: true, retryable: false }), 1],
    [{ risk: 'safe', retry: false }, busy(), 1],
    [{ risk: 'safe', retry: { maxRetries: 0 } }, busy(), 1],
    [{ risk: 'safe', managesOwnTimeout: true }, busy(), 1],
  ];
  for (const [overrides, error, count] of cases) {
    const approvals = approveAll();
    const tool = failingTool([error], overrides);
    const harness = createHarness([tool], { approvalHandler: approvals });
    const result = await finish(harness);
    assert.equal(tool.calls.length, count, JSON.stringify(overrides));
    assert.equal(result.status, count === 1 ? 'error' : 'ok');
    assert.ok(approvals.requests.length <= 1, 'a repeated call is not approved again');
  }
});

test('maxToolRetries 0 repeats no call of any tool', async () => {
  const tool = failingTool([busy()], { retry: { maxRetries: 3 } });
  const harness = createHarness([tool], { policy: { maxToolRetries: 0 } });
  assert.equal((await harness.call('t')).status, 'error');
  assert.equal(tool.calls.length, 1);
});

test('a call that has asked a person is not repeated, so that it asks once', async () => {
  const tool = failingTool([
    async ({ elicit }: ToolContext) => {
      await elicit({ mode: 'form', message: 'Which?', schema: { type: 'object', properties: {} } });
      throw busy();
    },
  ]);
  const harness = createHarness([tool], { approvalHandler: approveAll() });
  assert.equal((await finish(harness)).status, 'error');
  assert.equal(tool.calls.length, 1);
});

test('a cancellation during the wait ends the call, and the tool does not run again', async () => {
  const tool = failingTool([busy()]);
  const harness = createHarness([tool]);
  const call = harness.call('t');
  await settle();
  harness.session.cancel('stop');
  await assert.rejects(call, (error) => isKernelError(error, 'E_CANCELLED'));
  harness.clock.advance(3_600_000);
  await settle();
  assert.equal(tool.calls.length, 1);
  assert.equal(harness.onlyRecord().status, 'cancelled');
  assert.equal(harness.onlyRecord().attempts?.length, 1);
});

test('a tool that is forbidden during the wait does not run again', async () => {
  const tool = failingTool([busy()]);
  const harness = createHarness([tool]);
  const call = harness.call('t');
  await settle();
  harness.session.narrow(['other']);
  harness.clock.advance(1_000);
  assert.equal((await call).error?.code, 'E_BUSY');
  assert.equal(tool.calls.length, 1);
});

test('the journal has one start and one end for a repeated call', async () => {
  const journal = createTestJournal();
  const harness = createHarness([failingTool([busy(), busy()], { risk: 'high', idempotent: true })], {
    journal,
    policy: { maxRiskUnapproved: 'high' },
  });
  await finish(harness);
  assert.deepEqual(
    journal.writes.map(({ kind }) => kind),
    ['started', 'finished'],
  );
  assert.equal(journal.writes[1]?.entry.record.attempts?.length, 3);
});

test('invalid settings of a tool are refused when it is added', () => {
  for (const retry of [true, 3, { maxRetries: 11 }, { maxRetries: -1 }, { delayMs: 0 }, { delayMs: 1.5 }, []]) {
    assert.throws(
      () => createHarness([recordingTool('t', { retry: retry as never })]),
      (error) => isKernelError(error, 'E_TOOL_INVALID') && /retry/.test(error.message),
      JSON.stringify(retry),
    );
  }
});
