import { HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { Command } from '@langchain/langgraph';
import { createVmSandbox } from '@ravi/sandbox-vm';
import { createAgent } from 'langchain';
import { expect, test } from 'vitest';
import { answerTo, createLangChainTools } from '../src/index.ts';
import { createModel, createScene, read, refund, script, thread } from './scene.ts';

test('a gated call in a script interrupts the graph, and the script continues where it was', async () => {
  await using sandbox = createVmSandbox({ unsafe: true });
  const code =
    'const orders = await tools.list_orders({}); return await tools.refund_order({ order: orders[0].order });';
  await using scene = createScene([[script(code)]], { sandbox });

  const { interrupts } = await scene.ask();
  expect(scene.refunds).toEqual([]);
  expect(interrupts).toMatchObject([{ value: { actionRequests: [{ name: 'refund_order', args: { order: 1 } }] } }]);

  const { outputs } = await scene.resume(answerTo(interrupts[0]!, 'approve'));

  expect(scene.refunds).toEqual([1]);
  expect(scene.listed).toBe(1);
  expect(outputs[0]).toContain('refunded');
});

test('parallel calls of a script are one question, and each has its own decision', async () => {
  await using sandbox = createVmSandbox({ unsafe: true });
  const code =
    'const all = await Promise.all([1, 2].map((order) => tools.refund_order.safe({ order }))); return all.map(({ status }) => status);';
  await using scene = createScene([[script(code)]], { sandbox });
  const { interrupts } = await scene.ask();
  const [interrupt] = interrupts;
  const [first, second] = interrupt!.value!.actionRequests;

  const { outputs } = await scene.resume({
    [interrupt!.id!]: {
      decisions: [
        { type: 'reject', requestId: second!.requestId },
        { type: 'approve', requestId: first!.requestId },
      ],
    },
  });

  expect(scene.refunds).toEqual([first!.args['order']]);
  expect(outputs[0]).toContain('denied');
});

test('calls of a script one after the other are questions one after the other', async () => {
  await using sandbox = createVmSandbox({ unsafe: true });
  const code = 'await tools.refund_order({ order: 1 }); return await tools.refund_order({ order: 2 });';
  await using scene = createScene([[script(code)]], { sandbox });

  const first = await scene.ask();
  const second = await scene.resume(answerTo(first.interrupts[0]!, 'approve'));
  expect(scene.refunds).toEqual([1]);
  expect(second.interrupts).toMatchObject([{ value: { actionRequests: [{ args: { order: 2 } }] } }]);

  await scene.resume(answerTo(second.interrupts[0]!, 'approve'));
  expect(scene.refunds).toEqual([1, 2]);
});

test('a call of a sub-agent interrupts the graph above', async () => {
  await using scene = createScene([]);
  const worker = createAgent({ model: createModel([[refund(5)]]), tools: createLangChainTools(scene.gateway) });
  const delegate = tool(
    async () => {
      const { messages } = await worker.invoke({ messages: [new HumanMessage({ id: 'task-1', content: 'Work' })] });
      return messages.at(-1)?.text ?? '';
    },
    { name: 'delegate', description: 'Delegates', schema: { type: 'object', properties: {} } },
  );
  const agent = createAgent({
    model: createModel([[{ id: 'delegate-1', name: 'delegate', args: {} }]]),
    tools: [delegate],
    checkpointer: scene.checkpointer,
  });

  const { interrupts } = read(await agent.invoke({ messages: 'Hello' } as never, thread));
  expect(scene.refunds).toEqual([]);
  expect(interrupts).toHaveLength(1);
  await agent.invoke(new Command({ resume: answerTo(interrupts[0]!, 'approve') }) as never, thread);

  expect(scene.refunds).toEqual([5]);
});
