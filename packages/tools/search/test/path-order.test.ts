import { createSeededRandom } from '@ravi/testkit';
import { expect, test } from 'vitest';
import { collectFirst, comparePaths } from '../src/engine/path-order.ts';

const random = createSeededRandom(11);
const characters = ['a', 'b', '-', '.', 'ä', '😀', '\uE000'];

function randomPaths(count: number): readonly string[] {
  const part = (): string => Array.from({ length: 1 + random.below(4) }, () => random.pick(characters)).join('');
  return Array.from({ length: count }, () => Array.from({ length: 1 + random.below(4) }, part).join('/'));
}

// With NUL for the slash, which no path contains, the order of the parts is that of the texts.
function sorted(paths: readonly string[]): readonly string[] {
  return paths
    .map((path) => path.replaceAll('/', '\0'))
    .toSorted()
    .map((path) => path.replaceAll('\0', '/'));
}

test('paths are in the order of their parts', () => {
  const paths = randomPaths(2_000);
  expect(paths.toSorted(comparePaths)).toEqual(sorted(paths));
});

test.each([1, 2, 499, 500, 501, 3_000, 9_000])(
  'the first %i of many paths are the first of all of them sorted',
  (wanted) => {
    const paths = randomPaths(5_000);
    for (const order of [paths, sorted(paths), sorted(paths).toReversed()]) {
      const first = collectFirst(wanted);
      for (const path of order) first.add(path);
      expect(first.total).toBe(5_000);
      expect(first.paths()).toEqual(sorted(paths).slice(0, wanted));
    }
  },
);
