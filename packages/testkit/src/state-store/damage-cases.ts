import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { Listing } from '@ravi/kernel';
import { createApprovalRequest } from '../doubles/test-approvals.ts';
import { midnight, newRun, rejectsWith, whole } from './state-store-suite.ts';
import { journalEntry } from './journal-cases.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

/** Cases about rows that were damaged in the storage. */
export function damageCases({ needing, skip, options: { damage } }: StateStoreSuite): void {
  if (damage === undefined) {
    skip('a damaged row (skipped: rows cannot be damaged)');
    return;
  }

  needing()('a damaged run is reported by its id and hides no other', async (store) => {
    for (const id of ['run-1', 'run-2', 'run-3']) await store.runs.create(newRun(id));
    await damage(store, { store: 'runs', id: 'run-2' });
    await rejectsWith('E_STATE_CORRUPT', store.runs.get('run-2'));
    const list = await store.runs.list({ principal: 'ada' });
    assert.deepEqual(
      list.items.map(({ id }) => id),
      ['run-3', 'run-1'],
    );
    reports(list, 'run-2');
    reports(await store.runs.listFree(), 'run-2');
  });

  needing('journal')('a damaged row of the journal is reported and hides no other call', async (store) => {
    for (const position of [1, 2, 3]) await store.journal.started(journalEntry('run-1', position));
    await damage(store, { store: 'journal', runId: 'run-1', position: 2 });
    const entries = await store.journal.entries('run-1');
    assert.deepEqual(
      entries.items.map((item) => item.type === 'call' && item.entry.position),
      [1, 3],
    );
    reports(entries, 'run-1');
    await rejectsWith('E_STATE_CONFLICT', store.journal.started(journalEntry('run-1', 2)));
  });

  needing('approvals')('a damaged approval is reported, is never approved, and hides no other', async (store) => {
    const { approvals } = store;
    const expiresAt = midnight + 1_000;
    for (const id of ['a', 'b', 'c'])
      await approvals.create(createApprovalRequest({ id, requestedAt: midnight, expiresAt }));
    await damage(store, { store: 'approvals', id: 'b' });
    await rejectsWith('E_STATE_CORRUPT', approvals.get('b'));
    await rejectsWith('E_STATE_CORRUPT', approvals.decide('b', { decision: 'approved', decidedAt: midnight }));
    const pending = await approvals.list({ status: 'pending' });
    assert.deepEqual(
      pending.items.map(({ request }) => request.id),
      ['c', 'a'],
    );
    reports(pending, 'b');
    const expired = await approvals.expire(expiresAt);
    assert.deepEqual(
      expired.items.map(({ request }) => request.id),
      ['a', 'c'],
    );
    reports(expired, 'b');
  });

  needing('jobs', 'history')('a damaged job and a damaged entry are reported and hide no other', async (store) => {
    const owner = { principal: 'ada', sessionId: 'session-1', createdAt: midnight };
    for (const id of ['job-1', 'job-2']) await store.jobs.create({ id, kind: 'crawl', ...owner });
    for (let number = 1; number <= 3; number++) {
      await store.history.append([{ ...owner, message: { role: 'user', content: [] } }]);
    }
    await damage(store, { store: 'jobs', id: 'job-2' });
    await damage(store, { store: 'history', sessionId: 'session-1', number: 2 });
    await rejectsWith('E_STATE_CORRUPT', store.jobs.get('job-2'));
    reports(await store.jobs.list({}), 'job-2');
    const entries = await store.history.read('ada', 'session-1');
    assert.deepEqual(
      entries.items.map(({ number }) => number),
      [1, 3],
    );
    reports(entries, 'session-1 2');
    const [added] = await store.history.append([{ ...owner, message: { role: 'user', content: [] } }]);
    assert.equal(added?.number, 4);
  });

  needing()('pages continue after a damaged row', async (store) => {
    for (let number = 1; number <= 4; number++) await store.runs.create(newRun(`run-${number}`));
    await damage(store, { store: 'runs', id: 'run-3' });
    const first = await store.runs.list({}, { limit: 2 });
    const second = await store.runs.list({}, { limit: 2, ...(first.next === undefined ? {} : { cursor: first.next }) });
    assert.deepEqual(
      whole(second).map(({ id }) => id),
      ['run-2', 'run-1'],
    );
  });
}

function reports(listing: Listing<unknown>, key: string): void {
  assert.equal(listing.corrupt.length, 1);
  const [error] = listing.corrupt;
  assert.ok(isKernelError(error, 'E_STATE_CORRUPT'));
  assert.ok(error.message.includes(`"${key}`), `${error.message} must name ${key}`);
}
