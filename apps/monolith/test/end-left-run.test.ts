import assert from 'node:assert/strict';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import { HookManager } from '@ravi/invoker';
import type { CompleteStateStore, Run } from '@ravi/kernel';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { createFakeClock, createMemoryLogger } from '@ravi/testkit';
import { test } from 'vitest';
import { endLeftRun } from '../src/runs/end-left-run.ts';
import { createRunRecorder } from '../src/runs/run-recorder.ts';
import type { RunRecorder } from '../src/runs/run-recorder.ts';

const error = { code: 'E_RUN_LOST', message: 'The run was given up', retryable: false };

/** Ends a run whose process died; `onTransition` is called right before its end is stored. */
async function end(onTransition: (world: { store: CompleteStateStore; recorder: RunRecorder }) => Promise<void>) {
  const clock = createFakeClock();
  const logger = createMemoryLogger();
  const store = await createSqliteStateStore({ file: ':memory:' });
  const runs: CompleteStateStore['runs'] = {
    ...store.runs,
    async transition(id, change) {
      await onTransition({ store, recorder });
      return store.runs.transition(id, change);
    },
  };
  const hooks = new HookManager({ clock, logger });
  const blobStore = createMemoryBlobStore({ clock });
  const recorder: RunRecorder = createRunRecorder({ hooks, store: { ...store, runs }, blobStore, clock, logger });
  const row = { id: 'left', principal: 'ada', sessionId: 's', createdAt: clock.now(), definition: { kind: 'chain' } };
  const run: Run = await store.runs.create(row, { owner: 'dead' });
  const ending = endLeftRun({ store, recorder, clock }, run, { status: 'failed', error });
  return { store, isEnded: await ending.catch((reason: unknown) => reason) };
}

test('a run that is being ended cannot be taken by a client that waits for it', async () => {
  let taken: Run | undefined;
  const { store, isEnded } = await end(async (world) => {
    taken = await world.store.runs.claim('left', { owner: 'client' });
  });
  assert.deepEqual([taken, isEnded], [undefined, true]);
  assert.equal((await store.runs.get('left'))?.outcome?.error?.code, 'E_RUN_LOST');
  assert.deepEqual((await store.processes.list()).items, [], 'the process record of the ending is removed');
});

test('a process that ends a run does not count as its executor', async () => {
  const executing: boolean[] = [];
  await end(async ({ recorder }) => {
    executing.push(recorder.isExecuting('left'), recorder.active('left') !== undefined);
  });
  assert.deepEqual(executing, [false, true]);
});

test('a run whose end could not be stored is free at once', async () => {
  const failure = new Error('The disk is full');
  const { store, isEnded } = await end(() => Promise.reject(failure));
  assert.equal(isEnded, failure);
  assert.deepEqual(
    (await store.runs.listFree()).items.map(({ id }) => id),
    ['left'],
  );
});
