import assert from 'node:assert/strict';
import { createApprovalRequest } from '../doubles/test-approvals.ts';
import { midnight, whole } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

const hourMs = 3_600_000;

/** Cases about callers whose clocks jump. */
export function clockCases({ needing }: StateStoreSuite): void {
  const scenario = needing('approvals');
  scenario('a clock that is set back ends no request early', async (store) => {
    const { approvals } = store;
    const earlier = midnight - hourMs;
    const times = { requestedAt: midnight, expiresAt: midnight + 1_000 };
    await approvals.create(createApprovalRequest({ id: 'answered', ...times }));
    await approvals.create(createApprovalRequest({ id: 'waiting', ...times }));

    assert.deepEqual(whole(await approvals.expire(earlier)), []);
    const answer = { decision: 'approved', decidedAt: earlier } as const;
    assert.equal((await approvals.decide('answered', answer)).status, 'done');
    const numbers = whole(await approvals.changes()).map(({ sequence }) => sequence);
    assert.deepEqual(
      numbers,
      numbers.toSorted((left, right) => left - right),
    );
    assert.deepEqual(
      whole(await approvals.expire(midnight + 1_000)).map(({ request }) => request.id),
      ['waiting'],
    );
  });
}
