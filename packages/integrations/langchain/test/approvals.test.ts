import { approveAll } from '@ravi/testkit';
import { expect, test } from 'vitest';
import { answerTo, isApprovalQuestion } from '../src/index.ts';
import { createScene, read, refund, thread } from './scene.ts';

test('a safe tool runs at once, and its message has its value as an artifact', async () => {
  await using scene = createScene([[{ id: 'call-1', name: 'list_orders', args: {} }]]);

  const { interrupts, outputs, messages } = await scene.ask();

  expect(interrupts).toEqual([]);
  expect(scene.listed).toBe(1);
  expect(outputs[0]).toContain('"total":20');
  expect(messages.find(({ type }) => type === 'tool')).toMatchObject({
    status: 'success',
    artifact: {
      structured: [
        { order: 1, total: 20 },
        { order: 2, total: 35 },
      ],
    },
  });
});

test('a call above the risk threshold interrupts the graph, and runs once after approval', async () => {
  await using scene = createScene([[refund(7)]]);

  const { interrupts } = await scene.ask();

  expect(scene.refunds).toEqual([]);
  const [interrupt] = interrupts;
  expect(isApprovalQuestion(interrupt?.value)).toBe(true);
  expect(interrupt?.value).toMatchObject({
    actionRequests: [{ name: 'refund_order', args: { order: 7 }, risk: 'high' }],
    reviewConfigs: [{ actionName: 'refund_order', allowedDecisions: ['approve', 'edit', 'reject'] }],
  });

  const { outputs, messages } = await scene.resume(answerTo(interrupt!, { type: 'approve', approver: 'ada' }));

  expect(scene.refunds).toEqual([7]);
  expect(outputs).toEqual(['{"refunded":7}']);
  expect(messages.at(-1)?.text).toBe('done');
});

test('a rejected call does not run, and the model reads the reason', async () => {
  await using scene = createScene([[refund(7)]]);
  const { interrupts } = await scene.ask();

  const { outputs, messages } = await scene.resume(answerTo(interrupts[0]!, { type: 'reject', message: 'Too late' }));

  expect(scene.refunds).toEqual([]);
  expect(outputs[0]).toContain('Too late');
  expect(messages.find(({ type }) => type === 'tool')).toMatchObject({
    status: 'error',
    artifact: { error: { code: 'E_APPROVAL_DENIED' } },
  });
});

test('an edited call runs with the arguments of the person', async () => {
  await using scene = createScene([[refund(7)]]);
  const { interrupts } = await scene.ask();

  await scene.resume(answerTo(interrupts[0]!, { type: 'edit', editedAction: { args: { order: 8 } } }));

  expect(scene.refunds).toEqual([8]);
});

test('an edit that breaks the schema denies the call', async () => {
  await using scene = createScene([[refund(7)]]);
  const { interrupts } = await scene.ask();

  const { outputs } = await scene.resume(
    answerTo(interrupts[0]!, { type: 'edit', editedAction: { args: { order: 'x' } } }),
  );

  expect(scene.refunds).toEqual([]);
  expect(outputs[0]).toContain('not valid');
});

test('parallel calls interrupt separately, and each decision counts for its own call', async () => {
  await using scene = createScene([[refund(1), refund(2)]]);
  const { interrupts } = await scene.ask();
  expect(interrupts).toHaveLength(2);

  const after = await scene.resume(answerTo(interrupts[1]!, 'approve'));
  expect(scene.refunds).toEqual([2]);
  expect(after.interrupts).toHaveLength(1);

  const { outputs } = await scene.resume(answerTo(after.interrupts[0]!, 'reject'));
  expect(scene.refunds).toEqual([2]);
  expect(outputs).toHaveLength(2);
});

test('parallel interrupts can be answered together', async () => {
  await using scene = createScene([[refund(1), refund(2)]]);
  const { interrupts } = await scene.ask();

  await scene.resume({ ...answerTo(interrupts[0]!, 'approve'), ...answerTo(interrupts[1]!, 'approve') });

  expect([...scene.refunds].sort((left, right) => left - right)).toEqual([1, 2]);
});

test('without a checkpointer a call that needs approval is denied', async () => {
  const { agent, ...scene } = createScene([[refund(1)]], { checkpointer: false as never });

  const { outputs } = read(await agent.invoke({ messages: 'Hello' } as never));

  expect(scene.refunds).toEqual([]);
  expect(outputs[0]).toContain('has no checkpointer');
});

test('an approval handler is asked instead of the graph', async () => {
  const approvalHandler = approveAll();
  await using scene = createScene([[refund(1)]], { approvalHandler });

  const { interrupts } = await scene.ask();

  expect(interrupts).toEqual([]);
  expect(scene.refunds).toEqual([1]);
  expect(approvalHandler.requests).toMatchObject([{ tool: 'refund_order', args: { order: 1 } }]);
});

test('only an interrupt of Ravi can be answered', async () => {
  expect(() => answerTo({ id: 'x', value: 'question' }, 'approve')).toThrow('not an interrupt of Ravi');
  expect(thread.configurable.thread_id).toBe('thread-1');
});
