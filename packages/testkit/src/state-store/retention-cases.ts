import assert from 'node:assert/strict';
import type { RunStatus, StateStoreWith } from '@ravi/kernel';
import { createApprovalRequest } from '../doubles/test-approvals.ts';
import { allPages, midnight, newRun, whole } from './state-store-suite.ts';
import { journalEntry } from './journal-cases.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

const owner = { principal: 'ada', sessionId: 'session-1', createdAt: midnight };

/** Cases about the deletion of finished work. */
export function retentionCases({ needing }: StateStoreSuite): void {
  const scenario = needing('retention', 'journal', 'events', 'approvals', 'jobs', 'history');
  needing()('runs that ended before a moment are listed, and no live one is', async ({ runs }) => {
    const ends = { completed: 1, failed: 2, cancelled: 3, paused: 1 } as const;
    for (const [status, after] of Object.entries(ends)) {
      await runs.create(newRun(status));
      const change = { from: ['running'], to: status as RunStatus, now: midnight + after } as const;
      assert.ok(await runs.transition(status, change));
    }
    await runs.create(newRun('running'));
    const endedBefore = async (moment: number): Promise<readonly string[]> =>
      (await allPages((page) => runs.list({ endedBefore: midnight + moment }, page), 1)).map(({ id }) => id);
    assert.deepEqual(await endedBefore(1), []);
    assert.deepEqual(await endedBefore(3), ['failed', 'completed']);
    assert.deepEqual(await endedBefore(1_000), ['cancelled', 'failed', 'completed']);
    assert.deepEqual(whole(await runs.list({ endedBefore: midnight + 1_000, principal: 'bob' })), []);
  });

  scenario(
    'a run below another one is not listed before that one is removed, and leaves no conversation',
    async (store) => {
      const { runs, history, retention } = store;
      const agent = { kind: 'agent' };
      await runs.create(newRun('parent', { definition: agent }));
      await runs.create(newRun('helper', { definition: agent, parentRunId: 'parent' }));
      const message = { role: 'user', content: [{ type: 'text', text: 'help' }] } as const;
      const entry = { principal: 'ada', runId: 'helper', message, createdAt: midnight };
      await history.append([{ ...entry, sessionId: 'helper' }]);
      await history.append([{ ...entry, sessionId: 'session-1' }]);
      await end(store, 'helper');
      const ended = async (): Promise<readonly string[]> =>
        whole(await runs.list({ endedBefore: midnight + 1_000 })).map(({ id }) => id);
      assert.deepEqual(await ended(), []);
      await end(store, 'parent');
      assert.deepEqual(await ended(), ['parent']);
      assert.ok(await retention.removeRun('parent'));
      assert.deepEqual(await ended(), ['helper']);
      assert.ok(await retention.removeRun('helper'));
      assert.equal(whole(await history.read('ada', 'helper')).length, 0);
      assert.equal(whole(await history.read('ada', 'session-1')).length, 1);
    },
  );

  scenario('a final run is removed once, with all that belongs to it and nothing else', async (store) => {
    for (const runId of ['run-1', 'run-2']) await fill(store, runId);
    await end(store, 'run-1');
    const before = await belongings(store, 'run-2');
    const lines = whole(await store.approvals.changes());
    const removals = await Promise.all(Array.from({ length: 5 }, () => store.retention.removeRun('run-1')));
    assert.deepEqual(removals.filter(Boolean), [true]);
    assert.deepEqual(await belongings(store, 'run-1'), [undefined, [], [], [], []]);
    assert.deepEqual(await belongings(store, 'run-2'), before);
    assert.deepEqual(whole(await store.approvals.changes()), lines, 'the audit log stays');
    assert.equal(whole(await store.history.read('ada', 'session-1')).length, 2, 'conversations stay');
  });

  scenario('a run that is live or not there is not removed', async (store) => {
    await fill(store, 'run-1');
    const before = await belongings(store, 'run-1');
    assert.equal(await store.retention.removeRun('run-1'), false);
    assert.ok(await store.runs.transition('run-1', { from: ['running'], to: 'paused', now: midnight }));
    assert.equal(await store.retention.removeRun('run-1'), false);
    assert.equal(await store.retention.removeRun('run-2'), false);
    assert.deepEqual((await belongings(store, 'run-1')).slice(1), before.slice(1));
  });

  scenario(
    'what belongs to no run goes when all of it was over for long, and what belongs to one stays',
    async (store) => {
      const { journal, approvals, retention } = store;
      await fill(store, 'run-1');
      await journal.started(journalEntry('old', 1));
      const young = journalEntry('young', 2);
      await journal.started(journalEntry('young', 1));
      await journal.finished(
        { ...young, record: { ...young.record, durationMs: 10 } },
        { status: 'ok', text: '', files: [] },
      );
      await journal.observed({ runId: 'told', position: 1, kind: 'now', value: midnight });
      const times = { requestedAt: midnight, expiresAt: midnight + 5 };
      for (const id of ['answered', 'waiting'])
        await approvals.create(createApprovalRequest({ id, runId: 'gone', ...times }));
      await approvals.decide('answered', { decision: 'denied', decidedAt: midnight });
      const before = await belongings(store, 'run-1');

      assert.equal(await retention.removeOrphans(midnight), 0);
      assert.equal(await retention.removeOrphans(midnight + 10), 2);
      assert.deepEqual(whole(await journal.entries('old')), []);
      assert.equal(whole(await journal.entries('young')).length, 2);
      assert.equal(whole(await journal.entries('told')).length, 1);
      assert.equal(await approvals.get('answered'), undefined);
      assert.equal((await approvals.get('waiting'))?.status, 'pending');
      assert.deepEqual(await belongings(store, 'run-1'), before);
      assert.equal(await retention.removeOrphans(midnight + 11), 1);
      assert.deepEqual(whole(await journal.entries('young')), []);
    },
  );

  scenario('of many strays all go', async ({ journal, retention }) => {
    const ids = Array.from({ length: 120 }, (_, number) => `stray-${number}`);
    await Promise.all(ids.map((id) => journal.started(journalEntry(id, 1))));
    assert.equal(await retention.removeOrphans(midnight + 1), ids.length);
    assert.equal(await retention.removeOrphans(midnight + 1), 0);
  });

  scenario('of strays among very many approvals and runs all go, and nothing else', async (store) => {
    const { runs, journal, approvals, retention } = store;
    const numbers = Array.from({ length: 600 }, (_, index) => String(index).padStart(3, '0'));
    const times = { requestedAt: midnight, expiresAt: midnight + 5 };
    for (const number of numbers) {
      const runId = `run-${number}`;
      if (Number(number) % 3 > 0) await runs.create(newRun(runId));
      await journal.started(journalEntry(runId, 1));
      const id = `approval-${number}`;
      await approvals.create(createApprovalRequest({ id, runId, ...times }));
      await approvals.decide(id, { decision: 'denied', decidedAt: midnight });
    }
    assert.equal(await retention.removeOrphans(midnight + 10), 400);
    for (const number of numbers) {
      const isKept = Number(number) % 3 > 0;
      assert.equal((await approvals.get(`approval-${number}`)) !== undefined, isKept);
      assert.equal(whole(await journal.entries(`run-${number}`)).length, isKept ? 1 : 0);
    }
  });
}

/** The parts in which a run leaves something. */
type Filled = 'journal' | 'events' | 'approvals' | 'jobs' | 'history';

/** A run with something in every part of the store. */
async function fill(
  { runs, journal, events, approvals, jobs, history }: StateStoreWith<Filled>,
  runId: string,
): Promise<void> {
  await runs.create(newRun(runId), { owner: 'one' });
  await events.append(runId, { owner: 'one', epoch: 1 }, [{ n: 1, at: midnight, type: 'run-start', data: {} }]);
  await journal.started(journalEntry(runId, 1));
  await journal.observed({ runId, position: 2, kind: 'now', value: midnight });
  const times = { requestedAt: midnight, expiresAt: midnight + 5 };
  await approvals.create(createApprovalRequest({ id: `approval of ${runId}`, runId, ...times }));
  await approvals.decide(`approval of ${runId}`, { decision: 'denied', decidedAt: midnight });
  await jobs.create({ ...owner, id: `job of ${runId}`, runId, kind: 'crawl' });
  await history.append([{ ...owner, runId, message: { role: 'user', content: [] } }]);
}

async function end({ runs }: StateStoreWith<Filled>, runId: string): Promise<void> {
  assert.ok(await runs.transition(runId, { from: ['running'], to: 'completed', now: midnight }));
}

async function belongings(
  { runs, journal, events, approvals, jobs }: StateStoreWith<Filled>,
  runId: string,
): Promise<readonly unknown[]> {
  return [
    await runs.get(runId),
    whole(await journal.entries(runId)),
    whole(await events.list(runId)),
    whole(await approvals.list({ runId })),
    whole(await jobs.list({ runId })),
  ];
}
