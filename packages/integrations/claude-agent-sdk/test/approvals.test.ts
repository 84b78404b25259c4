import { approveAll } from '@ravi/testkit';
import { expect, test } from 'vitest';
import { allow, call, createScene, refund, resultsOf } from './scene.ts';
import type { Answer } from './scene.ts';

test('the model reads the declarations, and a safe tool runs without a question', async () => {
  const scene = await createScene([[call('list_orders')], 'done'], { answer: allow });

  await scene.run();

  const tools = scene.model.requests[0]?.tools ?? [];
  expect(tools).toHaveLength(scene.tools.length);
  expect(tools).toContainEqual(
    expect.objectContaining({
      name: 'mcp__ravi__refund_order',
      input_schema: expect.objectContaining({ required: ['order'] }),
    }),
  );
  expect(scene.listed).toBe(1);
  expect(scene.asked).toEqual([]);
  expect(resultsOf(scene.model)).toContain('\\"total\\":20');
});

test('a call above the risk threshold asks the person once, and runs after approval', async () => {
  const scene = await createScene([[refund(7)], 'done'], { answer: allow });

  await scene.run();

  expect(scene.refunds).toEqual([7]);
  expect(scene.asked).toMatchObject([
    {
      tool: 'mcp__ravi__refund_order',
      input: { order: 7 },
      options: { toolUseID: 'toolu_7', mcpServer: { name: 'ravi', source: 'sdk' }, decisionReason: 'Its risk is high' },
    },
  ]);
});

test('each call has its own decision: approved, denied with a reason, or with other arguments', async () => {
  const answer: Answer = ({ input }) => {
    const { order } = input as { readonly order: number };
    if (order === 2) return { behavior: 'deny', message: 'Too late' };
    // The examples of the SDK return the input as it is.
    return { behavior: 'allow', updatedInput: order === 3 ? { order: 30 } : { order } };
  };
  const scene = await createScene([[refund(1), refund(2), refund(3)], 'done'], { answer });

  await scene.run();

  expect(scene.refunds).toEqual([1, 30]);
  expect(scene.asked).toHaveLength(3);
  expect(resultsOf(scene.model)).toContain('Too late');
});

test('an approval handler is asked instead of canUseTool', async () => {
  const approvalHandler = approveAll();
  const scene = await createScene([[refund(7)], 'done'], { answer: allow, approvalHandler });

  await scene.run();

  expect(scene.refunds).toEqual([7]);
  expect(scene.asked).toEqual([]);
  expect(approvalHandler.requests).toHaveLength(1);
});

test('tools of Claude Code are still decided by canUseTool alone', async () => {
  const write = { id: 'toolu_w', name: 'Write', input: { file_path: '/tmp/x', content: 'x' } };
  const answer = () => ({ behavior: 'deny', message: 'Not here' }) as const;
  const scene = await createScene([[write], 'done'], { answer });

  await scene.run({ tools: ['Write'] });

  expect(scene.asked).toMatchObject([{ tool: 'Write' }]);
  expect(resultsOf(scene.model)).toContain('Not here');
});
