import { deepStrictEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { interleave } from '../src/interleave.ts';
import type { Contender } from '../src/interleave.ts';
import { rowsOf } from '../src/rows-of.ts';

function scripted(name: string, figures: readonly number[], order: string[] = []): Contender {
  let taken = 0;
  return {
    name,
    async measure() {
      order.push(name);
      const figure = figures[taken++];
      if (figure === undefined) throw new Error(`${name} broke\nwith details`);
      return figure;
    },
  };
}

test('contenders take turns and every round starts with another one', async () => {
  const order: string[] = [];
  await interleave([scripted('a', [1, 1, 1], order), scripted('b', [1, 1, 1], order)], 2);
  deepStrictEqual(order, ['a', 'b', 'b', 'a', 'a', 'b']);
});

test('the first round warms up and the median of the others counts', async () => {
  const figures = await interleave([scripted('a', [1_000, 3, 1, 2])], 3);
  deepStrictEqual(figures.get('a'), { median: 2 });
});

test('a contender that fails is left out from then on, and the others continue', async () => {
  const order: string[] = [];
  const figures = await interleave([scripted('a', [5], order), scripted('b', [5, 6, 6], order)], 2);
  deepStrictEqual(figures.get('a'), { failure: 'a broke\nwith details' });
  deepStrictEqual(figures.get('b'), { median: 6 });
  deepStrictEqual(order, ['a', 'b', 'b', 'a', 'b']);
});

test('a measurement with two peers has two rows; the first has the goal and the floor', async () => {
  const rows = await rowsOf(
    {
      group: 'group',
      name: 'name',
      unit: 'ms',
      goal: '≤ 2× floor',
      ours: scripted('ours', [9, 4]),
      peers: [scripted('quick', [9, 2]), scripted('slow', [9, 8])],
      floor: scripted('pipe', [9, 1]),
    },
    1,
  );
  const same = { group: 'group', name: 'name', unit: 'ms', ours: 4 };
  deepStrictEqual(rows, [
    { ...same, floor: 1, floorName: 'pipe', goal: '≤ 2× floor', peerName: 'quick', peer: 2, ratio: 2 },
    { ...same, peerName: 'slow', peer: 8, ratio: 0.5 },
  ]);
});

test('a failure is reported by the first line of its message, without a figure', async () => {
  const measurement = { group: 'group', name: 'name', unit: 'ms', ours: scripted('ours', [1, 2]) };
  const [row] = await rowsOf({ ...measurement, peers: [scripted('peer', [])] }, 1);
  deepStrictEqual(row, {
    group: 'group',
    name: 'name',
    unit: 'ms',
    ours: 2,
    peerName: 'peer',
    note: 'failed: peer broke',
  });
});
