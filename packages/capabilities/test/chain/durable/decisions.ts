import assert from 'node:assert/strict';
import type { Approval, ApprovalTransition, RecordedDecision } from '@ravi/kernel';
import type { World } from './harness.ts';

/** Returns the undecided requests of a run, sorted by the id of their call. */
export async function pending({ store }: World, runId = 'run-1'): Promise<readonly Approval[]> {
  const { items } = await store.approvals.list({ runId, status: 'pending' });
  return items.toSorted((left, right) => left.request.callId.localeCompare(right.request.callId));
}

/** Decides the undecided request whose argument `to` is `target`. */
export async function answer(
  { store }: World,
  target: string,
  how: Partial<RecordedDecision> = {},
  runId = 'run-1',
): Promise<ApprovalTransition> {
  const asked = (await pending({ store } as World, runId)).find(({ request }) => request.args['to'] === target);
  assert.ok(asked, `there was no request about ${target}`);
  return store.approvals.decide(asked.request.id, {
    decision: 'approved',
    approver: 'ada',
    decidedAt: Date.now(),
    ...how,
  });
}
