import { afterEach, expect, test } from 'vitest';
import type { Gateway, GatewayOutcome } from '../src/index.ts';
import { outcomeText } from '../src/index.ts';
import { createScriptScene, run, script } from './scene.ts';

const open: Gateway[] = [];
afterEach(async () => {
  for (const gateway of open.splice(0)) await gateway[Symbol.asyncDispose]();
});

function scene(...options: Parameters<typeof createScriptScene>): ReturnType<typeof createScriptScene> {
  const made = createScriptScene(...options);
  open.push(made.gateway);
  return made;
}

const approved = { decision: 'approved' } as const;
const refundTwice = `
  const order = await tools.find_order({ id: 'A1' });
  const first = await tools.refund_order({ id: order.id, cents: 100 });
  const second = await tools.refund_order.safe({ id: order.id, cents: 200 });
  return [first, second.status];
`;

function requestsOf(outcome: GatewayOutcome): readonly { readonly id: string; readonly args: unknown }[] {
  if (outcome.status !== 'needs-approval') throw new Error(JSON.stringify(outcome));
  return outcome.requests;
}

test('a script waits at each gated call for a decision that names it', async () => {
  const { gateway, refunds } = scene();
  const first = requestsOf(await gateway.call(script(refundTwice)));
  expect(first).toMatchObject([{ tool: 'refund_order', args: { cents: 100 }, callId: 'script-1.call_2' }]);
  expect(refunds).toEqual([]);
  const outcome = await gateway.decide(script(refundTwice), { ...approved, requestId: first[0]?.id ?? '' });
  const second = requestsOf(outcome);
  expect(second).toMatchObject([{ args: { cents: 200 } }]);
  const end = await gateway.decide(script(refundTwice), { decision: 'denied', requestId: second[0]?.id ?? '' });
  expect(end).toMatchObject({ status: 'done', result: { status: 'ok' } });
  expect(end.status === 'done' && end.result.text).toContain('denied');
  expect(refunds).toMatchObject([{ cents: 100 }]);
});

test('a decision without a request, or with one that was decided, changes nothing for a waiting script', async () => {
  const { gateway, refunds } = scene();
  const [first] = requestsOf(await gateway.call(script(refundTwice)));
  expect(await gateway.decide(script(refundTwice), approved)).toMatchObject({ status: 'needs-approval' });
  expect(refunds).toEqual([]);
  const requestId = first?.id ?? '';
  const [second] = requestsOf(await gateway.decide(script(refundTwice), { ...approved, requestId }));
  const repeated = requestsOf(await gateway.decide(script(refundTwice), { ...approved, requestId }));
  expect(repeated).toMatchObject([{ id: second?.id }]);
  expect(refunds).toHaveLength(1);
});

test('parallel calls of a script are shown together', async () => {
  const { gateway, refunds } = scene();
  const code = `return Promise.all([1, 2, 3].map((cents) => tools.refund_order({ id: 'A1', cents })));`;
  let outcome = await gateway.call(script(code));
  expect(requestsOf(outcome)).toHaveLength(3);
  while (outcome.status === 'needs-approval') {
    outcome = await gateway.decide(script(code), { ...approved, requestId: outcome.requests[0]?.id ?? '' });
  }
  expect(outcome).toMatchObject({ status: 'done', result: { status: 'ok' } });
  expect(refunds).toHaveLength(3);
});

test('a script that is called again while it waits is the same script', async () => {
  const { gateway, lookups } = scene();
  const first = await gateway.call(script(refundTwice));
  expect(await gateway.call(script(refundTwice))).toEqual(first);
  expect(lookups).toHaveLength(1);
});

test('a signal that aborts while a script waits for people does not end it', async () => {
  const { gateway, refunds } = scene();
  const controller = new AbortController();
  const code = `return tools.refund_order({ id: 'A1', cents: 1 });`;
  const [request] = requestsOf(await gateway.call({ ...script(code), signal: controller.signal }));
  controller.abort();
  const outcome = await gateway.decide(script(code), { ...approved, requestId: request?.id ?? '' });
  expect(outcome).toMatchObject({ status: 'done', result: { status: 'ok' } });
  expect(refunds).toHaveLength(1);
});

test('a model continues a waiting script with the request, its tool and its arguments, and a person decides', async () => {
  const { gateway, refunds } = scene();
  const code = `return tools.refund_order({ id: 'A1', cents: 7 });`;
  const outcome = await gateway.call(script(code));
  const [request] = requestsOf(outcome);
  const args = JSON.parse(outcomeText(outcome).split('\n').at(-1) ?? '') as object;
  const { continuation } = gateway;
  const call = { run, callId: 'continue-1' };
  expect(await continuation?.check(args, call)).toMatchObject({ needsApproval: true, request: { id: request?.id } });
  const end = await continuation?.decide(args, call, approved);
  expect(end).toMatchObject({ status: 'done', result: { text: expect.stringContaining('refunded 7') } });
  expect(refunds).toHaveLength(1);
});

test('a continuation that shows other arguments, was not asked about or comes twice is refused', async () => {
  const { gateway, refunds } = scene();
  const code = `return tools.refund_order({ id: 'A1', cents: 7 });`;
  const [request] = requestsOf(await gateway.call(script(code)));
  const { continuation } = gateway;
  const right = { request: request?.id ?? '', tool: 'refund_order', args: { id: 'A1', cents: 7 } };
  const call = { run, callId: 'continue-1' };
  expect(await continuation?.decide(right, call, approved)).toMatchObject({ status: 'refused' });
  const wrong = { ...right, args: { id: 'A1', cents: 1 } };
  expect(await continuation?.check(wrong, call)).toEqual({ needsApproval: false });
  expect(await continuation?.decide(wrong, call, approved)).toMatchObject({ status: 'refused' });
  await continuation?.check(right, call);
  const foreign = { run: { ...run, principal: 'eve' }, callId: 'continue-1' };
  expect(await continuation?.decide(right, foreign, approved)).toMatchObject({ status: 'refused' });
  expect(refunds).toEqual([]);
  await continuation?.decide(right, call, approved);
  expect(await continuation?.decide(right, call, approved)).toMatchObject({ status: 'refused' });
  expect(refunds).toHaveLength(1);
});

test('a model may leave a waiting call out without a person', async () => {
  const { gateway, refunds } = scene();
  const code = `return (await tools.refund_order.safe({ id: 'A1', cents: 7 })).status;`;
  const [request] = requestsOf(await gateway.call(script(code)));
  const args = { request: request?.id ?? '', tool: 'refund_order', args: { id: 'A1', cents: 7 }, skip: true };
  const end = await gateway.continuation?.call(args, { run, callId: 'c' });
  expect(end).toMatchObject({ status: 'done', result: { text: 'denied' } });
  expect(refunds).toEqual([]);
});

test('calls of a script are in the trace of its own session and count against its own limit', async () => {
  const { gateway, lookups } = scene({ chainPolicy: { maxScriptCalls: 2 } });
  const code = `const out = []; for (let i = 0; i < 3; i++) out.push((await tools.find_order.safe({ id: 'A' + i })).status); return out;`;
  const end = await gateway.call(script(code));
  expect(end).toMatchObject({ status: 'done', result: { status: 'ok' } });
  expect(lookups).toHaveLength(2);
  expect(gateway.trace(run)).toMatchObject([{ tool: 'tool_chain', status: 'ok' }]);
});

test('the end of a run ends a script that waits', async () => {
  const { gateway, refunds } = scene();
  const [request] = requestsOf(await gateway.call(script(refundTwice)));
  await gateway.endRun(run);
  const outcome = await gateway.decide(script(refundTwice), { ...approved, requestId: request?.id ?? '' });
  expect(outcome.status).not.toBe('done');
  expect(refunds).toEqual([]);
});

test('an interrupted script of an earlier process is not run again', async () => {
  const { createMemoryValues } = await import('../src/memory-values.ts');
  const values = createMemoryValues();
  const digestKey = new Uint8Array(32).fill(7);
  const before = scene({ values, digestKey });
  await before.gateway.call(script(refundTwice));
  const after = scene({ values, digestKey });
  const outcome = await after.gateway.call(script(refundTwice));
  expect(outcome).toMatchObject({ status: 'done', isReplay: true, result: { error: { code: 'E_CALL_UNKNOWN' } } });
  expect(after.lookups).toEqual([]);
});

test('a gateway offers scripts alone, or none', () => {
  const names = (offer: 'both' | 'chain' | 'tools'): readonly string[] =>
    scene({ offer }).gateway.tools.map(({ name }) => name);
  expect(names('both')).toEqual(['find_order', 'refund_order', 'tool_chain']);
  expect(names('chain')).toEqual(['tool_chain']);
  expect(names('tools')).toEqual(['find_order', 'refund_order']);
});
