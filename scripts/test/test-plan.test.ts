import assert from 'node:assert/strict';
import { test } from 'vitest';

import { announcement, readTestPlan, shardOf, sizeVariables } from '../testing/test-plan.ts';

test('flags and filters are read', () => {
  assert.deepEqual(readTestPlan([]), { filters: [], isFast: false, isLong: false, shard: undefined });
  assert.deepEqual(readTestPlan(['--shard', '2/4', 'packages/agents', '--fast']), {
    filters: ['packages/agents'],
    isFast: true,
    isLong: false,
    shard: { index: 2, count: 4 },
  });
});

test('an unknown flag and an impossible part are refused with the usage', () => {
  for (const args of [['--quick'], ['--fast', '--long'], ['--shard', '0/4'], ['--shard', '5/4'], ['--shard', 'half']]) {
    assert.throws(() => readTestPlan(args), /Usage: npm test/);
  }
});

test('the parts of a list have every item once', () => {
  const items = Array.from({ length: 10 }, (_, index) => index);
  const parts = [1, 2, 3].map((index) => shardOf(items, { index, count: 3 }));
  assert.deepEqual(
    parts.flat().toSorted((left, right) => left - right),
    items,
  );
  assert.deepEqual(shardOf(items, undefined), items);
});

test('a run of all tests says how long it takes, a run of some says nothing', () => {
  assert.match(announcement(readTestPlan([])) ?? '', /35 to 40 minutes.*--fast/);
  assert.match(announcement(readTestPlan(['--shard', '1/4'])) ?? '', /part 1 of 4: about 10 minutes/);
  assert.equal(announcement(readTestPlan(['packages/agents'])), undefined);
});

test('a long run leaves no case to a sample', () => {
  assert.deepEqual(sizeVariables(readTestPlan([])), { RAVI_HOSTILE_SAMPLE: '4' });
  const long = sizeVariables(readTestPlan(['--long']));
  assert.equal(long['RAVI_HOSTILE_SAMPLE'], undefined);
  assert.equal(long['RAVI_GIT_TRICKS'], 'all');
});
