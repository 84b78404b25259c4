import { defineTool } from '@ravi/kernel';
import { expect, test } from 'vitest';
import type { GatewayOutcome } from '../src/index.ts';
import { createGateway } from '../src/index.ts';
import { createMemoryValues } from '../src/memory-values.ts';
import { createScene, createShop, refund, run } from './scene.ts';

const approved = { decision: 'approved', approver: 'grace' } as const;

function requestIdOf(outcome: GatewayOutcome): string {
  if (outcome.status !== 'needs-approval') throw new Error(`The outcome is ${outcome.status}`);
  return outcome.requests[0]?.id ?? '';
}

test('a call above the risk limit asks first and runs once it is approved', async () => {
  const { gateway, refunds } = createScene();
  const asked = await gateway.call(refund());
  expect(asked).toMatchObject({
    status: 'needs-approval',
    requests: [{ tool: 'refund_order', risk: 'high', summary: '100 cents for A1', args: { id: 'A1', cents: 100 } }],
  });
  expect(refunds).toEqual([]);
  const requestId = requestIdOf(asked);
  expect(await gateway.decide(refund(), { ...approved, requestId })).toMatchObject({
    status: 'done',
    result: { status: 'ok' },
  });
  expect(refunds).toEqual([{ id: 'A1', cents: 100 }]);
  expect(gateway.trace(run)).toMatchObject([
    { callId: 'call-1', status: 'ok', approval: { requestId, decision: 'approved', approver: 'grace' } },
  ]);
});

test('a framework that asks before the call gets the same request, and passes its decision on when it runs the call', async () => {
  const { gateway, refunds } = createScene();
  const checked = await gateway.check(refund());
  expect(checked).toMatchObject({ needsApproval: true, request: { tool: 'refund_order' } });
  expect(await gateway.check(refund())).toEqual(checked);
  await gateway.decide(refund(), approved);
  expect(refunds).toHaveLength(1);
});

test('a denied call does not run, and the reason reaches the model and the trace', async () => {
  const { gateway, refunds } = createScene();
  await gateway.call(refund());
  const outcome = await gateway.decide(refund(), { decision: 'denied', reason: 'too much' });
  expect(outcome).toMatchObject({ status: 'done', result: { status: 'denied', error: { code: 'E_APPROVAL_DENIED' } } });
  expect(refunds).toEqual([]);
  expect(gateway.trace(run)).toMatchObject([
    { status: 'denied', approval: { decision: 'denied', reason: 'too much' } },
  ]);
  expect(await gateway.decide(refund(), approved)).toMatchObject({
    status: 'done',
    isReplay: true,
    result: { status: 'denied' },
  });
  expect(refunds).toEqual([]);
});

test('a decision without a request is refused, however often it comes', async () => {
  const { gateway, refunds } = createScene();
  for (let attempt = 0; attempt < 3; attempt++) {
    expect(await gateway.decide(refund(), approved)).toMatchObject({ status: 'refused' });
  }
  expect(refunds).toEqual([]);
});

test('a check of stored messages does not create the request that a forged decision needs', async () => {
  const { gateway, refunds } = createScene();
  expect(await gateway.check(refund(), { isHistory: true })).toMatchObject({ needsApproval: true });
  expect(await gateway.decide(refund(), approved)).toMatchObject({ status: 'refused' });
  expect(refunds).toEqual([]);
});

test('a decision for other arguments is refused, and the request stays open for the right ones', async () => {
  const { gateway, refunds } = createScene();
  await gateway.call(refund(100));
  expect(await gateway.decide(refund(9_000), approved)).toMatchObject({ status: 'refused' });
  expect(refunds).toEqual([]);
  await gateway.decide(refund(100), approved);
  expect(refunds).toEqual([{ id: 'A1', cents: 100 }]);
});

test('a decision for another request is refused', async () => {
  const { gateway, refunds } = createScene();
  const other = requestIdOf(await gateway.call(refund(100, 'call-2')));
  await gateway.call(refund());
  for (const requestId of [other, 'approval_made-up']) {
    expect(await gateway.decide(refund(), { ...approved, requestId })).toMatchObject({ status: 'refused' });
  }
  expect(refunds).toEqual([]);
});

test('a decision of another principal, run or conversation does not count', async () => {
  const { gateway, refunds } = createScene();
  await gateway.call(refund());
  for (const other of [{ principal: 'eve' }, { runId: 'thread-2' }, { sessionId: 'chat-2' }]) {
    const forged = { ...refund(), run: { ...run, ...other } };
    expect(await gateway.decide(forged, approved)).toMatchObject({ status: 'refused' });
  }
  expect(refunds).toEqual([]);
});

test('a repeated decision runs nothing: two at the same time and one later give the one result', async () => {
  const { gateway, refunds } = createScene();
  await gateway.call(refund());
  const outcomes = await Promise.all([gateway.decide(refund(), approved), gateway.decide(refund(), approved)]);
  for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'done', result: { text: 'refunded 100' } });
  expect(await gateway.decide(refund(), approved)).toMatchObject({ status: 'done', isReplay: true });
  expect(refunds).toHaveLength(1);
});

test('an expired request is not approved any more, and a new one is made', async () => {
  const { gateway, clock, refunds } = createScene({ approvalExpiryMs: 1_000 });
  const first = requestIdOf(await gateway.call(refund()));
  clock.advance(1_000);
  const outcome = await gateway.decide(refund(), approved);
  expect(outcome).toMatchObject({ status: 'refused', result: { error: { code: 'E_APPROVAL_EXPIRED' } } });
  expect(refunds).toEqual([]);
  const second = requestIdOf(await gateway.call(refund()));
  expect(second).not.toBe(first);
  expect(await gateway.decide(refund(), { ...approved, requestId: first })).toMatchObject({ status: 'refused' });
  await gateway.decide(refund(), { ...approved, requestId: second });
  expect(refunds).toHaveLength(1);
});

test('an approver may change the arguments within the schema', async () => {
  const { gateway, refunds } = createScene();
  await gateway.call(refund(100));
  await gateway.decide(refund(100), { decision: 'modified', modifiedArgs: { id: 'A1', cents: 50 } });
  expect(refunds).toEqual([{ id: 'A1', cents: 50 }]);
});

test('an approval for the run covers later calls of the tool, but none that is critical', async () => {
  const { gateway, refunds } = createScene();
  await gateway.call(refund());
  await gateway.decide(refund(), { ...approved, scope: 'run' });
  expect(await gateway.call(refund(200, 'call-2'))).toMatchObject({ status: 'done', result: { status: 'ok' } });
  expect(await gateway.call(refund(10_000, 'call-3'))).toMatchObject({ status: 'needs-approval' });
  expect(refunds).toHaveLength(2);
});

test('an interceptor that changes an approved call makes the approval invalid', async () => {
  const { HookManager } = await import('@ravi/invoker');
  const hooks = new HookManager();
  let cents = 100;
  hooks.intercept(({ args }) => ({ action: 'modify', args: { ...args, cents } }));
  const { gateway, refunds } = createScene({ hooks });
  await gateway.call(refund());
  cents = 8_000;
  const outcome = await gateway.decide(refund(), approved);
  expect(outcome).toMatchObject({ status: 'done', result: { status: 'denied' } });
  expect(refunds).toEqual([]);
});

const digestKey = new Uint8Array(32).fill(7);

test('another process continues with the decision, once', async () => {
  const values = createMemoryValues();
  const before = createScene({ values, digestKey });
  const requestId = requestIdOf(await before.gateway.call(refund()));
  const after = createScene({ values, digestKey });
  const late = createScene({ values, digestKey });
  const [outcome, other] = await Promise.all([
    after.gateway.decide(refund(), { ...approved, requestId }),
    late.gateway.decide(refund(), { ...approved, requestId }),
  ]);
  expect([outcome.status, other.status].toSorted()).toEqual(['done', 'refused']);
  expect([...after.refunds, ...late.refunds]).toHaveLength(1);
});

test('another process with another definition of the tool does not run what was approved', async () => {
  const values = createMemoryValues();
  const before = createScene({ values, digestKey });
  await before.gateway.call(refund());
  const shop = createShop('Gives money back, and closes the account');
  const after = createScene({ values, digestKey, shop });
  expect(await after.gateway.decide(refund(), approved)).toMatchObject({
    status: 'done',
    result: { status: 'denied' },
  });
  expect(shop.refunds).toEqual([]);
});

test('another process continues the budget of the run', async () => {
  const values = createMemoryValues();
  const options = { values, digestKey, policy: { maxToolCalls: 2 } };
  const before = createScene(options);
  const lookup = { run, name: 'find_order', args: { id: 'A1' }, callId: '1' };
  await before.gateway.call(lookup);
  await before.gateway.call({ ...lookup, callId: '2' });
  const after = createScene(options);
  const outcome = await after.gateway.call({ ...lookup, callId: '3' });
  expect(outcome).toMatchObject({ status: 'done', result: { error: { code: 'E_BUDGET_EXHAUSTED' } } });
});

test('a call with effects that another process started and did not finish is not made again', async () => {
  const values = createMemoryValues();
  const before = createScene({ values: { ...values, put: dropDone(values.put) }, digestKey });
  await before.gateway.call(refund());
  await before.gateway.decide(refund(), approved).catch(() => undefined);
  const after = createScene({ values, digestKey });
  const outcome = await after.gateway.decide(refund(), approved);
  expect(outcome).toMatchObject({ status: 'done', isReplay: true, result: { error: { code: 'E_CALL_UNKNOWN' } } });
  expect(before.refunds).toHaveLength(1);
  expect(after.refunds).toEqual([]);
});

test('a call that was not finished is made again only if its arguments leave it safe', async () => {
  for (const [args, code] of [
    [{ statement: 'read' }, undefined],
    [{ statement: 'change' }, 'E_CALL_UNKNOWN'],
    [{ statement: 'unclear' }, 'E_CALL_UNKNOWN'],
  ] as const) {
    let runs = 0;
    const query = defineTool({
      name: 'query',
      description: 'Reads or changes a table.',
      risk: 'safe',
      inputSchema: { type: 'object', properties: { statement: { type: 'string' } } },
      classifyRisk({ statement }) {
        if (statement === 'unclear') throw new TypeError('no statement');
        return { risk: statement === 'read' ? 'safe' : 'high' };
      },
      execute: () => `run ${(runs += 1)}`,
    });
    const shop = { tools: [query], refunds: [], lookups: [] };
    const values = createMemoryValues();
    const call = { run, name: 'query', args, callId: 'query-1' };
    const before = createScene({ shop, values: { ...values, put: dropDone(values.put) }, digestKey });
    const { status } = await before.gateway.call(call);
    if (status === 'needs-approval') await before.gateway.decide(call, approved);
    expect(runs).toBe(1);
    const outcome = await createScene({ shop, values, digestKey }).gateway.call(call);
    expect([outcome.status, outcome.status === 'done' && outcome.result.error?.code]).toEqual(['done', code]);
    expect(runs).toBe(code === undefined ? 2 : 1);
  }
});

test('values without a digest key are a mistake in the configuration', () => {
  expect(() => createGateway({ tools: [], values: createMemoryValues() })).toThrow(/digestKey/);
});

type Put = ReturnType<typeof createMemoryValues>['put'];

// The process ends between the effect and its record.
function dropDone(put: Put): Put {
  return (place, value, options) =>
    (value as { readonly state?: string }).state === 'done' ? Promise.resolve(undefined) : put(place, value, options);
}
