import assert from 'node:assert/strict';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import { silentLogger } from '@ravi/kernel';
import type { BlobStore } from '@ravi/kernel';
import { createFakeClock, createMemoryLogger } from '@ravi/testkit';
import { test } from 'vitest';
import { startSweeper } from '../src/maintenance/sweeper.ts';

const blob = { mediaType: 'text/plain', scope: { principal: 'local', sessionId: 'session-1' } };

test('sweeps at the start and after each interval, and keeps what is pinned', async () => {
  const clock = createFakeClock();
  const blobStore = createMemoryBlobStore({ clock });
  const pinned = await blobStore.store('pinned', { ...blob, pinOwner: 'run-1' });
  const first = await blobStore.store('first', blob);
  await using sweeper = startSweeper({ blobStore, clock, logger: silentLogger, intervalMs: 1_000 });
  await sweeper.first;
  assert.equal(await blobStore.stat(first), undefined);

  const second = await blobStore.store('second', blob);
  clock.advance(999);
  assert.notEqual(await blobStore.stat(second), undefined);
  clock.advance(1);
  await until(async () => (await blobStore.stat(second)) === undefined);
  assert.notEqual(await blobStore.stat(pinned), undefined);
});

test('a failed sweep is logged and tried again', async () => {
  const clock = createFakeClock();
  const logger = createMemoryLogger();
  let sweeps = 0;
  const failing: Pick<BlobStore, 'sweep'> = {
    sweep: () => {
      sweeps++;
      return Promise.reject(new Error('disk on fire'));
    },
  };
  const blobStore = failing as BlobStore;
  await using sweeper = startSweeper({ blobStore, clock, logger, intervalMs: 1_000 });
  await sweeper.first;
  clock.advance(1_000);
  await until(() => Promise.resolve(sweeps === 2));
  assert.match(JSON.stringify(logger.records), /could not be swept/);
});

test('nothing is swept after disposal', async () => {
  const clock = createFakeClock();
  const blobStore = createMemoryBlobStore({ clock });
  const sweeper = startSweeper({ blobStore, clock, logger: silentLogger, intervalMs: 1_000 });
  await sweeper[Symbol.asyncDispose]();
  const ref = await blobStore.store('left', blob);
  clock.advance(10_000);
  assert.notEqual(await blobStore.stat(ref), undefined);
});

/** Lets promises settle until the condition holds; the time limit of the test ends it otherwise. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
}
