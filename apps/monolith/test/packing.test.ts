import assert from 'node:assert/strict';
import { createFakeClock, createMemoryLogger } from '@ravi/testkit';
import { test } from 'vitest';
import { startPacking } from '../src/maintenance/packing.ts';

test('ended runs are packed a minute after the start, and again after a failure', async () => {
  const clock = createFakeClock();
  const logger = createMemoryLogger();
  const moments: number[] = [];
  let left = 3;
  let isBroken = true;
  const retention = {
    packNext: async (before: number): Promise<boolean> => {
      moments.push(before);
      if (isBroken) throw new Error('disk on fire');
      left -= 1;
      return left > 0;
    },
  };
  const start = clock.now();
  await using packing = startPacking({ retention, clock, logger });
  assert.deepEqual(moments, []);
  clock.advance(60_000);
  await packing.first;
  assert.deepEqual(moments, [start]);
  assert.match(JSON.stringify(logger.records), /could not be packed/);
  isBroken = false;
  clock.advance(60_000);
  while (left > 0) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(moments.slice(1), [start + 60_000, start + 60_000, start + 60_000]);
});
