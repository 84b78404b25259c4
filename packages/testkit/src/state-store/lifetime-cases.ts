import assert from 'node:assert/strict';
import { requireStateStoreParts } from '@ravi/kernel';
import { createApprovalRequest } from '../doubles/test-approvals.ts';
import { midnight, newRun, rejectsWith, whole } from './state-store-suite.ts';
import { journalEntry } from './journal-cases.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

/** Cases about the end of a store and its next start. */
export function lifetimeCases({ needing, skip, options: { reopen } }: StateStoreSuite): void {
  needing()('a store that was disposed refuses everything, and may be disposed again', async (store) => {
    await store[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    await rejectsWith('E_STATE_UNAVAILABLE', store.runs.get('run-1'));
    await rejectsWith('E_STATE_UNAVAILABLE', store.runs.create(newRun('run-1')));
    const { journal, approvals, snippets } = store;
    if (journal) await rejectsWith('E_STATE_UNAVAILABLE', journal.started(journalEntry('run-1', 1)));
    if (approvals) await rejectsWith('E_STATE_UNAVAILABLE', approvals.create(createApprovalRequest()));
    if (snippets) await rejectsWith('E_SNIPPET_UNAVAILABLE', snippets.list('ada'));
  });

  needing('journal')(
    'what is on its way when a store is disposed is written or refused, and never lost in silence',
    async (store) => {
      const calls = Array.from({ length: 50 }, (_, position) => store.journal.started(journalEntry('run-1', position)));
      await store[Symbol.asyncDispose]();
      const fulfilled = (await Promise.allSettled(calls)).filter(({ status }) => status === 'fulfilled').length;
      if (reopen === undefined) return;
      await using again = requireStateStoreParts(await reopen(store), ['journal']);
      assert.equal(whole(await again.journal.entries('run-1')).length, fulfilled);
    },
  );

  if (reopen === undefined) {
    skip('state survives a restart (skipped: it cannot be opened again)');
    return;
  }
  const parts = ['journal', 'approvals', 'jobs', 'history'] as const;
  needing(...parts)('state survives a restart, and numbers continue', async (store) => {
    const request = createApprovalRequest({ requestedAt: midnight, expiresAt: midnight + 1_000 });
    const owner = { principal: 'ada', sessionId: 'session-1', createdAt: midnight };
    await store.runs.create(newRun('run-1'), { owner: 'one' });
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
    await using again = requireStateStoreParts(await reopen(store), parts);
    assert.deepEqual(await read(again), before);
    await again.approvals.decide(request.id, { decision: 'approved', decidedAt: midnight });
    const [line, ...others] = whole(await again.approvals.changes({ after: sequence }));
    assert.deepEqual([line?.to, others.length], ['approved', 0]);
  });
}
