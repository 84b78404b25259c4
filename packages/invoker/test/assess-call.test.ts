import { createTestApprovals, createTestJournal } from '@ravi/testkit';
import { expect, test } from 'vitest';
import { createHarness } from './support/harness.ts';
import { recordingTool } from './support/tools.ts';

const approvals = (): ReturnType<typeof createTestApprovals> =>
  createTestApprovals(() => Promise.resolve({ decision: 'approved' }));

const refund = (): ReturnType<typeof recordingTool> =>
  recordingTool('refund', {
    risk: 'high',
    inputSchema: { type: 'object', properties: { cents: { type: 'integer' }, password: { type: 'string' } } },
    classifyRisk: ({ cents }) => ({ risk: 'high', summary: `${JSON.stringify(cents)} cents` }),
  });

test('an assessment has no effect: it runs, counts, records, journals, requests and reports nothing', async () => {
  const tool = refund();
  const handler = approvals();
  const journal = createTestJournal();
  const { invoker, session, recorded } = createHarness([tool], { approvalHandler: handler, journal });
  const before = recorded.recorded.length;
  const call = { name: 'refund', args: { cents: 5 }, callId: 'c' };
  expect(await invoker.assess(call, { session })).toMatchObject({ status: 'needs-approval' });
  expect(tool.calls).toEqual([]);
  expect(session.callCount).toBe(0);
  expect(session.trace).toEqual([]);
  expect(journal.writes).toEqual([]);
  expect(handler.requests).toEqual([]);
  expect(recorded.recorded).toHaveLength(before);
});

test('the request of an assessment is the one that the call makes, if its id is passed on', async () => {
  const handler = approvals();
  const { invoker, session } = createHarness([refund()], { approvalHandler: handler });
  const call = { name: 'refund', args: { cents: 5, password: 'hunter2 hunter2' }, callId: 'c' };
  const assessment = await invoker.assess(call, { session });
  if (assessment.status !== 'needs-approval') throw new Error(assessment.status);
  const { request } = assessment;
  expect(request).toMatchObject({ summary: '5 cents', args: { cents: 5, password: '[redacted]' }, callId: 'c' });
  await invoker.invoke(call, { session, approvalId: request.id });
  expect(handler.requests).toEqual([request]);
  expect(session.trace).toMatchObject([{ approval: { requestId: request.id } }]);
});

test('a call that would run or be refused needs no request', async () => {
  const { invoker, session, hooks } = createHarness([refund(), recordingTool('read', { risk: 'safe' })]);
  const assess = (name: string, args: unknown = {}): ReturnType<typeof invoker.assess> =>
    invoker.assess({ name, args }, { session });
  expect(await assess('read')).toEqual({ status: 'ready', risk: 'safe' });
  expect(await assess('reed')).toMatchObject({ status: 'refused', result: { error: { code: 'E_TOOL_UNKNOWN' } } });
  expect(await assess('refund', { cents: 'x' })).toMatchObject({ result: { error: { code: 'E_ARGUMENTS_INVALID' } } });
  hooks.intercept(() => ({ action: 'deny', reason: 'not today' }));
  expect(await assess('refund', { cents: 1 })).toMatchObject({ result: { status: 'denied' } });
});

test('an approval for the run and a cancelled run are seen', async () => {
  const handler = createTestApprovals(() => Promise.resolve({ decision: 'approved', scope: 'run' }));
  const { invoker, session } = createHarness([refund()], { approvalHandler: handler });
  const call = { name: 'refund', args: { cents: 5 } };
  await invoker.invoke(call, { session });
  expect(await invoker.assess(call, { session })).toEqual({ status: 'ready', risk: 'high' });
  session.cancel('over');
  await expect(invoker.assess(call, { session })).rejects.toThrow('over');
});
