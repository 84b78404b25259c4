import { KernelError } from '@ravi/kernel';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { createFakeClock, createMemoryLogger } from '@ravi/testkit';
import { expect, test } from 'vitest';
import { startCancellationWatch } from '../src/runs/cancellation-watch.ts';

const owner = 'process-1';
const lookMs = 400;

test.each<readonly [code: 'E_STATE_CORRUPT' | 'E_INTERNAL', failing: string]>([
  ['E_STATE_CORRUPT', 'run-1'],
  ['E_INTERNAL', 'run-2'],
])('a request that fails with %s does not keep others from being carried out', async (code, failing) => {
  await using store = await createSqliteStateStore({ file: ':memory:' });
  for (const id of ['run-1', 'run-2', 'run-3']) {
    const run = { id, principal: 'ada', sessionId: id, definition: { kind: 'agent' }, createdAt: 1 };
    await store.runs.create(run, { owner });
    await store.cancellations.request({ runId: id, requestedAt: 1 });
  }
  const clock = createFakeClock();
  const logger = createMemoryLogger();
  const tried: string[] = [];
  const service = {
    cancelJobHere: async () => false,
    async cancelHere({ id }: { readonly id: string }) {
      tried.push(id);
      if (id === failing) throw new KernelError(code, 'The row is damaged');
      return store.runs.transition(id, { from: ['running'], to: 'cancelled', now: 2 });
    },
  };
  await using _watch = startCancellationWatch({ store, service, owner, isBusy: () => true, clock, logger });
  const attempts = (): number => tried.filter((id) => id === failing).length;
  while (attempts() < 2) {
    clock.advance(lookMs);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const cancelled = await store.runs.list({ status: 'cancelled' });
  expect(cancelled.items.map(({ id }) => id).toSorted()).toEqual(
    ['run-1', 'run-2', 'run-3'].filter((id) => id !== failing),
  );
  expect((await store.cancellations.list(owner)).map(({ runId }) => runId)).toEqual([failing]);
  // Other requests are looked for while it waits for its next attempt, and it is reported once.
  const reported = logger.records.filter(({ level }) => level === 'error');
  expect(reported.map(({ fields }) => fields?.['runId'])).toEqual([failing]);
});
