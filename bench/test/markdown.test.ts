import { strictEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { formatMarkdown } from '../src/markdown.ts';

test('a measurement is one line; ratios come first and a peer without a figure says why', () => {
  const call = { group: 'group', name: 'call', unit: 'µs', ours: 4 };
  const text = formatMarkdown([
    { ...call, peer: 2, ratio: 2, peerName: 'quick', floor: 4, goal: '≤ 2× floor' },
    { ...call, peerName: 'slow', note: 'failed: too much' },
    { group: 'group', name: 'lone', unit: 'ms', ours: 7 },
  ]);
  strictEqual(
    text,
    [
      '| | ours / peer | ours / floor | ours | goal | reached |',
      '|---|---|---|---|---|---|',
      '| group: call | 2× quick: 2 µs<br>slow: failed: too much | 1× | 4 µs | ≤ 2× floor | yes |',
      '| group: lone |  |  | 7 ms |  |  |',
    ].join('\n'),
  );
});
