import { statSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { replaceText } from '../src/text/replace-text.ts';
import { openFiles } from './support/open-files.ts';
import type { OpenFiles } from './support/open-files.ts';

async function withText(text: string | Uint8Array): Promise<OpenFiles> {
  const files = await openFiles();
  files.put('a.txt', text);
  await files.call('read', { path: 'a.txt' });
  return files;
}

test('replaces a text that is there once, and names its line', async () => {
  using files = await withText('one\ntwo\nthree\n');
  expect(await files.call('edit', { path: 'a.txt', oldText: 'two', newText: '2' })).toMatchObject({
    replacements: 1,
    line: 2,
  });
  expect(files.text('a.txt')).toBe('one\n2\nthree\n');
});

test('refuses a text that is there twice, also if both overlap, unless all are replaced', async () => {
  using files = await withText('aaa\nb\naaa');
  const twice = await files.failure('edit', { path: 'a.txt', oldText: 'aaa', newText: 'c' });
  expect([twice.code, twice.message]).toEqual(['E_FILE_AMBIGUOUS', expect.stringContaining('the lines 1 and 3')]);
  expect((await files.failure('edit', { path: 'a.txt', oldText: 'aa\nb\naa', newText: 'aa\nb\naa' })).code).toBe(
    'E_ARGUMENTS_INVALID',
  );
  expect((await files.failure('edit', { path: 'a.txt', oldText: 'aa', newText: 'c' })).code).toBe('E_FILE_AMBIGUOUS');
  expect(await files.call('edit', { path: 'a.txt', oldText: 'aa', newText: 'c', replaceAll: true })).toMatchObject({
    replacements: 2,
  });
  expect(files.text('a.txt')).toBe('ca\nb\nca');
});

test.each([
  ['function  add(a, b) {', 'The text differs only in white space from line 3: "function add(a, b) {"'],
  [
    'function sub(a, b) {\n  return a + b;\n}',
    'The nearest text is line 3: "function add(a, b) {\\n  return a + b;\\n}"',
  ],
  ['function addd(a, b)', 'The nearest text is line 3'],
  ['something entirely different', 'Read the file again'],
])('names the nearest place if %j is not there', async (oldText, expected) => {
  using files = await withText('// sum\n\nfunction add(a, b) {\n  return a + b;\n}\n');
  const { code, message } = await files.failure('edit', { path: 'a.txt', oldText, newText: '' });
  expect([code, message]).toEqual(['E_FILE_NO_MATCH', expect.stringContaining(expected)]);
});

test('keeps CRLF, a byte order mark and the permissions', async () => {
  using files = await withText('\ufeffone\r\ntwo\r\nthree\r\n');
  chmodSync(join(files.root, 'a.txt'), 0o600);
  await files.call('edit', { path: 'a.txt', oldText: 'one\ntwo', newText: '1\n2\nand' });
  expect(files.text('a.txt')).toBe('\ufeff1\r\n2\r\nand\r\nthree\r\n');
  await files.call('edit', { path: 'a.txt', oldText: 'and\r\nthree', newText: 'x' });
  expect(files.text('a.txt')).toBe('\ufeff1\r\n2\r\nx\r\n');
  expect(statSync(join(files.root, 'a.txt')).mode & 0o777).toBe(0o600);
});

test('in a file of both kinds of lines the lines that match decide', async () => {
  using files = await withText('a\nb\nc\r\nd\r\n');
  await files.call('edit', { path: 'a.txt', oldText: 'a\nb', newText: 'A\nB' });
  await files.call('edit', { path: 'a.txt', oldText: 'c\nd', newText: 'C\nD' });
  expect(files.text('a.txt')).toBe('A\nB\nC\r\nD\r\n');
});

test('multi_edit makes all replacements, each on the text of those before it, or none', async () => {
  using files = await withText('one two three');
  const edits = [
    { oldText: 'one', newText: 'two two' },
    { oldText: 'two', newText: '2', replaceAll: true },
  ];
  expect(await files.call('multi_edit', { path: 'a.txt', edits })).toMatchObject({ replacements: 4 });
  expect(files.text('a.txt')).toBe('2 2 2 three');
  const failed = [
    { oldText: 'three', newText: '3' },
    { oldText: 'four', newText: '4' },
  ];
  const { code, message } = await files.failure('multi_edit', { path: 'a.txt', edits: failed });
  expect([code, message]).toEqual(['E_FILE_NO_MATCH', expect.stringMatching(/^Edit 2 of 2: .*No edit was made$/u)]);
  expect(files.text('a.txt')).toBe('2 2 2 three');
});

test('refuses binary files, halves of characters, and a result above the limit', async () => {
  using files = await openFiles({ maxFileBytes: 100 });
  files.put('a.bin', Buffer.from([1, 0, 2]));
  files.put('a.txt', 'x'.repeat(50));
  await files.call('read', { path: 'a.txt' });
  const edit = { path: 'a.txt', oldText: 'x', newText: 'yyy', replaceAll: true };
  expect((await files.failure('edit', { path: 'a.bin', oldText: 'a', newText: 'b' })).code).toBe('E_FILE_BINARY');
  expect((await files.failure('edit', edit)).code).toBe('E_FILE_TOO_LARGE');
  expect((await files.failure('edit', { ...edit, newText: '\udc00' })).code).toBe('E_ARGUMENTS_INVALID');
  expect(files.text('a.txt')).toBe('x'.repeat(50));
});

test('equals the replacement of text for any text', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '😀', '\n', ' '), maxLength: 40 });
  const wanted = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '😀', '\n'), minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(letters, wanted, letters, fc.boolean(), (text, oldText, newText, replaceAll) => {
      fc.pre(oldText !== newText);
      const run = (): string =>
        replaceText(
          { bytes: Buffer.from(text), path: 'a', maxBytes: 10_000 },
          { oldText, newText, replaceAll },
        ).bytes.toString();
      const first = text.indexOf(oldText);
      if (first === -1) expect(run).toThrow(/does not contain/u);
      else if (replaceAll) expect(run()).toBe(text.split(oldText).join(newText));
      else if (text.includes(oldText, first + 1)) expect(run).toThrow(/more than once/u);
      else expect(run()).toBe(text.slice(0, first) + newText + text.slice(first + oldText.length));
    }),
    { numRuns: 500 },
  );
});
