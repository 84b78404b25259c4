import { Agent, Runner, RunState } from '@openai/agents';
import type { RunContext } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import type { FrameworkRun } from '@ravi/gateway-kit';
import { defineTool } from '@ravi/kernel';
import { createVmSandbox } from '@ravi/sandbox-vm';
import { expect, test } from 'vitest';
import { raviTools, recordRejection } from '../src/index.ts';
import { createShop } from './support.ts';

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

type Shop = ReturnType<typeof createShop>;

function clerk(shop: Shop, ...turns: readonly Output[][]): { agent: Agent<Context>; model: ScriptedModel } {
  const model = new ScriptedModel(turns);
  return { model, agent: new Agent<Context>({ name: 'clerk', model, tools: raviTools(shop.gateway, { run: runOf }) }) };
}

const refund = (cents = 100, callId = 'call-1'): Output =>
  functionCall('refund_order', { id: 'A1', cents }, { callId });
const find = (callId: string): Output => functionCall('find_order', { id: 'A1' }, { callId });
const done = [assistantMessage('Done')];

function read(model: ScriptedModel): string {
  return JSON.stringify(model.lastCall?.request.input);
}

test('a safe tool runs, the model reads its value, and the trace has the run id of the context', async () => {
  const shop = createShop();
  const { agent, model } = clerk(shop, [find('c1')], done);
  const result = await runner.run(agent, 'Find A1', { context });
  expect(result.finalOutput).toBe('Done');
  expect(read(model)).toContain('500');
  expect(shop.gateway.trace(frameworkRun)).toMatchObject([{ callId: 'c1', tool: 'find_order', status: 'ok' }]);
});

test('a gated tool interrupts the run, and runs once after its state was serialised and approved', async () => {
  const shop = createShop();
  const { agent } = clerk(shop, [refund()], done);
  const first = await runner.run(agent, 'Refund A1', { context });
  expect(first.interruptions).toMatchObject([{ rawItem: { name: 'refund_order', callId: 'call-1' } }]);
  expect(shop.refunds).toEqual([]);
  const text = first.state.toString();
  const state = await RunState.fromString(agent, text);
  for (const item of state.getInterruptions()) state.approve(item);
  const second = await runner.run(agent, state);
  expect(second.finalOutput).toBe('Done');
  expect(shop.refunds).toEqual([{ id: 'A1', cents: 100 }]);
  expect(shop.gateway.trace(frameworkRun)).toMatchObject([{ status: 'ok', approval: { decision: 'approved' } }]);
  // The same state is resumed again, as after a crash of the caller.
  const repeated = clerk(shop, done);
  const old = await RunState.fromString(repeated.agent, text);
  for (const item of old.getInterruptions()) old.approve(item);
  await runner.run(repeated.agent, old);
  expect(read(repeated.model)).toContain('refunded 100');
  expect(shop.refunds).toHaveLength(1);
});

test('a rejected call does not run', async () => {
  const shop = createShop();
  const { agent, model } = clerk(shop, [refund()], done);
  const { state } = await runner.run(agent, 'Refund A1', { context });
  for (const item of state.getInterruptions()) state.reject(item, { message: 'too much' });
  await runner.run(agent, state);
  expect(read(model)).toContain('too much');
  expect(shop.refunds).toEqual([]);
});

test('a recorded rejection is in the trace, and a state that says otherwise approves nothing', async () => {
  const shop = createShop();
  const { agent } = clerk(shop, [refund()]);
  const { state } = await runner.run(agent, 'Refund A1', { context });
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
  const { state } = await runner.run(agent, 'Refund A1', { context });
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
  await resume(shop, text.replaceAll(String.raw`\"cents\":100`, String.raw`\"cents\":9999`));
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
  const { agent, model } = clerk(shop, [refund()], [refund(9_999, 'call-2')], done);
  const { state } = await runner.run(agent, 'Refund A1', { context });
  for (const item of state.getInterruptions()) state.approve(item, { alwaysApprove: true });
  await runner.run(agent, state);
  expect(read(model)).toContain('no approval of it was requested');
  expect(shop.refunds).toEqual([{ id: 'A1', cents: 100 }]);
});

test('parallel calls: safe ones run, each gated one interrupts', async () => {
  const shop = createShop();
  const { agent } = clerk(shop, [find('c1'), refund(1, 'c2'), refund(2, 'c3')]);
  const { interruptions } = await runner.run(agent, 'Work', { context });
  expect(interruptions).toHaveLength(2);
  expect(shop.lookups).toHaveLength(1);
  expect(shop.refunds).toEqual([]);
});

test('an agent that takes over by a handoff has the same run, budget and approvals', async () => {
  const shop = createShop({ policy: { maxToolCalls: 2 } });
  const second = clerk(shop, [refund()], [find('c3')], done);
  const model = new ScriptedModel([[find('c1')], [functionCall('transfer_to_clerk', {}, { callId: 'h' })]]);
  const tools = raviTools<Context>(shop.gateway, { run: runOf });
  const first = new Agent<Context>({ name: 'front', model, tools, handoffs: [second.agent] });
  const { state, interruptions } = await runner.run(first, 'Refund A1', { context });
  expect(interruptions).toHaveLength(1);
  for (const item of interruptions) state.approve(item);
  await runner.run(first, state);
  expect(shop.refunds).toHaveLength(1);
  expect(read(second.model)).toContain('budget');
  expect(shop.lookups).toHaveLength(1);
});

test('a gated tool of an agent that is a tool interrupts the outer run', async () => {
  const shop = createShop();
  const inner = clerk(shop, [refund()], done);
  const model = new ScriptedModel([[functionCall('clerk', { input: 'Refund A1' }, { callId: 'outer' })], done]);
  const tools = [inner.agent.asTool({ toolName: 'clerk', runConfig: { tracingDisabled: true } })];
  const boss = new Agent<Context>({ name: 'boss', model, tools });
  const { state, interruptions } = await runner.run(boss, 'Refund A1', { context });
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
  const started = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const wait = defineTool({
    name: 'wait',
    description: 'Waits',
    risk: 'safe',
    inputSchema: { type: 'object', properties: {} },
    execute: (_, { signal }) => {
      started.resolve();
      return new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          ended.resolve();
          reject(new Error('aborted'));
        });
      });
    },
  });
  const shop = createShop({ tools: [wait] });
  const asked = await runner.run(clerk(shop, [refund()]).agent, 'Refund', { context, stream: true });
  await asked.completed;
  expect(asked.interruptions).toHaveLength(1);
  const controller = new AbortController();
  const { agent } = clerk(shop, [functionCall('wait', {}, { callId: 'w' })]);
  const result = await runner.run(agent, 'Wait', { context, stream: true, signal: controller.signal });
  const completed = result.completed.catch(() => undefined);
  const consumed = (async () => {
    for await (const _event of result);
  })().catch(() => undefined);
  await started.promise;
  controller.abort();
  await ended.promise;
  await Promise.all([completed, consumed]);
  await expect.poll(() => shop.gateway.trace(frameworkRun).at(-1)?.status).toBe('cancelled');
});

test('invalid arguments and an image reach the model', async () => {
  const draw = defineTool({
    name: 'draw',
    description: 'Draws',
    risk: 'safe',
    inputSchema: { type: 'object', properties: {} },
    execute: () => ({
      content: [{ type: 'image', mediaType: 'image/png', source: { kind: 'bytes', bytes: new Uint8Array([1, 2]) } }],
      isError: false,
    }),
  });
  const shop = createShop({ tools: [draw], artifactStore: createMemoryBlobStore() });
  const invalid = functionCall('refund_order', { id: 7 }, { callId: 'c1' });
  const { agent, model } = clerk(shop, [invalid, functionCall('draw', {}, { callId: 'c2' })], done);
  await runner.run(agent, 'Work', { context });
  expect(read(model)).toContain('cents');
  expect(read(model)).toContain('"image"');
  expect(read(model)).toContain('$artifact');
});

test('a script with a gated call waits, and a person decides about that call in an interruption', async () => {
  await using sandbox = createVmSandbox({ unsafe: true });
  const shop = createShop({ sandbox });
  await using _open = shop.gateway;
  const code = `const { id } = await tools.find_order({ id: 'A1' }); return tools.refund_order({ id, cents: 7 });`;
  const { agent, model } = clerk(shop, [functionCall('tool_chain', { code }, { callId: 's' })], done);
  await runner.run(agent, 'Work', { context });
  expect(shop.refunds).toEqual([]);
  const request = /approval_[0-9a-f-]{36}/.exec(read(model))?.[0] ?? '';
  const waiting = { request, tool: 'refund_order', args: { id: 'A1', cents: 7 } };
  const next = clerk(shop, [functionCall('tool_chain_continue', waiting, { callId: 'g' })], done);
  const { state, interruptions } = await runner.run(next.agent, 'Continue', { context });
  expect(interruptions).toHaveLength(1);
  expect(shop.refunds).toEqual([]);
  for (const item of interruptions) state.approve(item);
  await runner.run(next.agent, await RunState.fromString(next.agent, state.toString()));
  expect(read(next.model)).toContain('refunded 7');
  expect(shop.refunds).toHaveLength(1);
});
