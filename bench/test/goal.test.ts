import { deepStrictEqual, strictEqual, throws } from 'node:assert/strict';
import { test } from 'vitest';
import { isReached } from '../src/goal.ts';
import type { BenchRow } from '../src/row.ts';

const row: BenchRow = { group: 'group', name: 'name', ours: 10, unit: 'ms' };

test('a goal in the unit of the row bounds our own figure, from above or from below', () => {
  strictEqual(isReached({ ...row, goal: '≤ 10 ms' }), true);
  strictEqual(isReached({ ...row, goal: '≤ 9.9 ms' }), false);
  strictEqual(isReached({ ...row, ours: 1_200, unit: 'scripts/s', goal: '≥ 1 200 scripts/s' }), true);
  strictEqual(isReached({ ...row, ours: 1_199, unit: 'scripts/s', goal: '≥ 1 200 scripts/s' }), false);
});

test('a goal against the floor bounds the ratio to the floor', () => {
  strictEqual(isReached({ ...row, floor: 5, goal: '≤ 2× floor' }), true);
  strictEqual(isReached({ ...row, floor: 4, goal: '≤ 2× floor' }), false);
});

test('a goal against the peer bounds the ratio to the peer', () => {
  const compared = { ...row, peer: 20, ratio: 0.5 };
  deepStrictEqual(
    ['≤ 0.5×', '≤ 0.4× peer', '≤ 0.4'].map((goal) => isReached({ ...compared, goal })),
    [true, false, false],
  );
});

test('a goal without a unit bounds our figure if there is no peer', () => {
  strictEqual(isReached({ ...row, goal: '≤ 8' }), false);
  strictEqual(isReached({ ...row, goal: '≤ 10' }), true);
});

test('a row without a goal, or without the figure of its goal, is neither reached nor missed', () => {
  strictEqual(isReached(row), undefined);
  strictEqual(isReached({ ...row, goal: '≤ 2× floor' }), undefined);
  strictEqual(isReached({ ...row, ours: Number.NaN, goal: '≤ 1 ms' }), false);
});

test('a goal that cannot be read or has another unit throws', () => {
  throws(() => isReached({ ...row, goal: 'fast' }), /group: name: the goal "fast" cannot be read/);
  throws(() => isReached({ ...row, goal: '≤ 1 s' }), /in another unit than ms/);
});
