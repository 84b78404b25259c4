import assert from 'node:assert/strict';
import { toolDigest } from '@ravi/invoker';
import type { ApprovalDecisionInput, ApprovalRequest, ApprovalStore } from '@ravi/kernel';
import { createApprovalRequest, createMemoryApprovalStore, createScriptedModel } from '@ravi/testkit';
import { test } from 'vitest';
import { createWorld, start, where } from '../support/recovery-world.ts';
import type { RecoveryWorld } from '../support/recovery-world.ts';

const never = Number.MAX_SAFE_INTEGER;

/** Stores a request of a call of the run. */
async function ask(approvals: ApprovalStore, callId: string, expiresAt: number): Promise<ApprovalRequest> {
  const { runId, sessionId, principal } = where;
  const request = createApprovalRequest({ id: `of-${callId}`, runId, sessionId, principal, callId, expiresAt });
  return (await approvals.create(request)).request;
}

/** Starts a run whose process hangs in the only call of its second step. */
async function killInSecondStep(world: RecoveryWorld): Promise<void> {
  const model = createScriptedModel([{ toolCalls: [{ name: 'look' }] }, { toolCalls: [{ name: 'hang' }] }]);
  void world.process(model).run('go', where);
  while (world.office.done.at(-1) !== 'hang') await new Promise(setImmediate);
}

test('recovery consumes expired requests of calls that are over, so that none wakes the run again', async () => {
  const world = createWorld();
  await killInSecondStep(world);
  const approvals = createMemoryApprovalStore();
  await ask(approvals, 'call-1-1', start + 1);
  await ask(approvals, 'call-1-1.2', start + 1);
  await ask(approvals, 'gone', never);
  await approvals.expire(start + 2);
  const statuses = async (): Promise<readonly unknown[]> => {
    const ids = ['call-1-1', 'call-1-1.2', 'gone'];
    return Promise.all(ids.map(async (id) => (await approvals.get(`of-${id}`))?.status));
  };
  assert.deepEqual(await statuses(), ['expired', 'expired', 'pending']);
  const next = world.process(createScriptedModel([{ text: 'done' }]));
  const result = await next.recover(world.row(), { ...world.recovery, approvals }).result;
  assert.equal(result.status, 'completed');
  assert.deepEqual(await statuses(), ['consumed', 'consumed', 'withdrawn']);
});

test('an approval for the run covers the calls of a recovered run, but not one that a person has denied', async () => {
  const world = createWorld();
  const approvals = createMemoryApprovalStore();
  const policy = { maxRiskUnapproved: 'safe' } as const;
  const write = { name: 'write' };
  const { runId, sessionId, principal } = where;
  const waiting = Promise.withResolvers<void>();
  const undecided = {
    async request(request: ApprovalRequest): Promise<ApprovalDecisionInput> {
      await approvals.create(request);
      waiting.resolve();
      return new Promise(() => {});
    },
  };
  const first = createScriptedModel([{ toolCalls: [{ name: 'look' }] }, { toolCalls: [write] }]);
  void world.process(first, { policy, approvalHandler: undecided }).run('go', where);
  await waiting.promise;
  const tool = world.office.tools.find(({ name }) => name === 'write')!;
  const id = 'for-the-run';
  const about = { id, runId, sessionId, principal, callId: 'earlier', tool: 'write', toolDigest: toolDigest(tool) };
  const earlier = await approvals.create(createApprovalRequest({ ...about, requestedAt: start, expiresAt: never }));
  await approvals.decide(id, { decision: 'approved', scope: 'run', approver: 'eve', decidedAt: start });
  await approvals.consume(id, earlier.request, { consumer: `${runId}:earlier`, now: start });

  const asked: string[] = [];
  const denying = {
    async request({ callId }: ApprovalRequest): Promise<ApprovalDecisionInput> {
      asked.push(callId);
      return { decision: 'denied', reason: 'not this one' };
    },
  };
  const next = createScriptedModel([{ toolCalls: [write, write] }, { text: 'done' }]);
  const process = world.process(next, { policy, approvalHandler: denying });
  const result = await process.recover(world.row(), { ...world.recovery, approvals }).result;
  assert.equal(result.status, 'completed');
  assert.equal(asked.length, 1);
  assert.deepEqual(world.office.done, ['look', 'write', 'write']);
});
