import assert from 'node:assert/strict';
import type { InvocationResult, JournalEntry, JournalItem, StateStoreWith } from '@ravi/kernel';
import { midnight, rejectsWith, whole } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

const ok: InvocationResult = { status: 'ok', text: 'sent 漢字 \u0000', structured: { id: 7, '': null }, files: [] };
const digest = `hmac-sha256:${'a'.repeat(64)}`;

/** The entry of the call at a position, as every attempt writes it. */
export function journalEntry(runId: string, position: number, overrides: Partial<JournalEntry> = {}): JournalEntry {
  const callId = `call-${position}`;
  const timing = { startedAt: midnight, durationMs: 0 };
  return {
    runId,
    sessionId: 'session-1',
    idempotencyKey: `${runId}:${callId}`,
    position,
    toolDigest: 'b'.repeat(64),
    record: {
      callId,
      tool: 'mail',
      caller: 'chain',
      argsDigest: digest,
      argsPreview: '{}',
      status: 'started',
      ...timing,
    },
    ...overrides,
  };
}

/** Cases about the journal of runs. */
export function journalCases({ needing }: StateStoreSuite): void {
  const scenario = needing('journal');
  const entries = async ({ journal }: StateStoreWith<'journal'>, runId = 'run-1'): Promise<readonly JournalItem[]> =>
    whole(await journal.entries(runId));

  scenario('a call that started is on record without an outcome, and a run without calls has none', async (store) => {
    const entry = journalEntry('run-1', 0);
    await store.journal.started(entry);
    assert.deepEqual(await entries(store), [{ type: 'call', status: 'started', entry: { ...entry, attempt: 1 } }]);
    assert.deepEqual(await entries(store, 'run-2'), []);
  });

  scenario(
    'calls and events are in the order of positions, and outcomes in the order in which they finished',
    async (store) => {
      const { journal } = store;
      const [first, second] = [journalEntry('run-1', 1), journalEntry('run-1', 10)];
      await Promise.all([journal.started(second), journal.started(first)]);
      await journal.observed({ runId: 'run-1', position: 2, kind: 'now', value: midnight });
      const ended = { ...second.record, status: 'ok', durationMs: 3 } as const;
      await journal.finished({ ...second, record: ended }, ok);
      await journal.finished(first, ok);
      const found = await entries(store);
      assert.deepEqual(
        found.map((item) => (item.type === 'event' ? item.event.position : item.entry.position)),
        [1, 2, 10],
      );
      const [one, event, ten] = found;
      assert.ok(one?.type === 'call' && event?.type === 'event' && ten?.type === 'call');
      assert.deepEqual(event.event, { runId: 'run-1', position: 2, kind: 'now', value: midnight });
      assert.ok(event.finishedOrder < (ten.finishedOrder ?? 0), 'the event came before the end of the call at 10');
      assert.deepEqual([one.status, one.result, ten.result], ['finished', ok, ok]);
      assert.deepEqual(ten.entry.record, ended);
      assert.ok((ten.finishedOrder ?? 0) < (one.finishedOrder ?? 0), 'the call at 10 finished first');
    },
  );

  scenario('ends that are written at the same time have the order in which their writes began', async ({ journal }) => {
    const positions = [7, 3, 9, 1, 8, 2, 6, 4];
    const value = midnight;
    await Promise.all(
      positions.map((position) =>
        position % 2 === 0
          ? journal.observed({ runId: 'run-1', position, kind: 'sleep', value })
          : journal.finished(journalEntry('run-1', position), ok),
      ),
    );
    const { items } = await journal.entries('run-1');
    const inOrder = items.toSorted((left, right) => (left.finishedOrder ?? 0) - (right.finishedOrder ?? 0));
    assert.deepEqual(
      inOrder.map((item) => (item.type === 'event' ? item.event.position : item.entry.position)),
      positions,
    );
  });

  scenario(
    'a position is taken once, by a call or an event; the others of the same moment are written',
    async (store) => {
      const { journal } = store;
      await journal.started(journalEntry('run-1', 1));
      const [again, event, other, otherRun] = await Promise.allSettled([
        journal.started(journalEntry('run-1', 1)),
        journal.observed({ runId: 'run-1', position: 1, kind: 'now', value: 1 }),
        journal.started(journalEntry('run-1', 2)),
        journal.started(journalEntry('run-2', 1)),
      ]);
      assert.deepEqual(
        [again.status, event.status, other.status, otherRun.status],
        ['rejected', 'rejected', 'fulfilled', 'fulfilled'],
      );
      await rejectsWith('E_STATE_CONFLICT', journal.started(journalEntry('run-1', 2)));
      assert.equal((await entries(store)).length, 2);
    },
  );

  scenario('of the same call started many times at once exactly one starts', async (store) => {
    const attempts = Array.from({ length: 20 }, () => store.journal.started(journalEntry('run-1', 1)));
    const settled = await Promise.allSettled(attempts);
    assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  scenario('an outcome is kept once, and without a start too', async (store) => {
    const { journal } = store;
    const refused: InvocationResult = {
      status: 'denied',
      text: 'no',
      files: [],
      error: { code: 'E_APPROVAL_DENIED', message: 'no', retryable: false },
    };
    await journal.finished(journalEntry('run-1', 1), refused);
    await rejectsWith('E_STATE_CONFLICT', journal.finished(journalEntry('run-1', 1), ok));
    const [item] = await entries(store);
    assert.deepEqual(item?.type === 'call' && [item.status, item.result], ['finished', refused]);
  });

  scenario('a call that was withdrawn before it began is on record as that, and starts again', async (store) => {
    const { journal } = store;
    await journal.started(journalEntry('run-1', 1));
    const withdrawn = journalEntry('run-1', 1, { attempt: 2, isWithdrawn: true });
    await journal.started(withdrawn);
    assert.deepEqual(await entries(store), [{ type: 'call', status: 'started', entry: withdrawn }]);
    await journal.started(journalEntry('run-1', 1, { attempt: 3 }));
    const [again] = await entries(store);
    assert.deepEqual(again?.type === 'call' && [again.entry.attempt, again.entry.isWithdrawn], [3, undefined]);
  });

  scenario('a second attempt starts once the first has, and only while it has no outcome', async (store) => {
    const { journal } = store;
    const second = journalEntry('run-1', 1, { attempt: 2 });
    await rejectsWith('E_STATE_CONFLICT', journal.started(second));
    await journal.started(journalEntry('run-1', 1));
    await journal.started(second);
    await rejectsWith('E_STATE_CONFLICT', journal.started(second));
    const [unknown] = await entries(store);
    assert.deepEqual(unknown?.type === 'call' && [unknown.status, unknown.entry.attempt], ['started', 2]);
    await journal.finished(second, ok);
    await rejectsWith('E_STATE_CONFLICT', journal.started(journalEntry('run-1', 1, { attempt: 3 })));
    const [known] = await entries(store);
    assert.deepEqual(known?.type === 'call' && [known.status, known.entry.attempt, known.result], ['finished', 2, ok]);
  });

  scenario(
    'a late outcome of an attempt does not end the next one, and a call that ended has no next',
    async (store) => {
      const { journal } = store;
      await journal.started(journalEntry('run-1', 1));
      await journal.started(journalEntry('run-1', 1, { attempt: 2 }));
      await journal.finished(journalEntry('run-1', 1), ok);
      const [item] = await entries(store);
      assert.deepEqual(item?.type === 'call' && [item.status, item.entry.attempt], ['started', 2]);
      await journal.finished(journalEntry('run-1', 2), ok);
      await rejectsWith('E_STATE_CONFLICT', journal.started(journalEntry('run-1', 2, { attempt: 2 })));
    },
  );

  scenario('calls without a position are distinguished by their keys and follow the others', async (store) => {
    const { position: _, ...free } = journalEntry('run-1', 1, { idempotencyKey: 'run-1:free' });
    await store.journal.started(free);
    await rejectsWith('E_STATE_CONFLICT', store.journal.started(free));
    await store.journal.started(journalEntry('run-1', 5));
    await store.journal.finished(free, ok);
    const keys = (await entries(store)).map((item) => item.type === 'call' && item.entry.idempotencyKey);
    assert.deepEqual(keys, ['run-1:call-5', 'run-1:free']);
  });

  scenario('300 calls at once are each on record when they resolve', async (store) => {
    const positions = Array.from({ length: 300 }, (_, index) => index);
    await Promise.all(
      positions.map(async (position) => {
        await store.journal.started(journalEntry('run-1', position));
        await store.journal.finished(journalEntry('run-1', position), ok);
      }),
    );
    const found = await entries(store);
    assert.deepEqual(
      found.map((item) => item.type === 'call' && [item.entry.position, item.status]),
      positions.map((position) => [position, 'finished']),
    );
  });

  scenario(
    'a result of 1 MB comes back whole, and one beyond 16 MiB is refused while others are written',
    async (store) => {
      const { journal } = store;
      const large = { ...ok, text: 'x'.repeat(1_000_000) };
      const [kept, refused, small] = await Promise.allSettled([
        journal.finished(journalEntry('run-1', 1), large),
        journal.finished(journalEntry('run-1', 2), { ...ok, text: 'x'.repeat(17_000_000) }),
        journal.started(journalEntry('run-1', 3)),
      ]);
      assert.deepEqual([kept.status, refused.status, small.status], ['fulfilled', 'rejected', 'fulfilled']);
      const [item] = await entries(store);
      assert.deepEqual(item?.type === 'call' && item.result, large);
    },
  );
}
