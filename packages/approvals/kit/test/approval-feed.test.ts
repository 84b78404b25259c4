import assert from 'node:assert/strict';
import type { ApprovalStore } from '@ravi/kernel';
import { createApprovalRequest, createMemoryApprovalStore } from '@ravi/testkit';
import { test } from 'vitest';
import { openScene, settle } from './scene.ts';

test('the feed polls less often the longer nothing changes, and never less often than its limit', async () => {
  const store = createMemoryApprovalStore();
  let reads = 0;
  const counting: ApprovalStore = { ...store, changes: (query) => (reads++, store.changes(query)) };
  const { feed, clock } = openScene({ store: counting, maxPollMs: 400 });
  const subscription = feed.subscribe(() => {});
  await settle();
  const readAt: number[] = [];
  for (let elapsed = 0; elapsed < 4_000; elapsed += 25) {
    const before = reads;
    clock.advance(25);
    await settle();
    if (reads > before) readAt.push(elapsed);
  }
  const pauses = readAt.slice(1).map((at, index) => at - (readAt[index] ?? 0));
  assert.deepEqual(pauses.slice(-5), [400, 400, 400, 400, 400]);
  assert.ok((pauses[0] ?? 0) <= 100, String(pauses));
  subscription.unsubscribe();
});

test('one poller serves all listeners, each hears every change after it is ready, and none reads nothing', async () => {
  const store = createMemoryApprovalStore();
  let reads = 0;
  const counting: ApprovalStore = { ...store, changes: (query) => (reads++, store.changes(query)) };
  const { feed, clock } = openScene({ store: counting });
  await store.create(createApprovalRequest({ id: 'before' }));
  const heard: string[][] = [[], []];
  const subscriptions = heard.map((ids) => feed.subscribe(({ approvalId }) => ids.push(approvalId)));
  await Promise.all(subscriptions.map(({ ready }) => ready));
  await store.create(createApprovalRequest({ id: 'after' }));
  feed.checkNow();
  await settle();
  assert.deepEqual(heard, [['after'], ['after']]);
  for (const { unsubscribe } of subscriptions) unsubscribe();
  const before = reads;
  feed.checkNow();
  clock.advance(60_000);
  await settle();
  assert.deepEqual([reads, clock.pendingTimers], [before, 0]);
});
