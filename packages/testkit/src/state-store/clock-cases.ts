import assert from 'node:assert/strict';
import type { LeaseRequest } from '@ravi/kernel';
import { createApprovalRequest } from '../doubles/approval-request.ts';
import { midnight, newRun, rejectsWith, whole } from './state-store-suite.ts';
import { journalEntry } from './journal-cases.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

const hourMs = 3_600_000;
const lease = (owner: string, now: number): LeaseRequest => ({ owner, now, leaseMs: 1_000 });

/** Cases about callers whose clocks jump. */
export function clockCases({ needing }: StateStoreSuite): void {
  const scenario = needing('journal', 'approvals');
  scenario('a clock that jumps forward costs its run at most its lease, and permits no double write', async (store) => {
    const { runs, journal } = store;
    const entry = (position: number, leaseOwner: string) => journalEntry('run-1', position, { leaseOwner });
    await runs.create(newRun('run-1'), lease('one', midnight));
    await journal.started(entry(1, 'one'));
    const later = midnight + hourMs;
    assert.deepEqual(
      whole(await runs.listExpired(later)).map(({ id }) => id),
      ['run-1'],
    );
    // No other process has claimed it yet, so its owner continues at any time.
    await journal.started(entry(2, 'one'));
    assert.equal((await runs.claim('run-1', lease('two', later)))?.lease?.owner, 'two');
    await rejectsWith('E_STATE_CONFLICT', journal.started(entry(3, 'one')));
    assert.equal(await runs.renew('run-1', lease('one', midnight)), false);
    await journal.started(entry(3, 'two'));
    assert.equal(whole(await journal.entries('run-1')).length, 3);
  });

  scenario(
    'a clock that is set back keeps a lease for the owner that renews it, and ends no request early',
    async (store) => {
      const { runs, approvals } = store;
      const earlier = midnight - hourMs;
      const times = { requestedAt: midnight, expiresAt: midnight + 1_000 };
      await runs.create(newRun('run-1'), lease('one', midnight));
      await approvals.create(createApprovalRequest({ id: 'answered', ...times }));
      await approvals.create(createApprovalRequest({ id: 'waiting', ...times }));

      assert.equal(await runs.claim('run-1', lease('two', earlier)), undefined);
      assert.equal(await runs.renew('run-1', lease('one', earlier)), true);
      assert.equal(await runs.claim('run-1', lease('two', earlier + 999)), undefined);
      assert.equal((await runs.claim('run-1', lease('two', earlier + 1_000)))?.lease?.owner, 'two');

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
    },
  );
}
