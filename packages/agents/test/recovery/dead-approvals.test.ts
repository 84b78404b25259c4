import assert from 'node:assert/strict';
import type { ApprovalRequest, ApprovalStore } from '@ravi/kernel';
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
