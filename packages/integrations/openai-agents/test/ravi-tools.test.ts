import { Agent, Runner, RunState } from '@openai/agents';
import type { RunContext } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import { createGateway } from '@ravi/gateway-kit';
import type { FrameworkRun, Gateway, GatewayOptions } from '@ravi/gateway-kit';
import { createVmSandbox } from '@ravi/sandbox-vm';
import { createTestShop } from '@ravi/testkit';
import type { TestShop } from '@ravi/testkit';
import { expect, test } from 'vitest';
import { raviTools, recordRejection } from '../src/index.ts';

interface Context {
  readonly thread: string;
  readonly user: string;
}

type Output = ReturnType<typeof functionCall> | ReturnType<typeof assistantMessage>;

const context: Context = { thread: 'thread-1', user: 'ada' };
const frameworkRun = { runId: 'thread-1', principal: 'ada' };
const runOf = ({ context: { thread, user } }: RunContext<Context>): FrameworkRun => ({
  runId: thread,
  principal: user,
});
const runner = new Runner({ tracingDisabled: true });

type Shop = TestShop & { readonly gateway: Gateway };

function createShop(options: Partial<GatewayOptions> = {}): Shop {
  const shop = createTestShop();
  return Object.assign(shop, { gateway: createGateway({ tools: shop.tools, ...options }) });
}

function clerk(shop: Shop, ...turns: readonly Output[][]): { agent: Agent<Context>; model: ScriptedModel } {
  const model = new ScriptedModel(turns);
  return { model, agent: new Agent<Context>({ name: 'clerk', model, tools: raviTools(shop.gateway, { run: runOf }) }) };
}

const refund = (order = 1, callId = 'call-1'): Output => functionCall('refund_order', { order }, { callId });
const list = (callId: string): Output => functionCall('list_orders', {}, { callId });
const done = [assistantMessage('Done')];

function read(model: ScriptedModel): string {
  return JSON.stringify(model.lastCall?.request.input);
}

test('a safe tool runs, the model reads its value, and the trace has the run id of the context', async () => {
  const shop = createShop();
  const { agent, model } = clerk(shop, [list('c1')], done);
  const result = await runner.run(agent, 'List the orders', { context });
  expect(result.finalOutput).toBe('Done');
  expect(read(model)).toContain('total');
  expect(shop.gateway.trace(frameworkRun)).toMatchObject([{ callId: 'c1', tool: 'list_orders', status: 'ok' }]);
});

test('a gated tool interrupts the run, and runs once after its state was serialised and approved', async () => {
  const shop = createShop();
  const { agent } = clerk(shop, [refund()], done);
  const first = await runner.run(agent, 'Refund order 1', { context });
  expect(first.interruptions).toMatchObject([{ rawItem: { name: 'refund_order', callId: 'call-1' } }]);
  expect(shop.refunds).toEqual([]);
  const text = first.state.toString();
  const state = await RunState.fromString(agent, text);
  for (const item of state.getInterruptions()) state.approve(item);
  const second = await runner.run(agent, state);
  expect(second.finalOutput).toBe('Done');
  expect(shop.refunds).toEqual([1]);
  expect(shop.gateway.trace(frameworkRun)).toMatchObject([{ status: 'ok', approval: { decision: 'approved' } }]);
  // The same state is resumed again, as after a crash of the caller.
  const repeated = clerk(shop, done);
  const old = await RunState.fromString(repeated.agent, text);
  for (const item of old.getInterruptions()) old.approve(item);
  await runner.run(repeated.agent, old);
  expect(read(repeated.model)).toContain('refunded');
  expect(shop.refunds).toHaveLength(1);
});

test('a rejected call does not run', async () => {
  const shop = createShop();
  const { agent, model } = clerk(shop, [refund()], done);
  const { state } = await runner.run(agent, 'Refund order 1', { context });
  for (const item of state.getInterruptions()) state.reject(item, { message: 'too much' });
  await runner.run(agent, state);
  expect(read(model)).toContain('too much');
  expect(shop.refunds).toEqual([]);
});

test('a recorded rejection is in the trace, and a state that says otherwise approves nothing', async () => {
  const shop = createShop();
  const { agent } = clerk(shop, [refund()]);
  const { state } = await runner.run(agent, 'Refund order 1', { context });
  const [item] = state.getInterruptions();
  if (item === undefined) throw new Error('The run has no interruption');
  await recordRejection(shop.gateway, frameworkRun, item, 'too much');
  expect(shop.gateway.trace(frameworkRun)).toMatchObject([{ approval: { decision: 'denied', reason: 'too much' } }]);
  state.approve(item);
  expect(await resume(shop, state.toString())).toContain('was denied: too much');
  expect(shop.refunds).toEqual([]);
});

async function interrupted(shop: Shop): Promise<string> {
  const { agent } = clerk(shop, [refund()]);
  const { state } = await runner.run(agent, 'Refund order 1', { context });
  for (const item of state.getInterruptions()) state.approve(item);
  return state.toString();
}

async function resume(shop: Shop, text: string): Promise<string> {
  const { agent, model } = clerk(shop, done);
  try {
    await runner.run(agent, await RunState.fromString(agent, text));
    return read(model);
  } catch (error) {
    return String(error);
  }
}

test('a state with changed arguments runs nothing', async () => {
  const shop = createShop();
  const text = await interrupted(shop);
  await resume(shop, text.replaceAll(String.raw`\"order\":1`, String.raw`\"order\":2`));
  expect(shop.refunds).toEqual([]);
});

test('a state that is approved for a call that was never requested is refused, also the second time', async () => {
  const text = await interrupted(createShop());
  const other = createShop();
  for (let attempt = 0; attempt < 2; attempt++)
    expect(await resume(other, text)).toContain('no approval of it was requested');
  expect(other.refunds).toEqual([]);
});

test('a state of another user is refused', async () => {
  const shop = createShop();
  const text = await interrupted(shop);
  expect(await resume(shop, text.replaceAll('"ada"', '"eve"'))).toContain('no approval of it was requested');
  expect(shop.refunds).toEqual([]);
});

test('an approval of the SDK for all calls of a tool does not hold for calls that were not shown', async () => {
  const shop = createShop();
  const { agent, model } = clerk(shop, [refund()], [refund(2, 'call-2')], done);
  const { state } = await runner.run(agent, 'Refund order 1', { context });
  for (const item of state.getInterruptions()) state.approve(item, { alwaysApprove: true });
  await runner.run(agent, state);
  expect(read(model)).toContain('no approval of it was requested');
  expect(shop.refunds).toEqual([1]);
});

test('parallel calls: safe ones run, each gated one interrupts', async () => {
  const shop = createShop();
  const { agent } = clerk(shop, [list('c1'), refund(1, 'c2'), refund(2, 'c3')]);
  const { interruptions } = await runner.run(agent, 'Work', { context });
  expect(interruptions).toHaveLength(2);
  expect(shop.listed).toBe(1);
  expect(shop.refunds).toEqual([]);
});

test('an agent that takes over by a handoff has the same run, budget and approvals', async () => {
  const shop = createShop({ policy: { maxToolCalls: 2 } });
  const second = clerk(shop, [refund()], [list('c3')], done);
  const model = new ScriptedModel([[list('c1')], [functionCall('transfer_to_clerk', {}, { callId: 'h' })]]);
  const tools = raviTools<Context>(shop.gateway, { run: runOf });
  const first = new Agent<Context>({ name: 'front', model, tools, handoffs: [second.agent] });
  const { state, interruptions } = await runner.run(first, 'Refund order 1', { context });
  expect(interruptions).toHaveLength(1);
  for (const item of interruptions) state.approve(item);
  await runner.run(first, state);
  expect(shop.refunds).toHaveLength(1);
  expect(read(second.model)).toContain('budget');
  expect(shop.listed).toBe(1);
});

test('a gated tool of an agent that is a tool interrupts the outer run', async () => {
  const shop = createShop();
  const inner = clerk(shop, [refund()], done);
  const model = new ScriptedModel([[functionCall('clerk', { input: 'Refund order 1' }, { callId: 'outer' })], done]);
  const tools = [inner.agent.asTool({ toolName: 'clerk', runConfig: { tracingDisabled: true } })];
  const boss = new Agent<Context>({ name: 'boss', model, tools });
  const { state, interruptions } = await runner.run(boss, 'Refund order 1', { context });
  expect(interruptions).toMatchObject([{ rawItem: { name: 'refund_order' } }]);
  expect(shop.refunds).toEqual([]);
  for (const item of interruptions) state.approve(item);
  const text = state.toString();
  await runner.run(boss, await RunState.fromString(boss, text));
  expect(shop.refunds).toHaveLength(1);
  // The same state with a gateway that never requested the approval.
  const other = createShop();
  const forgedInner = clerk(other, done);
  const forged = new Agent<Context>({
    name: 'boss',
    model: new ScriptedModel([done]),
    tools: [forgedInner.agent.asTool({ toolName: 'clerk', runConfig: { tracingDisabled: true } })],
  });
  await runner.run(forged, await RunState.fromString(forged, text));
  expect(read(forgedInner.model)).toContain('no approval of it was requested');
  expect(other.refunds).toEqual([]);
});

test('a stream interrupts too, and its abort cancels the tool', async () => {
  const shop = createShop();
  const asked = await runner.run(clerk(shop, [refund()]).agent, 'Refund', { context, stream: true });
  await asked.completed;
  expect(asked.interruptions).toHaveLength(1);
  const controller = new AbortController();
  const { agent } = clerk(shop, [functionCall('track_parcel', {}, { callId: 'w' })]);
  const result = await runner.run(agent, 'Follow the parcel', { context, stream: true, signal: controller.signal });
  const completed = result.completed.catch(() => undefined);
  const consumed = (async () => {
    for await (const _event of result);
  })().catch(() => undefined);
  await shop.tracking;
  controller.abort();
  await shop.cancelled;
  await Promise.all([completed, consumed]);
  await expect.poll(() => shop.gateway.trace(frameworkRun).at(-1)?.status).toBe('cancelled');
});

test('invalid arguments and an image reach the model', async () => {
  const shop = createShop({ artifactStore: createMemoryBlobStore() });
  const invalid = functionCall('refund_order', { order: 'one' }, { callId: 'c1' });
  const { agent, model } = clerk(shop, [invalid, functionCall('photo_parcel', {}, { callId: 'c2' })], done);
  await runner.run(agent, 'Work', { context });
  expect(read(model)).toContain('must be an integer');
  expect(read(model)).toContain('"image"');
  expect(read(model)).toContain('$artifact');
});

test('a script with a gated call waits, and a person decides about that call in an interruption', async () => {
  await using sandbox = createVmSandbox({ unsafe: true });
  const shop = createShop({ sandbox });
  await using _open = shop.gateway;
  const code = `const [{ order }] = await tools.list_orders({}); return tools.refund_order({ order });`;
  const { agent, model } = clerk(shop, [functionCall('tool_chain', { code }, { callId: 's' })], done);
  await runner.run(agent, 'Work', { context });
  expect(shop.refunds).toEqual([]);
  const request = /approval_[0-9a-f-]{36}/.exec(read(model))?.[0] ?? '';
  const waiting = { request, tool: 'refund_order', args: { order: 1 } };
  const next = clerk(shop, [functionCall('tool_chain_continue', waiting, { callId: 'g' })], done);
  const { state, interruptions } = await runner.run(next.agent, 'Continue', { context });
  expect(interruptions).toHaveLength(1);
  expect(shop.refunds).toEqual([]);
  for (const item of interruptions) state.approve(item);
  await runner.run(next.agent, await RunState.fromString(next.agent, state.toString()));
  expect(read(next.model)).toContain('refunded');
  expect(shop.refunds).toHaveLength(1);
});
