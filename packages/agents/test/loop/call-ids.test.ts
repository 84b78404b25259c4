import assert from 'node:assert/strict';
import { sessionOf, Toolbox, ToolInvoker } from '@ravi/invoker';
import { defineTool } from '@ravi/kernel';
import type { ApprovalDecisionInput, ApprovalHandler, Tool } from '@ravi/kernel';
import { createScriptedModel, pairingProblems } from '@ravi/testkit';
import { test } from 'vitest';
import { askUserTool, ReActAgent } from '../../src/index.ts';
import type { AgentMiddleware, AgentOptions } from '../../src/index.ts';
import { createTestHistory, createTestRuns, keepTestProcess } from '../support/memory-state.ts';

const noArguments = { type: 'object', properties: {} } as const;

/** A `pay` tool that always needs approval; the first request is approved, all others are denied. A request keeps its decision. */
function createTill() {
  const keys: string[] = [];
  let asked = 0;
  const pay: Tool = defineTool({
    name: 'pay',
    description: 'Pays',
    risk: 'critical',
    inputSchema: noArguments,
    execute: async (_, { idempotencyKey }) => {
      keys.push(idempotencyKey);
      return 'paid';
    },
  });
  const decisions = new Map<string, ApprovalDecisionInput>();
  const approvalHandler: ApprovalHandler = {
    async request({ id }) {
      const known = decisions.get(id);
      if (known !== undefined) return known;
      const decision: ApprovalDecisionInput = { decision: asked++ === 0 ? 'approved' : 'denied' };
      decisions.set(id, decision);
      return decision;
    },
  };
  return { pay, approvalHandler, keys, asked: () => asked };
}

function recorded(): Pick<AgentOptions, 'process' | 'history' | 'runs'> {
  const runs = createTestRuns();
  return { process: keepTestProcess(runs, 'this process'), history: createTestHistory(), runs };
}

test('an approval for a call inside a script is not valid for a model call with the same id', async () => {
  const till = createTill();
  const script = defineTool({
    name: 'script',
    description: 'Pays in a session of its own',
    risk: 'safe',
    inputSchema: noArguments,
    async execute(_, context) {
      const parent = sessionOf(context);
      assert.ok(parent !== undefined);
      await using session = invoker.openSession({ parent, parentCallId: context.callId });
      return (await invoker.invoke({ name: 'pay', args: {} }, { session, caller: 'chain' })).text;
    },
  });
  const { approvalHandler } = till;
  const invoker = new ToolInvoker({ registry: new Toolbox([till.pay, script]), approvalHandler });
  const model = createScriptedModel([
    { toolCalls: [{ name: 'script', id: 'x' }] },
    { toolCalls: [{ name: 'pay', id: 'x.call_1' }] },
    { text: 'done' },
  ]);
  const result = await new ReActAgent({ name: 'clerk', invoker, model, ...recorded() }).run('go');
  assert.deepEqual([till.asked(), till.keys.length], [2, 1]);
  assert.deepEqual(pairingProblems(result.messages), []);
});

test('each attempt that middleware makes of a call needs its own approval', async () => {
  const till = createTill();
  const twice: AgentMiddleware = {
    async tool(call, next) {
      await next(call);
      return next(call);
    },
  };
  const model = createScriptedModel([{ toolCalls: [{ name: 'pay', id: 'p' }] }, { text: 'done' }]);
  const { approvalHandler, pay } = till;
  const agent = new ReActAgent({
    name: 'clerk',
    tools: [pay],
    model,
    approvalHandler,
    middleware: [twice],
    ...recorded(),
  });
  const result = await agent.run('go');
  assert.deepEqual([till.asked(), till.keys.length], [2, 1]);
  assert.deepEqual(
    result.trace.map(({ callId, status }) => [callId, status]),
    [
      ['p', 'ok'],
      ['p.attempt_2', 'denied'],
    ],
  );
});

test('calls of middleware, of the model, and from before a pause have different keys', async () => {
  const keys: string[] = [];
  const note = defineTool({
    name: 'note',
    description: 'Notes',
    risk: 'safe',
    inputSchema: noArguments,
    execute: async (_, { idempotencyKey }) => {
      keys.push(idempotencyKey);
      return 'noted';
    },
  });
  const middleware: AgentMiddleware = {
    async step(context, next) {
      await context.tool('note', {});
      await context.tool('note', {});
      await next();
    },
  };
  const model = createScriptedModel([
    {
      toolCalls: [
        { name: 'note', id: 'call_1' },
        { name: 'ask_user', arguments: { question: 'Which?' } },
      ],
    },
    { toolCalls: [{ name: 'note', id: 'step_1.call_1' }] },
    { text: 'done' },
  ]);
  const agent = new ReActAgent({ name: 'clerk', tools: [note, askUserTool], model, middleware: [middleware] });
  const { paused } = await agent.run('go');
  assert.ok(paused !== undefined);
  const result = await agent.resume(paused, 'The blue one');
  assert.equal(result.status, 'completed');
  assert.equal(keys.length, 8);
  assert.equal(new Set(keys).size, 8);
});

test('nested sessions of the same call continue the numbering of calls', async () => {
  const invoker = new ToolInvoker({ registry: new Toolbox([]) });
  await using parent = invoker.openSession();
  await using first = invoker.openSession({ parent, parentCallId: 'c' });
  await using second = invoker.openSession({ parent, parentCallId: 'c' });
  await using elsewhere = invoker.openSession({ parent, parentCallId: 'c', runId: 'another' });
  await using sibling = invoker.openSession({ parent });
  const ids = [parent, first, second, first, elsewhere, sibling].map((session) => session.nextCallId());
  assert.deepEqual(ids, ['call_1', 'c.call_1', 'c.call_2', 'c.call_3', 'c.call_1', 'call_2']);
});
