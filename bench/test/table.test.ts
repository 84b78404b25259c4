import { strictEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { formatFigure, formatTable } from '../src/table.ts';

test('figures have three significant digits', () => {
  strictEqual(
    ['0.012345', '1.005', '12.34', '123.4', '12345.6'].map(Number).map(formatFigure).join(' '),
    '0.0123 1 12.3 123 12346',
  );
  strictEqual(formatFigure(Number.NaN), '-');
});

test('columns are aligned, and a measurement with two peers is named once', () => {
  const same = { group: 'group', name: 'call', unit: 'µs', ours: 4 };
  const table = formatTable([
    { ...same, peer: 2, ratio: 2, peerName: 'quick', floor: 4, goal: '≤ 2× floor' },
    { ...same, peer: 16, ratio: 0.25, peerName: 'slow' },
  ]);
  strictEqual(
    table,
    [
      '             ours   peer  ours/peer  floor  ours/floor  goal        reached  peer is',
      'group: call  4 µs   2 µs         2×   4 µs          1×  ≤ 2× floor      yes  quick',
      '                   16 µs      0.25×                                          slow',
    ].join('\n'),
  );
});
