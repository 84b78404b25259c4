import { approveAll } from '@ravi/testkit';
import { expect, test } from 'vitest';
import { refund } from './model.ts';
import { createScene } from './scene.ts';

test('a safe tool runs at once', async () => {
  await using scene = createScene([[{ id: 'call-1', name: 'list_orders', args: {} }]]);

  const { text, outputs } = await scene.ask();

  expect(text).toBe('done');
  expect(scene.listed).toBe(1);
  expect(outputs).toContain('\\"total\\":20');
});

test('a call above the risk threshold suspends, and runs once after approval', async () => {
  await using scene = createScene([[refund(7)]]);

  const reply = await scene.ask();

  expect(reply.isSuspended).toBe(true);
  expect(scene.refunds).toEqual([]);
  expect(reply.waiting).toMatchObject([
    {
      toolCallId: 'refund-7',
      suspension: { requests: [{ tool: 'refund_order', args: { order: 7 }, risk: 'high' }] },
    },
  ]);

  const { text } = await scene.resume(reply, { choice: { decision: 'approved', approver: 'ada' } });

  expect(scene.refunds).toEqual([7]);
  expect(text).toBe('done');
  expect(scene.gateway.trace({ runId: reply.runId })).toMatchObject([
    { callId: 'refund-7', status: 'ok', approval: { decision: 'approved', approver: 'ada' } },
  ]);
});

test('a denied call does not run, and the model reads the reason', async () => {
  await using scene = createScene([[refund(7)]]);

  const { outputs } = await scene.resume(await scene.ask(), { choice: { decision: 'denied', reason: 'Too late' } });

  expect(scene.refunds).toEqual([]);
  expect(outputs).toContain('Too late');
});

test('a call runs with the arguments of the person', async () => {
  await using scene = createScene([[refund(7)]]);

  await scene.resume(await scene.ask(), { choice: { decision: 'modified', modifiedArgs: { order: 8 } } });

  expect(scene.refunds).toEqual([8]);
});

test('each of several calls has its own decision', async () => {
  await using scene = createScene([[refund(1), refund(2)]]);

  let reply = await scene.ask();
  const seen: unknown[] = [];
  while (reply.isSuspended) {
    const [request] = reply.waiting[0]!.suspension!.requests;
    seen.push(request!.args);
    reply = await scene.resume(reply, { choice: request!.args['order'] === 1 ? 'deny' : 'approve' });
  }

  expect(seen).toHaveLength(2);
  expect(scene.refunds).toEqual([2]);
  expect(reply.text).toBe('done');
});

test('an approval handler is asked instead of suspending', async () => {
  const approvalHandler = approveAll();
  await using scene = createScene([[refund(7)]], { approvalHandler });

  const { isSuspended } = await scene.ask();

  expect(isSuspended).toBe(false);
  expect(scene.refunds).toEqual([7]);
  expect(approvalHandler.requests).toHaveLength(1);
});

test('only the payload of a tool of Ravi can be answered', async () => {
  await using scene = createScene([]);

  expect(() => scene.ravi.answer({ question: 'Why?' }, 'approve')).toThrow('not the suspend payload');
});
