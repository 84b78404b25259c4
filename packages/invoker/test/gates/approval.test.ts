import assert from 'node:assert/strict';
import type { ToolRisk } from '@ravi/kernel';
import { approveAll, createTestApprovals, createTestJournal } from '@ravi/testkit';
import { test } from 'vitest';
import { createHarness } from '../support/harness.ts';
import { recordingTool } from '../support/tools.ts';

function tools() {
  return (['safe', 'high', 'critical'] as const).map((risk) => recordingTool(risk, { risk }));
}

test('a call above the threshold never runs without approval, and a critical one needs it under every policy', async () => {
  for (const [maxRiskUnapproved, asked] of [
    ['safe', ['high', 'critical']],
    ['high', ['critical']],
  ] as const) {
    const approvalHandler = approveAll();
    const harness = createHarness(tools(), { approvalHandler, policy: { maxRiskUnapproved } });
    for (const name of ['safe', 'high', 'critical']) assert.equal((await harness.call(name)).status, 'ok');
    assert.deepEqual(
      approvalHandler.requests.map((request) => request.tool),
      asked,
    );
  }
});

test('a call from a script needs approval like a direct one', async () => {
  const approvalHandler = createTestApprovals(() => Promise.resolve({ decision: 'denied' }));
  const [, high] = tools();
  const harness = createHarness([high!], { approvalHandler });
  for (const caller of ['direct', 'chain'] as const) {
    assert.equal((await harness.call('high', {}, { caller })).error?.code, 'E_APPROVAL_DENIED');
  }
  assert.deepEqual(high!.calls, []);
});

test('without an approval handler a risky call is denied with the reason', async () => {
  const [, high] = tools();
  const harness = createHarness([high!]);
  const result = await harness.call('high');
  assert.equal(result.status, 'denied');
  assert.equal(result.error?.code, 'E_APPROVAL_NO_HANDLER');
  assert.match(result.text, /has risk high and needs approval, but no approval handler is configured/);
  assert.equal(harness.onlyRecord().approval?.decision, 'no-handler');
  assert.deepEqual(high!.calls, []);
});

test('denied and skipped both deny, and the reason reaches the model', async () => {
  for (const decision of ['denied', 'skipped'] as const) {
    const answer = { decision, reason: 'use the staging list', approver: 'grace' };
    const [, high] = tools();
    const harness = createHarness([high!], {
      approvalHandler: createTestApprovals(() => Promise.resolve(answer)),
    });
    const result = await harness.call('high');
    assert.equal(result.status, 'denied');
    assert.equal(result.error?.code, 'E_APPROVAL_DENIED');
    assert.equal(result.text, `The call of high was ${decision}: use the staging list`);
    const { requestId: _, ...approval } = harness.onlyRecord().approval!;
    assert.deepEqual(approval, { ...answer, waitedMs: 0 });
    assert.deepEqual(high!.calls, []);
  }
});

test('a handler that throws or rejects denies', async () => {
  for (const decide of [
    () => {
      throw new Error('the screen is gone');
    },
    () => Promise.reject(new Error('the screen is gone')),
  ]) {
    const [, high] = tools();
    const harness = createHarness([high!], { approvalHandler: createTestApprovals(decide) });
    const result = await harness.call('high');
    assert.equal(result.error?.code, 'E_APPROVAL_DENIED');
    assert.equal(result.text, 'The approval of high failed: the approval handler failed');
    assert.deepEqual(harness.logger.messages('error'), ['approval handler failed']);
    assert.deepEqual(high!.calls, []);
  }
});

test('an invalid decision denies', async () => {
  const garbage: readonly unknown[] = [
    undefined,
    null,
    true,
    'approved',
    {},
    { decision: true },
    { decision: 'yes' },
    { decision: 'APPROVED' },
    { decision: 'toString' },
    { decision: 'modified' },
    { decision: 'modified', modifiedArgs: 'x' },
    { get decision() { throw new Error('no'); } }, // prettier-ignore
  ];
  for (const [index, answer] of garbage.entries()) {
    const [, high] = tools();
    const harness = createHarness([high!], { approvalHandler: createTestApprovals(() => Promise.resolve(answer)) });
    const result = await harness.call('high');
    assert.equal(result.error?.code, 'E_APPROVAL_DENIED', `answer ${index}`);
    assert.deepEqual(high!.calls, []);
  }
});

test('each field of a decision is read once', async () => {
  let reads = 0;
  const shifty = {
    get decision() {
      return reads++ === 0 ? 'denied' : 'approved';
    },
  };
  const [, high] = tools();
  const harness = createHarness([high!], { approvalHandler: createTestApprovals(() => Promise.resolve(shifty)) });
  assert.equal((await harness.call('high')).status, 'denied');
  assert.deepEqual(high!.calls, []);
});

test('a reason or an approver that is not a string is left out', async () => {
  const answer = { decision: 'denied', reason: { html: '<b>' }, approver: 7 };
  const harness = createHarness([tools()[1]!], { approvalHandler: createTestApprovals(() => Promise.resolve(answer)) });
  assert.equal((await harness.call('high')).text, 'The call of high was denied');
  const { requestId: _, ...approval } = harness.onlyRecord().approval!;
  assert.deepEqual(approval, { decision: 'denied', waitedMs: 0 });
});

test('a tool without a declared risk has the default of the policy', async () => {
  const harness = createHarness([recordingTool('plain')], { policy: { defaultRisk: 'high' } });
  assert.equal((await harness.call('plain')).error?.code, 'E_APPROVAL_NO_HANDLER');
});

test('classifyRisk can raise the risk of one call and never lower it', async () => {
  const approvalHandler = approveAll();
  const classifyRisk = (args: { readonly judged?: unknown }) => ({ risk: args.judged as ToolRisk });
  const harness = createHarness(
    [recordingTool('low', { risk: 'safe', classifyRisk }), recordingTool('mid', { risk: 'high', classifyRisk })],
    { approvalHandler },
  );
  const riskOf = async (name: string, judged: string) => {
    const before = approvalHandler.requests.length;
    await harness.call(name, { judged });
    return approvalHandler.requests[before]?.risk ?? 'safe';
  };
  assert.equal(await riskOf('low', 'safe'), 'safe');
  assert.equal(await riskOf('low', 'high'), 'high');
  assert.equal(await riskOf('low', 'critical'), 'critical');
  assert.equal(await riskOf('mid', 'safe'), 'high');
  assert.equal(await riskOf('mid', 'critical'), 'critical');
});

test('a classifyRisk that throws or returns an invalid risk counts as critical', async () => {
  const judgements: readonly (() => unknown)[] = [
    () => {
      throw new Error('no');
    },
    () => undefined,
    () => ({}),
    () => ({ risk: 'none' }),
    () => ({ risk: 'toString' }),
    () => Promise.resolve({ risk: 'safe' }),
  ];
  for (const judgement of judgements) {
    const approvalHandler = approveAll();
    const tool = recordingTool('t', { classifyRisk: judgement as () => { risk: ToolRisk } });
    await createHarness([tool], { approvalHandler }).call('t');
    assert.equal(approvalHandler.requests[0]?.risk, 'critical', String(judgement));
  }
});

test('classifyRisk cannot change the arguments', async () => {
  const tool = recordingTool('t', {
    classifyRisk(args) {
      (args as { path: string }).path = '/etc/passwd';
      return { risk: 'safe' };
    },
  });
  const approvalHandler = approveAll();
  await createHarness([tool], { approvalHandler }).call('t', { path: 'a.txt' });
  assert.equal(approvalHandler.requests[0]?.risk, 'critical', 'it throws, since the arguments are frozen');
  assert.deepEqual(tool.calls, [{ path: 'a.txt' }]);
});

test('the request is complete, frozen, plain JSON and redacted; the tool gets the secrets', async () => {
  const approvalHandler = approveAll();
  const tool = recordingTool('send', {
    risk: 'high',
    classifyRisk: () => ({ risk: 'high', summary: 'Mail to 3 people' }),
    inputSchema: {
      type: 'object',
      properties: {
        smtp: { properties: { password: { type: 'string' } } },
        api_key: { items: { writeOnly: true } },
      },
    },
  });
  const harness = createHarness([tool], { approvalHandler });
  const args = { to: ['a', 'b'], smtp: { user: 'ada', password: 'hunter2' }, api_key: ['k', 7] };
  await harness.call('send', args, { callId: 'c1' });
  const [request] = approvalHandler.requests;
  const { id, argsDigest, toolDigest, ...rest } = request!;
  assert.deepEqual(rest, {
    runId: 'run',
    sessionId: 'session',
    callId: 'c1',
    principal: 'ada',
    tool: 'send',
    description: 'The tool send.',
    risk: 'high',
    summary: 'Mail to 3 people',
    args: { to: ['a', 'b'], smtp: { user: 'ada', password: '[redacted]' }, api_key: ['[redacted]', 7] },
    hidden: ['/smtp/password', '/api_key/0'],
    requestedAt: harness.clock.now(),
    expiresAt: harness.clock.now() + 600_000,
  });
  assert.match(id, /^approval_[0-9a-f-]{36}$/);
  assert.match(argsDigest, /^hmac-sha256:[0-9a-f]{64}$/);
  assert.match(toolDigest, /^[0-9a-f]{64}$/);
  assert.deepEqual(JSON.parse(JSON.stringify(request)), request);
  assert.throws(() => Object.assign(request!.args, { to: [] }), TypeError);
  assert.deepEqual(tool.calls, [args]);
});

test('the digest of the request is that of the record: what was approved is what ran', async () => {
  const approvalHandler = approveAll();
  const harness = createHarness([tools()[1]!], { approvalHandler });
  await harness.call('high', { a: 1 });
  assert.equal(harness.onlyRecord().argsDigest, approvalHandler.requests[0]?.argsDigest);
});

test('the digest of the tool follows its definition', async () => {
  const digestOf = async (overrides: object) => {
    const approvalHandler = approveAll();
    await createHarness([recordingTool('t', { risk: 'high', ...overrides })], { approvalHandler }).call('t');
    return approvalHandler.requests[0]!.toolDigest;
  };
  const base = await digestOf({});
  assert.equal(await digestOf({}), base);
  assert.notEqual(await digestOf({ description: 'other' }), base);
  assert.notEqual(await digestOf({ risk: 'critical' }), base);
  assert.notEqual(await digestOf({ inputSchema: { type: 'object', properties: {} } }), base);
});

test('observers are notified of the request and of the decision', async () => {
  const harness = createHarness([tools()[1]!], { approvalHandler: approveAll() });
  await harness.call('high');
  const [asked] = harness.recorded.of('approval-requested');
  const [decided] = harness.recorded.of('approval-decided');
  assert.equal(asked?.risk, 'high');
  assert.equal(decided?.approval.requestId, asked?.requestId);
  assert.equal(decided?.approval.decision, 'approved');
});

test('a repeated call is asked about under its earlier id only if a journal knows whether it has run', async () => {
  for (const journal of [undefined, createTestJournal()]) {
    const approvalHandler = approveAll();
    const ids: (string | undefined)[] = [];
    for (let process = 0; process < 2; process++) {
      const harness = createHarness(tools(), {
        approvalHandler,
        session: { hasStableApprovalIds: true },
        ...(journal === undefined ? {} : { journal }),
      });
      await harness.call('high', {}, { callId: 'c1' });
      ids.push(approvalHandler.requests.at(-1)?.id);
    }
    assert.equal(ids[0] === ids[1], journal !== undefined);
  }
});
