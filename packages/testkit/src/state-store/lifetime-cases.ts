import assert from 'node:assert/strict';
import { createApprovalRequest } from '../doubles/approval-request.ts';
import { midnight, newRun, rejectsWith, whole } from './state-store-suite.ts';
import { journalEntry } from './journal-cases.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

/** What remains after the end of a store. */
export function lifetimeCases({ scenario, skip, options: { reopen } }: StateStoreSuite): void {
  scenario('a store that was disposed refuses everything, and may be disposed again', async (store) => {
    await store[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    await rejectsWith('E_STATE_UNAVAILABLE', store.runs.get('run-1'));
    await rejectsWith('E_STATE_UNAVAILABLE', store.runs.create(newRun('run-1')));
    await rejectsWith('E_STATE_UNAVAILABLE', store.journal.started(journalEntry('run-1', 1)));
    await rejectsWith('E_STATE_UNAVAILABLE', store.approvals.create(createApprovalRequest()));
    await rejectsWith('E_SNIPPET_UNAVAILABLE', store.snippets.list('ada'));
  });

  scenario(
    'what is on its way when a store is disposed is written or refused, and never lost in silence',
    async (store) => {
      const calls = Array.from({ length: 50 }, (_, position) => store.journal.started(journalEntry('run-1', position)));
      await store[Symbol.asyncDispose]();
      const fulfilled = (await Promise.allSettled(calls)).filter(({ status }) => status === 'fulfilled').length;
      if (reopen === undefined) return;
      await using again = await reopen(store);
      assert.equal(whole(await again.journal.entries('run-1')).length, fulfilled);
    },
  );

  if (reopen === undefined) {
    skip('state survives a restart (skipped: it cannot be opened again)');
    return;
  }
  scenario('state survives a restart, and numbers go on', async (store) => {
    const request = createApprovalRequest({ requestedAt: midnight, expiresAt: midnight + 1_000 });
    const owner = { principal: 'ada', sessionId: 'session-1', createdAt: midnight };
    await store.runs.create(newRun('run-1'), { owner: 'one', now: midnight, leaseMs: 1_000 });
    await store.journal.started(journalEntry('run-1', 1));
    await store.approvals.create(request);
    await store.jobs.create({ id: 'job-1', kind: 'crawl', ...owner });
    await store.history.append([{ ...owner, message: { role: 'user', content: [] } }]);
    const read = async (from: typeof store): Promise<readonly unknown[]> => [
      await from.runs.get('run-1'),
      await from.journal.entries('run-1'),
      await from.approvals.get(request.id),
      await from.approvals.changes(),
      await from.jobs.get('job-1'),
      await from.history.read('ada', 'session-1'),
    ];
    const before = await read(store);
    const sequence = await store.approvals.lastSequence();
    await store[Symbol.asyncDispose]();
    await using again = await reopen(store);
    assert.deepEqual(await read(again), before);
    await again.approvals.decide(request.id, { decision: 'approved', decidedAt: midnight });
    const [line, ...others] = whole(await again.approvals.changes({ after: sequence }));
    assert.deepEqual([line?.to, others.length], ['approved', 0]);
  });
}
