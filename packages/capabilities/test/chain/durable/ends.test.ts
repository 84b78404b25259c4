import assert from 'node:assert/strict';
import { settle } from '@ravi/testkit';
import { test } from 'vitest';
import { createEnds } from '../../../src/chain/durable/ends.ts';

/** Creates ends whose writes the test finishes. `journal` is the order that is read, if it is not decided later. */
function createWrites(journal: readonly number[] = []) {
  const seen: number[] = [];
  const order = Promise.withResolvers<readonly number[]>();
  let reads = 0;
  const ends = createEnds({
    readOrder: () => {
      reads++;
      return journal.length > 0 ? Promise.resolve(journal) : order.promise;
    },
    onEnd: ({ place }) => void seen.push(place),
  });
  const start = (place: number) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let fail = (): void => {};
    void ends.record({ place, now: place }, (onFailure) => {
      fail = onFailure;
      return promise;
    });
    return {
      fail,
      async write() {
        resolve();
        await settle();
      },
    };
  };
  return { seen, start, order, reads: () => reads };
}

test('ends are seen in the order in which their writes began, whichever answer comes first', async () => {
  const { seen, start, reads } = createWrites();
  const [first, second, third] = [start(5), start(2), start(9)];
  await second.write();
  assert.deepEqual(seen, []);
  await first.write();
  assert.deepEqual(seen, [5, 2]);
  await third.write();
  assert.deepEqual([seen, reads()], [[5, 2, 9], 0]);
});

test('after a failed attempt the ends have the order of the journal, which is read once the attempt is written', async () => {
  const { seen, start, reads } = createWrites([2, 9, 5]);
  const [first, second] = [start(5), start(2)];
  first.fail();
  const third = start(9);
  await second.write();
  assert.deepEqual([seen, reads()], [[], 0]);
  await first.write();
  assert.deepEqual([seen, reads()], [[2], 1]);
  await third.write();
  assert.deepEqual([seen, reads()], [[2, 9, 5], 1]);
  await start(4).write();
  assert.deepEqual([seen, reads()], [[2, 9, 5, 4], 1]);
});

test('ends that are written while the journal is read need no other reading', async () => {
  const { seen, start, order, reads } = createWrites();
  const first = start(5);
  first.fail();
  await first.write();
  for (const place of [7, 2, 9]) await start(place).write();
  const last = start(4);
  order.resolve([2, 5]);
  await settle();
  assert.deepEqual([seen, reads()], [[2, 5, 7, 9], 1]);
  await last.write();
  assert.deepEqual([seen, reads()], [[2, 5, 7, 9, 4], 1]);
});

test('an attempt that fails while the journal is read makes another reading necessary', async () => {
  const { seen, start, order, reads } = createWrites();
  const first = start(5);
  first.fail();
  await first.write();
  const second = start(2);
  second.fail();
  order.resolve([2, 5]);
  await settle();
  assert.deepEqual([seen, reads()], [[], 1]);
  await second.write();
  assert.deepEqual([seen, reads()], [[2, 5], 2]);
});
