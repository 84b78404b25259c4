import { strictEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { formatMarkdown } from '../src/markdown.ts';

test('ratios come first and a peer without a figure says why', () => {
  const same = { group: 'group', name: 'call', unit: 'µs', ours: 4 };
  const text = formatMarkdown([
    { ...same, peer: 2, ratio: 2, peerName: 'quick', floor: 4, goal: '≤ 2× floor' },
    { ...same, peerName: 'slow', note: 'failed: too much' },
  ]);
  strictEqual(
    text,
    [
      '| | ours / peer | ours / floor | ours | peer | goal | reached |',
      '|---|---|---|---|---|---|---|',
      '| group: call | 2× | 1× | 4 µs | quick: 2 µs | ≤ 2× floor | yes |',
      '| group: call |  |  | 4 µs | slow: failed: too much |  |  |',
    ].join('\n'),
  );
});
