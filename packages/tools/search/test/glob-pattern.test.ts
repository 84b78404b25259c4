import { createSeededRandom } from '@ravi/testkit';
import { expect, test } from 'vitest';
import { compileGlob } from '../src/glob/glob-pattern.ts';

const matches = (pattern: string, path: string): boolean => compileGlob(pattern).matches(path);

test.each([
  ['*.ts', 'a.ts', true],
  ['*.ts', 'in/a.ts', true],
  ['*.ts', 'a.tsx', false],
  ['/*.ts', 'in/a.ts', false],
  ['./a/*.ts', 'a/b.ts', true],
  ['a/*.ts', 'a/b/c.ts', false],
  ['a/**/c.ts', 'a/c.ts', true],
  ['a/**/c.ts', 'a/b/b/c.ts', true],
  ['a/**', 'a', false],
  ['a/**', 'a/b/c', true],
  ['a/', 'a/b', true],
  ['**', 'a/b', true],
  ['**/b/**/d', 'a/b/c/d', true],
  ['**/b/**/d', 'b/c', false],
  ['?.ts', 'ab.ts', false],
  ['[a-c].ts', 'b.ts', true],
  ['[!a-c].ts', 'b.ts', false],
  ['[]x].ts', '].ts', true],
  ['[a', '[a', true],
  ['{a,b}.{js,ts}', 'b.ts', true],
  ['{a,b}.{js,ts}', 'c.ts', false],
  ['{a,{b,c}}.ts', 'c.ts', true],
  ['{a}.ts', '{a}.ts', true],
  ['\\*.ts', '*.ts', true],
  ['\\*.ts', 'a.ts', false],
  ['A.ts', 'a.ts', false],
  ['.*', '.env', true],
  ['*', '.env', true],
] as const)('%s and %s: %s', (pattern, path, expected) => {
  expect(matches(pattern, path)).toBe(expected);
});

test('a pattern with limits says which', () => {
  expect(() => compileGlob('')).toThrow('is empty');
  expect(() => compileGlob('a\0')).toThrow('NUL');
  expect(() => compileGlob('a'.repeat(1001))).toThrow('1000 characters');
  expect(() => compileGlob('{a,b}'.repeat(20))).toThrow('100 alternatives');
});

test('many stars against a name that almost matches take no exponential time', () => {
  expect(matches(`${'*a'.repeat(100)}b`, 'a'.repeat(250))).toBe(false);
  expect(matches(`${'**/a/'.repeat(50)}b`, Array.from({ length: 200 }, () => 'a').join('/'))).toBe(false);
});

// Oracle: every way to give the stars a length, which is what the pattern means.
function meaning(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  if (pattern.startsWith('*')) {
    return Array.from({ length: text.length + 1 }, (_, at) => at).some((at) =>
      meaning(pattern.slice(1), text.slice(at)),
    );
  }
  return text !== '' && (pattern[0] === '?' || pattern[0] === text[0]) && meaning(pattern.slice(1), text.slice(1));
}

test('random patterns of stars and characters mean what they say', () => {
  const random = createSeededRandom(7);
  const pick = (alphabet: string, length: number): string =>
    Array.from({ length }, () => random.pick([...alphabet])).join('');
  for (let round = 0; round < 3000; round += 1) {
    const pattern = pick('ab*?', 1 + random.below(6));
    const text = pick('ab', 1 + random.below(6));
    expect(matches(`/${pattern}`, text), `${pattern} ${text}`).toBe(meaning(pattern, text));
  }
});
