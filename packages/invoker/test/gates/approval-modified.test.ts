import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { ApprovalDecisionInput, ApprovalHandler } from '@ravi/kernel';
import { createTestApprovals } from '@ravi/testkit';
import { test } from 'vitest';
import { createHarness } from '../support/harness.ts';
import { recordingTool } from '../support/tools.ts';

/** Modifies the arguments in the first decision and returns `then` for each further request. */
function modifying(modifiedArgs: unknown, then: unknown = { decision: 'denied' }) {
  return createTestApprovals((_, index) =>
    Promise.resolve(index === 0 ? { decision: 'modified', modifiedArgs } : then),
  );
}

function transfer() {
  return recordingTool('transfer', {
    risk: 'high',
    inputSchema: {
      type: 'object',
      properties: { amount: { type: 'number' }, to: { type: 'string' } },
      required: ['amount'],
      additionalProperties: false,
    },
    classifyRisk: (args) => ({ risk: (args['amount'] as number) > 1_000 ? 'critical' : 'high' }),
  });
}

// Its accounts, hosts and keys have secrets that the schema declares.
function login() {
  const secret = { type: 'string', writeOnly: true } as const;
  const list = { type: 'array', items: { properties: { password: secret, token: secret } } } as const;
  const properties = { password: secret, accounts: list, hosts: list, keys: list } as const;
  return recordingTool('login', { risk: 'high', inputSchema: { type: 'object', properties } });
}

test('the call runs with the modified arguments, and the record has them', async () => {
  const tool = transfer();
  const harness = createHarness([tool], { approvalHandler: modifying({ amount: 5, to: 'b' }) });
  assert.equal((await harness.call('transfer', { amount: 500 })).status, 'ok');
  assert.deepEqual(tool.calls, [{ amount: 5, to: 'b' }]);
  const record = harness.onlyRecord();
  assert.equal(record.approval?.decision, 'modified');
  assert.equal(record.argsPreview, '{"amount":5,"to":"b"}');
  assert.deepEqual(record.approval?.edit?.changed, ['/amount', '/to']);
  assert.equal(record.approval?.edit?.after, record.argsDigest);
  await harness.call('transfer', { amount: 5, to: 'b' }).catch(() => {});
  assert.equal(harness.session.trace[1]?.argsDigest, record.argsDigest);
});

test('modified arguments are validated like others, and the model reads that the mistake is not its own', async () => {
  for (const [modifiedArgs, message] of [
    [{ amount: 'much' }, /"amount" must be a number/],
    [{}, /missing the property "amount"/],
    [{ amount: 1, note: 'x' }, /unknown property "note"/],
    [[1], /must be an object/],
    [JSON.parse('{"amount":1,"__proto__":{"x":1}}'), /__proto__/],
  ] as const) {
    const tool = transfer();
    const result = await createHarness([tool], { approvalHandler: modifying(modifiedArgs) }).call('transfer', { amount: 1 }); // prettier-ignore
    assert.equal(result.error?.code, 'E_APPROVAL_DENIED');
    assert.match(result.text, message);
    assert.match(result.text, /Your arguments were valid$/);
    assert.deepEqual(tool.calls, []);
  }
});

test('cyclic modified arguments are refused', async () => {
  const endless: Record<string, unknown> = { amount: 1 };
  endless['to'] = endless;
  const tool = transfer();
  const result = await createHarness([tool], { approvalHandler: modifying(endless) }).call('transfer', { amount: 1 });
  assert.equal(result.error?.code, 'E_APPROVAL_DENIED');
  assert.deepEqual(tool.calls, []);
});

test('a modification that raises the risk needs approval again, with the new arguments', async () => {
  const approvalHandler = modifying({ amount: 5_000 }, { decision: 'denied', reason: 'too much' });
  const tool = transfer();
  const harness = createHarness([tool], { approvalHandler });
  const result = await harness.call('transfer', { amount: 5 });
  assert.equal(result.text, 'The call of transfer was denied: too much');
  assert.deepEqual(
    approvalHandler.requests.map(({ risk, args }) => ({ risk, args })),
    [
      { risk: 'high', args: { amount: 5 } },
      { risk: 'critical', args: { amount: 5_000 } },
    ],
  );
  assert.notEqual(approvalHandler.requests[0]?.argsDigest, approvalHandler.requests[1]?.argsDigest);
  assert.notEqual(approvalHandler.requests[0]?.id, approvalHandler.requests[1]?.id);
  assert.deepEqual(tool.calls, []);
});

test('a modification that does not raise the risk needs no further approval', async () => {
  const approvalHandler = modifying({ amount: 1 });
  const tool = transfer();
  assert.equal((await createHarness([tool], { approvalHandler }).call('transfer', { amount: 9_000 })).status, 'ok');
  assert.equal(approvalHandler.requests.length, 1);
  assert.deepEqual(tool.calls, [{ amount: 1 }]);
});

test('secrets that the approver saw as placeholders are restored', async () => {
  const tool = login();
  const original = { user: 'ada', password: 'hunter2', query: 'api_key=k1k2k3&cents=5', hosts: [{ name: 'a', token: 't1' }, { name: 'b', token: 't2' }] }; // prettier-ignore
  const approvalHandler = createTestApprovals((request) =>
    Promise.resolve({ decision: 'modified', modifiedArgs: { ...request.args, user: 'grace' } }),
  );
  await createHarness([tool], { approvalHandler }).call('login', original);
  assert.deepEqual(tool.calls, [{ ...original, user: 'grace' }]);
});

test('an entry that the approver moved or kept gets its own secret back', async () => {
  const [a, b] = [
    { user: 'a', password: '1' },
    { user: 'b', password: '2' },
  ];
  for (const [kept, expected] of [
    [[{ user: 'b', password: '[redacted]' }], [b]],
    [
      [
        { user: 'b', password: '[redacted]' },
        { user: 'a', password: '[redacted]' },
      ],
      [b, a],
    ],
    [
      [
        { user: 'c', password: '3' },
        { user: 'a', password: '[redacted]' },
      ],
      [{ user: 'c', password: '3' }, a],
    ],
  ] as const) {
    const tool = login();
    await createHarness([tool], { approvalHandler: modifying({ accounts: kept }) }).call('login', { accounts: [a, b] });
    assert.deepEqual(tool.calls, [{ accounts: expected }]);
  }
});

test('a placeholder is refused at a place without a secret and where several secrets would fit', async () => {
  const original = { keys: [{ token: '1' }, { token: '2' }], plain: 'x' };
  for (const modifiedArgs of [
    { keys: [{ token: '[redacted]' }] },
    { keys: [{ token: '[redacted]', host: 'evil.example' }, { token: '2' }] },
    { other: { token: '[redacted]' } },
    { keys: '[redacted]', plain: { token: '[redacted]' } },
  ]) {
    const tool = login();
    const result = await createHarness([tool], { approvalHandler: modifying(modifiedArgs) }).call('login', original);
    assert.equal(result.error?.code, 'E_APPROVAL_DENIED', JSON.stringify(modifiedArgs));
    assert.match(result.text, /"\[redacted\]" stands for a secret only where one is hidden/);
    assert.deepEqual(tool.calls, []);
  }
});

test('changing the decision object afterwards has no effect', async () => {
  const modifiedArgs = { amount: 5 };
  const tool = transfer();
  const harness = createHarness([tool], { approvalHandler: modifying(modifiedArgs) });
  const call = harness.call('transfer', { amount: 1 });
  harness.hooks.observe('approval-decided', () => void (modifiedArgs.amount = 900));
  await call;
  modifiedArgs.amount = 900;
  assert.deepEqual(tool.calls, [{ amount: 5 }]);
});

test('a text that looks like the placeholder and hides nothing is left as it is', async () => {
  const tool = login();
  const approvalHandler = createTestApprovals(({ args }) =>
    Promise.resolve({ decision: 'modified', modifiedArgs: { ...args, user: 'grace' } }),
  );
  await createHarness([tool], { approvalHandler }).call('login', { note: '[redacted]', user: 'ada' });
  assert.deepEqual(tool.calls, [{ note: '[redacted]', user: 'grace' }]);
});

test('an approval for the run answers the questions of the same tool that are open at the same time', async () => {
  const tool = transfer();
  const waiting: ((answer: ApprovalDecisionInput) => void)[] = [];
  const reasons: unknown[] = [];
  const approvalHandler: ApprovalHandler = {
    request: (_, { signal }) =>
      new Promise((resolve) => {
        waiting.push(resolve);
        signal.addEventListener('abort', () => reasons.push(signal.reason));
      }),
  };
  const harness = createHarness([tool], { approvalHandler });
  const calls = [1, 2, 2_000].map((amount) => harness.call('transfer', { amount }));
  while (waiting.length < 3) await new Promise(setImmediate);
  waiting[0]?.({ decision: 'approved', scope: 'run' });
  assert.deepEqual([(await calls[0])?.status, (await calls[1])?.status], ['ok', 'ok']);
  assert.equal(tool.calls.length, 2);
  assert.ok(reasons.some((reason) => isKernelError(reason, 'E_APPROVAL_DECIDED')));
  waiting[2]?.({ decision: 'denied' });
  assert.equal((await calls[2])?.status, 'denied');
});
