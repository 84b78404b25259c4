import assert from 'node:assert/strict';
import type { NewFiring, NewTrigger, StateStoreWith, Trigger, TriggerClaim, TriggerProgress } from '@ravi/kernel';
import { allPages, midnight, principals, rejectsWith, whole } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

type Store = StateStoreWith<'triggers'>;

const hourMs = 3_600_000;
const many = { maxActive: 1_000 };

const triggerOf = (id: string, overrides: Partial<NewTrigger & TriggerProgress> = {}) => ({
  id,
  principal: 'ada',
  agent: 'assistant',
  spec: { kind: 'schedule', cron: '0 * * * *', timeZone: 'Europe/Berlin' } as const,
  input: 'Look at the news \u2028 漢字 \0',
  permissions: { tools: ['read', 'write'], maxRiskUnapproved: 'safe' as const, toolRole: 'reader' },
  misfire: 'once' as const,
  sessionId: 'session-1',
  createdAt: midnight,
  nextDueAt: midnight + hourMs,
  ...overrides,
});

const firingAt = (slot: number): NewFiring => ({ slot, dueAt: slot, runId: `run_${slot}`, input: `text of ${slot}` });

const claimOf = (trigger: Trigger, overrides: Partial<TriggerClaim> = {}): TriggerClaim => {
  const dueAt = trigger.nextDueAt ?? midnight;
  return {
    version: trigger.version,
    firings: [firingAt(dueAt)],
    next: { nextDueAt: dueAt + hourMs, lastFiredAt: dueAt, missed: 0 },
    now: dueAt,
    retryAt: dueAt + 1_000,
    ...overrides,
  };
};

async function added({ triggers }: Store, ...of: Parameters<typeof triggerOf>): Promise<Trigger> {
  const result = await triggers.add(triggerOf(...of), many);
  assert.ok(result?.isNew);
  return result.trigger;
}

/** Cases about triggers and their firings. */
export function triggerCases({ needing, options: { reopen } }: StateStoreSuite): void {
  const scenario = needing('triggers');

  scenario('a trigger is stored as it is, once per id', async (store) => {
    const { triggers } = store;
    const trigger = await added(store, 'a');
    const expected = { ...triggerOf('a'), status: 'active', version: 1, missed: 0, updatedAt: midnight };
    assert.deepEqual(trigger, expected);
    assert.deepEqual(await triggers.get('a'), expected);
    const again = await triggers.add(triggerOf('a', { input: 'another' }), { maxActive: 0 });
    assert.deepEqual(again, { isNew: false, trigger: expected });
    await rejectsWith('E_STATE_CONFLICT', triggers.add(triggerOf('a', { principal: 'bob' }), many));
    await rejectsWith('E_STATE_INVALID', triggers.add(triggerOf(''), many));
    assert.equal(await triggers.get('b'), undefined);
  });

  scenario('a principal has only so many active triggers, however many are added at once', async (store) => {
    const { triggers } = store;
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, index) => triggers.add(triggerOf(`t${index}`), { maxActive: 3 })),
    );
    assert.equal(results.filter((result) => result?.isNew).length, 3);
    assert.ok(await triggers.add(triggerOf('of-bob', { principal: 'bob' }), { maxActive: 1 }));
    const [{ trigger } = { trigger: undefined }] = results.flatMap((result) => (result === undefined ? [] : [result]));
    await triggers.cancel(trigger?.id ?? '', midnight);
    assert.ok(await triggers.add(triggerOf('later'), { maxActive: 3 }));
  });

  scenario('triggers are listed newest first, by owner, status and kind', async (store) => {
    const { triggers } = store;
    for (const [index, principal] of principals.entries()) await added(store, `p${index}`, { principal });
    for (const [index, principal] of principals.entries()) {
      assert.deepEqual(
        whole(await triggers.list({ principal })).map(({ id }) => id),
        [`p${index}`],
      );
    }
    await triggers.cancel('p3', midnight + 1);
    await added(store, 'timer', { spec: { kind: 'timer', at: midnight, everyMs: 60_000 } });
    const ids = async (filter: Parameters<typeof triggers.list>[0]): Promise<readonly string[]> =>
      (await allPages((page) => triggers.list(filter, page), 2)).map(({ id }) => id);
    assert.equal((await ids({})).length, principals.length + 1);
    assert.deepEqual(await ids({ status: 'cancelled' }), ['p3']);
    assert.deepEqual(await ids({ kind: 'timer' }), ['timer']);
    assert.deepEqual(await ids({ principal: 'ada', kind: 'channel' }), []);
  });

  scenario('due triggers are found in the order of their times, and the next time of all', async (store) => {
    const { triggers } = store;
    assert.equal(await triggers.nextDueAt(), undefined);
    await added(store, 'late', { nextDueAt: midnight + 3 });
    await added(store, 'early', { nextDueAt: midnight + 1 });
    await added(store, 'gone', { nextDueAt: midnight });
    await added(store, 'channel', { spec: { kind: 'channel', channel: 'news' }, nextDueAt: midnight, position: 7 });
    await triggers.cancel('gone', midnight);
    const due = async (now: number): Promise<readonly string[]> => whole(await triggers.due(now)).map(({ id }) => id);
    assert.equal(await triggers.nextDueAt(), midnight + 1);
    assert.deepEqual(await due(midnight), []);
    assert.deepEqual(await due(midnight + 1), ['early']);
    assert.deepEqual(await due(midnight + 3), ['early', 'late']);
    assert.deepEqual(whole(await triggers.watching(midnight - 1)), []);
    const [channel] = whole(await triggers.watching(midnight));
    assert.deepEqual([channel?.id, channel?.position, channel?.nextDueAt], ['channel', 7, midnight]);
  });

  scenario('of many claims of one due time exactly one is made, with its firing', async (store) => {
    const { triggers } = store;
    const trigger = await added(store, 'a');
    const claims = await Promise.all(Array.from({ length: 10 }, () => triggers.claim('a', claimOf(trigger))));
    assert.equal(claims.filter(Boolean).length, 1);
    const dueAt = midnight + hourMs;
    const { nextDueAt, lastFiredAt, version, status } = (await triggers.get('a')) ?? {};
    assert.deepEqual([nextDueAt, lastFiredAt, version, status], [dueAt + hourMs, dueAt, 2, 'active']);
    const stored = { ...firingAt(dueAt), triggerId: 'a', status: 'pending', createdAt: dueAt };
    assert.deepEqual(whole(await triggers.firings('a')), [stored]);
    assert.deepEqual(whole(await triggers.due(dueAt)), []);
    assert.equal(await triggers.claim('b', claimOf(trigger)), false);
  });

  scenario('a trigger without a further time ends, and a skipped time leaves no firing', async (store) => {
    const { triggers } = store;
    const trigger = await added(store, 'a');
    const next = { missed: 4, lastFiredAt: midnight };
    assert.ok(await triggers.claim('a', claimOf(trigger, { firings: [], next })));
    const ended = await triggers.get('a');
    assert.deepEqual([ended?.status, ended?.missed, ended?.nextDueAt], ['ended', 4, undefined]);
    assert.deepEqual(whole(await triggers.firings('a')), []);
    assert.equal(await triggers.claim('a', claimOf(trigger, { version: 2 })), false);
    assert.equal(await triggers.cancel('a', midnight), undefined);
  });

  scenario('of a claim and a cancellation at once, a cancelled trigger keeps no pending firing', async (store) => {
    const { triggers } = store;
    for (let round = 0; round < 10; round++) {
      const trigger = await added(store, `race_${round}`);
      await Promise.all([triggers.claim(trigger.id, claimOf(trigger)), triggers.cancel(trigger.id, midnight)]);
      assert.equal((await triggers.get(trigger.id))?.status, 'cancelled');
      for (const { status, error } of whole(await triggers.firings(trigger.id))) {
        assert.deepEqual([status, error?.code], ['failed', 'E_CANCELLED']);
      }
    }
  });

  scenario('a pending firing is taken by one process at a time, until it is settled', async (store) => {
    const { triggers } = store;
    const trigger = await added(store, 'a');
    const dueAt = midnight + hourMs;
    await triggers.claim('a', claimOf(trigger, { firings: [firingAt(dueAt), firingAt(dueAt + 1)] }));
    const take = async (now: number): Promise<readonly number[]> =>
      whole(await triggers.take({ now, retryAt: now + 1_000 })).map(({ slot }) => slot);
    assert.deepEqual(await take(dueAt + 999), []);
    const taken = await Promise.all(Array.from({ length: 5 }, () => take(dueAt + 1_000)));
    assert.deepEqual(
      taken.flat().toSorted((left, right) => left - right),
      [dueAt, dueAt + 1],
    );
    const error = { code: 'E_SESSION_BUSY', message: 'busy', retryable: true };
    const place = { triggerId: 'a', slot: dueAt };
    assert.ok(await triggers.settle(place, { status: 'pending', error, retryAt: dueAt + 5_000 }));
    assert.ok(await triggers.settle({ ...place, slot: dueAt + 1 }, { status: 'started' }));
    assert.deepEqual(await take(dueAt + 4_999), []);
    assert.deepEqual(await take(dueAt + 5_000), [dueAt]);
    assert.ok(await triggers.settle(place, { status: 'failed', error }));
    assert.equal(await triggers.settle(place, { status: 'pending', error, retryAt: dueAt }), false);
    assert.equal(await triggers.settle({ ...place, slot: dueAt + 1 }, { status: 'failed', error }), false);
    const [started, failed] = whole(await triggers.firings('a'));
    assert.deepEqual([started?.status, started?.error], ['started', undefined]);
    assert.deepEqual([failed?.status, failed?.error], ['failed', error]);
    assert.ok(await triggers.settle(place, { status: 'started' }), 'its run exists nevertheless');
    assert.equal(await triggers.settle(place, { status: 'started' }), false);
    assert.deepEqual(
      whole(await triggers.firings('a')).map((firing) => [firing.status, firing.error]),
      [
        ['started', undefined],
        ['started', undefined],
      ],
    );
  });

  scenario('the newest 50 firings of a trigger are kept, and every pending one', async (store) => {
    const { triggers } = store;
    const trigger = await added(store, 'a');
    const slots = Array.from({ length: 60 }, (_, index) => midnight + index);
    await triggers.claim('a', claimOf(trigger, { firings: slots.map(firingAt) }));
    for (const slot of slots.slice(1)) await triggers.settle({ triggerId: 'a', slot }, { status: 'started' });
    const kept = whole(await triggers.firings('a')).map(({ slot }) => slot);
    assert.deepEqual(kept, slots.slice(10).toReversed());
    const [pending] = whole(await triggers.take({ now: trigger.createdAt + 2 * hourMs, retryAt: midnight }));
    assert.equal(pending?.slot, midnight);
  });

  needing('triggers', 'retention')('triggers that ended are removed, with their firings', async (store) => {
    const { triggers, retention } = store;
    const [ended, kept] = [await added(store, 'ended'), await added(store, 'kept')];
    for (const trigger of [ended, kept]) {
      await triggers.claim(trigger.id, claimOf(trigger));
      await triggers.settle({ triggerId: trigger.id, slot: midnight + hourMs }, { status: 'started' });
    }
    await triggers.cancel('ended', midnight + 5);
    await retention.removeOrphans(midnight + 5);
    assert.ok(await triggers.get('ended'));
    await retention.removeOrphans(midnight + 6);
    assert.equal(await triggers.get('ended'), undefined);
    assert.deepEqual(whole(await triggers.firings('ended')), []);
    assert.equal(whole(await triggers.firings('kept')).length, 1);
    assert.equal((await triggers.get('kept'))?.status, 'active');
  });

  if (reopen === undefined) return;
  scenario('triggers and pending firings outlive their process', async (store) => {
    const trigger = await added(store, 'a');
    await store.triggers.claim('a', claimOf(trigger));
    const before = await store.triggers.get('a');
    await store[Symbol.asyncDispose]();
    await using again = await reopen(store);
    assert.deepEqual(await again.triggers?.get('a'), before);
    const taken = await again.triggers?.take({ now: midnight + 2 * hourMs, retryAt: midnight + 3 * hourMs });
    assert.equal(taken?.items[0]?.runId, `run_${midnight + hourMs}`);
  });
}
