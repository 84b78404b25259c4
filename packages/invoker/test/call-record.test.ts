import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { ChainCallRecord, HostedTool } from '@ravi/kernel';
import { approveAll } from '@ravi/testkit';
import { test } from 'vitest';
import { Toolbox, ToolInvoker } from '../src/index.ts';
import { createHarness } from './support/harness.ts';
import { heldTool, recordingTool, textResult } from './support/tools.ts';

const hosted: HostedTool = { name: 'hosted', description: 'Run elsewhere.', providerSpecs: {} };

test('every call leaves one finished record in the trace and emits tool-result once, however it ends', async () => {
  const failing = recordingTool('failing', {
    run() {
      throw new Error('no');
    },
  });
  const held = heldTool('held');
  const harness = createHarness(
    [
      recordingTool('good'),
      failing,
      held,
      hosted,
      recordingTool('risky', { risk: 'high' }),
      recordingTool('garbage', { run: () => 'nonsense' }),
      recordingTool('strict', { inputSchema: { required: ['a'] } }),
      recordingTool('broken', { inputSchema: { type: 'nonsense' } }),
    ],
    { policy: { maxToolCalls: 11 } },
  );
  await harness.call('good');
  await harness.call('failing');
  await harness.call('unknown');
  await harness.call('hosted');
  await harness.call('risky');
  await harness.call('garbage');
  await harness.call('strict');
  await harness.call('broken');
  await harness.call('good', { n: 1n });
  const late = harness.call('held');
  await held.started(0);
  harness.clock.advance(60_000);
  await late;
  const cancelled = harness.call('held');
  await held.started(1);
  harness.session.cancel('stop');
  await cancelled.catch(() => {});
  await harness.call('good');
  const expected: readonly (readonly [string, ChainCallRecord['status'], string?])[] = [
    ['good', 'ok'],
    ['failing', 'error', 'E_TOOL_FAILED'],
    ['unknown', 'error', 'E_TOOL_UNKNOWN'],
    ['hosted', 'error', 'E_TOOL_NOT_CALLABLE'],
    ['risky', 'denied', 'E_APPROVAL_NO_HANDLER'],
    ['garbage', 'error', 'E_TOOL_FAILED'],
    ['strict', 'error', 'E_ARGUMENTS_INVALID'],
    ['broken', 'error', 'E_TOOL_INVALID'],
    ['good', 'error', 'E_ARGUMENTS_INVALID'],
    ['held', 'timeout', 'E_CALL_TIMEOUT'],
    ['held', 'cancelled', 'E_CANCELLED'],
    ['good', 'error', 'E_BUDGET_EXHAUSTED'],
  ];
  assert.deepEqual(
    harness.session.trace.map(({ tool, status, errorCode }) => [
      tool,
      status,
      ...(errorCode === undefined ? [] : [errorCode]),
    ]),
    expected,
  );
  const ends = harness.recorded.of('tool-result');
  assert.deepEqual(
    ends.map(({ tool, status, errorCode }) => [tool, status, ...(errorCode === undefined ? [] : [errorCode])]),
    expected,
  );
  assert.deepEqual(
    ends.map((end) => end.callId),
    harness.session.trace.map((record) => record.callId),
  );
  assert.equal(harness.recorded.of('tool-call').length, expected.length);
});

test('records are in the order in which the calls ended', async () => {
  const tool = heldTool('t');
  const harness = createHarness([tool]);
  const calls = ['a', 'b', 'c'].map((callId) => harness.call('t', {}, { callId }));
  await tool.started(2);
  for (const index of [1, 2, 0]) {
    tool.finish(index);
    await calls[index];
  }
  assert.deepEqual(
    harness.session.trace.map((record) => record.callId),
    ['b', 'c', 'a'],
  );
});

test('a record has the start, the duration, the caller and the size', async () => {
  const tool = heldTool('t');
  const harness = createHarness([tool]);
  const startedAt = harness.clock.now();
  const call = harness.call('t', { a: 1 }, { callId: 'c1', caller: 'chain' });
  await tool.started(0);
  harness.clock.advance(250);
  tool.finish(0, textResult('é'));
  await call;
  const { argsDigest, ...record } = harness.onlyRecord();
  assert.match(argsDigest, /^hmac-sha256:[0-9a-f]{64}$/);
  assert.deepEqual(record, {
    callId: 'c1',
    tool: 't',
    caller: 'chain',
    argsPreview: '{"a":1}',
    status: 'ok',
    startedAt,
    durationMs: 250,
    bytes: 2,
  });
});

test('a trace is a copy: changing it has no effect on the session', async () => {
  const harness = createHarness([recordingTool('t', { risk: 'high' })], { approvalHandler: approveAll() });
  await harness.call('t');
  const before = structuredClone(harness.session.trace);
  const [record] = harness.session.trace as unknown as [{ status: string; approval: { decision: string } }];
  record.status = 'denied';
  assert.throws(() => (record.approval.decision = 'denied'), TypeError);
  (harness.session.trace as ChainCallRecord[]).pop();
  assert.deepEqual(harness.session.trace, before);
});

test('calls without an id are numbered, and inside another call they start with its id', async () => {
  const harness = createHarness([recordingTool('t')]);
  await using inner = harness.invoker.openSession({ parentCallId: 'call_7' });
  await harness.call('t');
  await harness.call('t');
  await harness.call('t', {}, { session: inner });
  assert.deepEqual(
    [...harness.session.trace, ...inner.trace].map((record) => record.callId),
    ['call_1', 'call_2', 'call_7.call_1'],
  );
});

test('the digest does not depend on the order of keys and differs for different arguments', async () => {
  const harness = createHarness([recordingTool('t')]);
  for (const args of [
    { a: 1, b: { c: 2, d: 3 } },
    { b: { d: 3, c: 2 }, a: 1 },
    { a: 1, b: { c: 2, d: 4 } },
  ]) {
    await harness.call('t', args);
  }
  const [first, same, other] = harness.session.trace.map((record) => record.argsDigest);
  assert.equal(same, first);
  assert.notEqual(other, first);
});

test('the digest is keyed: it differs between installations, and between processes with a random key', async () => {
  const digests = new Set<string>();
  for (const digestKey of [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2), undefined, undefined]) {
    const registry = new Toolbox([recordingTool('t')]);
    const invoker = new ToolInvoker(digestKey === undefined ? { registry } : { registry, digestKey });
    await using session = invoker.openSession();
    await invoker.invoke({ name: 't', args: { a: 1 } }, { session });
    digests.add(session.trace[0]!.argsDigest);
  }
  assert.equal(digests.size, 4);
});

test('a digest key that is too short to keep a secret is refused', () => {
  for (const length of [0, 16, 31]) {
    assert.throws(
      () => new ToolInvoker({ registry: new Toolbox(), digestKey: new Uint8Array(length) }),
      (error) => isKernelError(error, 'E_CONFIG_INVALID') && error.message.includes(`${length}`),
    );
  }
});

test('previews are redacted and bounded, and nothing else of large arguments is kept', async () => {
  const harness = createHarness([recordingTool('t')]);
  await harness.call('t', { user: 'ada', password: 'hunter2', nested: [{ apiKey: 'k' }] });
  assert.equal(
    harness.session.trace[0]?.argsPreview,
    '{"user":"ada","password":"[redacted]","nested":[{"apiKey":"[redacted]"}]}',
  );
  await harness.call('t', { body: 'é'.repeat(50_000) });
  const { argsPreview } = harness.session.trace[1]!;
  assert.ok(Buffer.byteLength(argsPreview) <= 203);
  assert.match(argsPreview, /^\{"body":"é+…$/);
});

test('arguments that no gate has read still have a preview and a digest', async () => {
  const harness = createHarness([recordingTool('t')]);
  await harness.call('unknown', { a: 1 });
  await harness.call('t', { a: 1 });
  const [refused, ran] = harness.session.trace;
  assert.equal(refused?.argsPreview, '{"a":1}');
  assert.equal(refused?.argsDigest, ran?.argsDigest);
});
