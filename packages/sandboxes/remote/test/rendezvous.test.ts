import assert from 'node:assert/strict';
import { test } from 'vitest';
import { rankNodes } from '../src/client/fleet.ts';

const nodes = ['a:1', 'b:1', 'c:1', 'd:1', 'e:1'].map((address) => ({ address }));
const principals = Array.from({ length: 5_000 }, (_, index) => `user:${index}`);

test('principals are spread over all nodes, each with about the same share', () => {
  const shares = new Map<string, number>();
  for (const principal of principals) {
    const [first] = rankNodes(nodes, principal);
    shares.set(first?.address ?? '', (shares.get(first?.address ?? '') ?? 0) + 1);
  }
  assert.equal(shares.size, 5);
  for (const [address, share] of shares) assert.ok(share > 850 && share < 1_150, `${address}: ${share}`);
});

test('without one node only its principals move, to all others; the order of the list does not matter', () => {
  const left = nodes.filter(({ address }) => address !== 'c:1').toReversed();
  const moved = new Set<string | undefined>();
  for (const principal of principals) {
    const [before, second] = rankNodes(nodes, principal);
    const [after] = rankNodes(left, principal);
    if (before?.address !== 'c:1') assert.equal(after, before);
    else {
      assert.equal(after, second);
      moved.add(after?.address);
    }
  }
  assert.equal(moved.size, 4);
});
