import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { InMemoryStore } from '@mastra/core/storage';
import { createCodeMode } from '@mastra/core/tools';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { LocalSandbox } from '@mastra/core/workspace';
import { createVmSandbox } from '@ravi/sandbox-vm';
import { expect, test } from 'vitest';
import { createModel, refund, script } from './model.ts';
import { createScene } from './scene.ts';

test('a gated call in a script suspends, and the script continues where it was', async () => {
  await using sandbox = createVmSandbox({ unsafe: true });
  const code =
    'const orders = await tools.list_orders({}); return await tools.refund_order({ order: orders[0].order });';
  await using scene = createScene([[script(code)]], { sandbox });

  const reply = await scene.ask();
  expect(scene.refunds).toEqual([]);
  expect(reply.waiting[0]?.suspension?.requests).toMatchObject([{ tool: 'refund_order', args: { order: 1 } }]);
  const { outputs } = await scene.resume(reply, { choice: 'approve' });

  expect(scene.refunds).toEqual([1]);
  expect(scene.listed).toBe(1);
  expect(outputs).toContain('refunded');
});

test('calls of a script one after the other suspend one after the other', async () => {
  await using sandbox = createVmSandbox({ unsafe: true });
  const code = 'await tools.refund_order({ order: 1 }); return await tools.refund_order({ order: 2 });';
  await using scene = createScene([[script(code)]], { sandbox });

  const second = await scene.resume(await scene.ask(), { choice: 'approve' });
  expect(scene.refunds).toEqual([1]);
  expect(second.waiting[0]?.suspension?.requests).toMatchObject([{ args: { order: 2 } }]);
  await scene.resume(second, { choice: 'approve' });

  expect(scene.refunds).toEqual([1, 2]);
});

test('parallel calls of a script are one suspension, and each has its own decision', async () => {
  await using sandbox = createVmSandbox({ unsafe: true });
  const code =
    'const all = await Promise.all([1, 2].map((order) => tools.refund_order.safe({ order }))); return all.length;';
  await using scene = createScene([[script(code)]], { sandbox });
  const reply = await scene.ask();
  const { suspension } = reply.waiting[0]!;
  const [first, second] = suspension!.requests;
  const value = {
    decisions: [
      ...scene.ravi.answer(suspension, { decision: 'denied', requestId: second!.requestId }).decisions,
      ...scene.ravi.answer(suspension, { decision: 'approved', requestId: first!.requestId }).decisions,
    ],
  };

  await scene.resume(reply, { value });

  expect(scene.refunds).toEqual([first!.args['order']]);
});

test('a call of a sub-agent suspends its supervisor', async () => {
  await using scene = createScene([[refund(5)], 'refunded']);
  const supervisor = new Agent({
    id: 'supervisor',
    name: 'supervisor',
    instructions: 'You delegate',
    model: createModel([[{ id: 'delegate-1', name: 'agent-clerk', args: { prompt: 'Refund order 5' } }]]),
    agents: { clerk: scene.agent },
  });
  new Mastra({ agents: { supervisor, clerk: scene.agent }, storage: new InMemoryStore(), logger: false });

  const { finishReason, suspendPayload, runId } = await supervisor.generate('Hello');
  expect(finishReason).toBe('suspended');
  expect(scene.refunds).toEqual([]);
  const { text } = await supervisor.resumeGenerate(scene.ravi.answer(suspendPayload, 'approve'), { runId: runId! });

  expect(scene.refunds).toEqual([5]);
  expect(text).toBe('done');
});

test('a background task suspends, and runs after approval', async () => {
  await using scene = createScene([[refund(7)]]);
  const agent = new Agent({
    id: 'night-clerk',
    name: 'night-clerk',
    instructions: 'You help',
    model: createModel([[refund(7)]]),
    tools: scene.ravi.tools,
    backgroundTasks: { tools: { refund_order: true } },
  });
  const mastra = new Mastra({
    agents: { agent },
    storage: new InMemoryStore(),
    logger: false,
    backgroundTasks: { enabled: true },
  });
  const manager = mastra.backgroundTaskManager!;
  const events = manager.stream().getReader();
  const until = async (type: string): Promise<void> => {
    for (;;) {
      const { value, done } = await events.read();
      if (done || (value as { readonly type: string }).type === type) return;
    }
  };

  const { text } = await agent.generate('Hello');
  expect(text).toBe('done');
  await until('background-task-suspended');
  expect(scene.refunds).toEqual([]);
  const { tasks } = await manager.listTasks({});
  await manager.resume(tasks[0]!.id, scene.ravi.answer(tasks[0]!.suspendPayload, 'approve'));
  await until('background-task-completed');

  expect(scene.refunds).toEqual([7]);
  await events.cancel();
  await manager.shutdown();
});

test('a step of a workflow suspends its run, and a denial fails it', async () => {
  await using scene = createScene([]);
  const step = createStep(scene.ravi.tools['refund_order']!);
  const workflow = createWorkflow({ id: 'refunds', inputSchema: step.inputSchema, outputSchema: step.outputSchema })
    .then(step)
    .commit();
  new Mastra({ workflows: { workflow }, storage: new InMemoryStore(), logger: false });
  for (const choice of ['approve', 'deny'] as const) {
    const run = await workflow.createRun();
    const started = await run.start({ inputData: { order: 3 } });
    expect(started.status).toBe('suspended');
    const payload = started.steps['refund_order']?.suspendPayload;

    const resumed = await run.resume({ resumeData: scene.ravi.answer(payload, choice) });

    expect(resumed.status).toBe(choice === 'approve' ? 'success' : 'failed');
  }
  expect(scene.refunds).toEqual([3]);
});

test('code mode of Mastra cannot suspend, so a gated call in it is denied', async () => {
  await using scene = createScene([]);
  const { tool, instructions } = createCodeMode({ tools: scene.ravi.tools, sandbox: new LocalSandbox() });
  const code =
    'const orders = await external_list_orders({}); try { await external_refund_order({ order: 1 }); } catch (error) { return error.message; }';
  const agent = new Agent({
    id: 'coder',
    name: 'coder',
    instructions,
    model: createModel([[{ id: 'code-1', name: tool.id, args: { code } }]]),
    tools: { [tool.id]: tool },
  });
  new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false });

  const { toolResults } = await agent.generate('Hello');

  expect(scene.listed).toBe(1);
  expect(scene.refunds).toEqual([]);
  expect(JSON.stringify(toolResults)).toContain('cannot suspend here');
});
