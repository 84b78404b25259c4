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
  assert.match(announcement(readTestPlan([])) ?? '', /under an hour.*--fast/);
  assert.match(announcement(readTestPlan(['--shard', '1/4'])) ?? '', /part 1 of 4.*about 15 minutes/);
  assert.equal(announcement(readTestPlan(['packages/agents'])), undefined);
});

test('a long run leaves no case to a sample', () => {
  assert.deepEqual(sizeVariables(readTestPlan([]), 20_700), {
    RAVI_HOSTILE_SAMPLE: '8',
    RAVI_TEST_SAMPLE: '1',
    RAVI_TEST_DAY: '20700',
  });
  // A file that is named runs each of its tests.
  assert.deepEqual(sizeVariables(readTestPlan(['packages/agents'])), { RAVI_HOSTILE_SAMPLE: '8' });
  const long = sizeVariables(readTestPlan(['--long']));
  assert.deepEqual([long['RAVI_HOSTILE_SAMPLE'], long['RAVI_TEST_SAMPLE']], [undefined, undefined]);
  assert.equal(long['RAVI_GIT_TRICKS'], 'all');
});
