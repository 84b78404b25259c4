import { AIMessage } from '@langchain/core/messages';
import { Command } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import { answerTo } from '../src/index.ts';
import type { ApprovalAnswer } from '../src/index.ts';
import { createScene, questionId, read, refund, thread } from './scene.ts';

const worthless: readonly [name: string, value: unknown][] = [
  ['a text', 'yes'],
  ['true', true],
  ['an answer without decisions', { approved: true }],
  ['an approval in the shape of the middleware, which names no request', { decisions: [{ type: 'approve' }] }],
  ['an approval of another request', { decisions: [{ type: 'approve', requestId: 'approval_other' }] }],
  ['an unknown kind of decision', { decisions: [{ type: 'yes', requestId: 'approval_other' }] }],
  ['an edit without arguments', { decisions: [{ type: 'edit', requestId: 'approval_other' }] }],
];

for (const [name, value] of worthless) {
  test(`${name} approves nothing: the question is asked again`, async () => {
    await using scene = createScene([[refund(7)]]);
    const { interrupts } = await scene.ask();

    const again = await scene.resume({ [interrupts[0]!.id!]: value });

    expect(scene.refunds).toEqual([]);
    expect(again.interrupts).toMatchObject([{ value: interrupts[0]!.value }]);
    await scene.resume(answerTo(again.interrupts[0]!, 'approve'));
    expect(scene.refunds).toEqual([7]);
  });
}

test('a value that LangGraph passes to all parallel interrupts approves none of them', async () => {
  await using scene = createScene([[refund(1), refund(2)]]);
  await scene.ask();

  const { interrupts } = await scene.resume({ decisions: [{ type: 'approve' }] });

  expect(scene.refunds).toEqual([]);
  expect(interrupts).toHaveLength(2);
});

test('an approval of one call does not count for a parallel one', async () => {
  await using scene = createScene([[refund(1), refund(2)]]);
  const { interrupts } = await scene.ask();
  const [answer] = Object.values(answerTo(interrupts[0]!, 'approve')) as [ApprovalAnswer];

  const again = await scene.resume({ [interrupts[1]!.id!]: answer });

  expect(scene.refunds).toEqual([]);
  expect(again.interrupts).toHaveLength(2);
});

test('arguments that change between question and decision need a decision of their own', async () => {
  await using scene = createScene([[refund(1)]]);
  const { interrupts, messages } = await scene.ask();
  const [answer] = Object.values(answerTo(interrupts[0]!, 'approve')) as [ApprovalAnswer];
  const { id } = messages.at(-1)!;
  const changed = new AIMessage({
    id: id!,
    content: '',
    tool_calls: [{ ...refund(99), id: 'refund-1', type: 'tool_call' }],
  });
  await scene.agent.graph.updateState(thread, { messages: [changed] }, 'model_request');

  const again = read(await scene.agent.invoke(new Command({ resume: answer }) as never, thread));

  expect(scene.refunds).toEqual([]);
  expect(again.interrupts).toMatchObject([{ value: { actionRequests: [{ args: { order: 99 } }] } }]);
});

test('a decision that is sent again runs nothing again', async () => {
  await using scene = createScene([[refund(7)]]);
  const { interrupts } = await scene.ask();
  const before = await scene.agent.graph.getState(thread);
  const resume = new Command({ resume: answerTo(interrupts[0]!, 'approve') });
  await scene.agent.invoke(resume as never, thread);

  // LangGraph can resume from any checkpoint.
  const { outputs } = read(await scene.agent.invoke(resume as never, before.config));

  expect(scene.refunds).toEqual([7]);
  expect(outputs).toEqual(['{"refunded":7}']);
  const run = { runId: `thread-1/${questionId}`, sessionId: 'thread-1' };
  expect(scene.gateway.trace(run)).toMatchObject([{ tool: 'refund_order', status: 'ok' }]);
});
