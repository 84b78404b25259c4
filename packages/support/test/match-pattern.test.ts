import assert from 'node:assert/strict';
import { test } from 'vitest';
import { matchesPattern } from '../src/index.ts';

const texts = ['', 'a', 'aa', 'ab', 'aba', 'abab', 'git.push', 'git', 'x.git.push', 'a*b', 'a.b'];
const patterns = ['', '*', '**', 'a', 'a*', '*a', 'a*a', 'ab*ab', '*a*', 'a**a', 'git.*', '*.push', 'a*b', 'a*b*b'];

test('a pattern matches as a regular expression does in which only the star is special', () => {
  for (const pattern of patterns) {
    const source = pattern
      .split('*')
      .map((part) => part.replaceAll('.', String.raw`\.`))
      .join('.*');
    const expected = texts.filter((text) => new RegExp(`^${source}$`, 's').test(text));
    assert.deepEqual(
      texts.filter((text) => matchesPattern(pattern, text)),
      expected,
      pattern,
    );
  }
});

test('a pattern with many stars is compared in steps that grow with the product of both lengths only', () => {
  assert.equal(matchesPattern('*a'.repeat(5_000), 'b'.repeat(20_000)), false);
  assert.equal(matchesPattern(`${'a*'.repeat(2_000)}b`, 'a'.repeat(4_000)), false);
});
