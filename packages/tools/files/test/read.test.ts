import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { textOf } from '@ravi/kernel';
import { expect, test } from 'vitest';
import { openFiles } from './support/open-files.ts';

test('reads a file whole: with numbers for a model, and as it is for a script', async () => {
  using files = await openFiles();
  files.put('a.txt', 'one\r\ntwo\r\n');
  const result = await files.run('read', { path: 'a.txt' });
  expect(textOf(result.content)).toBe('1\tone\n2\ttwo');
  expect(result.structuredContent).toEqual({
    path: 'a.txt',
    text: 'one\r\ntwo\r\n',
    startLine: 1,
    endLine: 2,
    totalLines: 2,
    bytes: 10,
  });
});

test.each([
  [{ startLine: 2, endLine: 3 }, 'two\nthree\n', 2, 3],
  [{ startLine: 4 }, 'four', 4, 4],
  [{ endLine: 1 }, 'one\n', 1, 1],
  [{ startLine: 3, endLine: 99 }, 'three\nfour', 3, 4],
])('reads the lines %j', async (range, text, startLine, endLine) => {
  using files = await openFiles();
  files.put('a.txt', 'one\ntwo\nthree\nfour');
  const value = await files.call('read', { path: 'a.txt', ...range });
  expect(value).toMatchObject({ text, startLine, endLine, totalLines: 4 });
});

test('says what it leaves out, and refuses a range that is not there', async () => {
  using files = await openFiles();
  files.put('long.txt', `${'x'.repeat(3_000)}\n${'line\n'.repeat(2_500)}`);
  const shown = textOf((await files.run('read', { path: 'long.txt' })).content);
  expect(shown).toContain('[1000 more characters]');
  expect(shown).toContain('[more lines: read on with "startLine": 2001]');
  const part = textOf((await files.run('read', { path: 'long.txt', startLine: 5, endLine: 6 })).content);
  expect(part).toBe('5\tline\n6\tline\n[lines 5 to 6 of 2501]');
  expect((await files.failure('read', { path: 'long.txt', startLine: 9_999 })).message).toContain('has 2501 lines');
  expect((await files.failure('read', { path: 'long.txt', startLine: 5, endLine: 4 })).code).toBe(
    'E_ARGUMENTS_INVALID',
  );
});

test('reads an empty file, and leaves a byte order mark out', async () => {
  using files = await openFiles();
  files.put('empty.txt', '');
  files.put('bom.txt', '\ufeffhello');
  expect(await files.call('read', { path: 'empty.txt' })).toMatchObject({ text: '', totalLines: 0 });
  expect(await files.call('read', { path: 'bom.txt' })).toMatchObject({ text: 'hello', bytes: 8 });
});

test.each([
  ['image.txt', 'image/png', '89504e470d0a1a0a0000', 'image'],
  ['photo', 'image/jpeg', 'ffd8ffe000', 'image'],
  ['moving.gif', 'image/gif', '474946383961', 'image'],
  ['picture.webp', 'image/webp', '524946460000000057454250', 'image'],
  ['paper.pdf', 'application/pdf', '255044462d312e370a00', 'document'],
])('returns %s as an artifact with the kind %s', async (path, mediaType, hex, type) => {
  using files = await openFiles();
  const bytes = Buffer.from(hex, 'hex');
  files.put(path, bytes);
  const { content, structuredContent } = await files.run('read', { path });
  const { artifact } = structuredContent as { readonly artifact: string };
  expect(structuredContent).toEqual({ path, bytes: bytes.length, mediaType, artifact });
  expect(content[1]).toEqual({ type, mediaType, name: path, source: { kind: 'blob', ref: artifact } });
  expect(files.artifacts.get(artifact)).toEqual(bytes);
});

test('refuses other binary files and other encodings', async () => {
  using files = await openFiles();
  files.put('program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1]));
  files.put('latin1.txt', Buffer.from('caf\u00e9', 'latin1'));
  files.put('utf16.txt', Buffer.from('hello', 'utf16le'));
  for (const path of ['program', 'latin1.txt', 'utf16.txt']) {
    expect((await files.failure('read', { path })).code).toBe('E_FILE_BINARY');
  }
});

test('refuses folders, pipes, devices and links to them, and names the tool for folders', async () => {
  using files = await openFiles();
  mkdirSync(join(files.root, 'src'));
  execFileSync('mkfifo', [join(files.root, 'pipe')]);
  symlinkSync('pipe', join(files.root, 'link'));
  expect((await files.failure('read', { path: 'src' })).message).toMatch(/is a folder, and this tool takes a file/u);
  expect((await files.failure('read', { path: '.' })).code).toBe('E_FILE_KIND');
  expect((await files.failure('read', { path: 'pipe' })).code).toBe('E_FILE_KIND');
  expect((await files.failure('read', { path: 'link' })).code).toBe('E_FILE_KIND');
  expect((await files.failure('read', { path: 'none.txt' })).code).toBe('E_FILE_NOT_FOUND');
});

test('refuses a file of 1 GB, and a text that is longer than one read, with the limits', async () => {
  using files = await openFiles({ maxReadBytes: 100 });
  const handle = openSync(join(files.root, 'huge.log'), 'w');
  ftruncateSync(handle, 1_073_741_824);
  closeSync(handle);
  const huge = await files.failure('read', { path: 'huge.log' });
  expect(huge.code).toBe('E_FILE_TOO_LARGE');
  expect(huge.message).toContain('has 1073741824 bytes, more than the limit of 67108864');
  expect((await files.failure('edit', { path: 'huge.log', oldText: 'a', newText: 'b' })).code).toBe('E_FILE_TOO_LARGE');
  files.put('long.txt', 'line\n'.repeat(30));
  expect((await files.failure('read', { path: 'long.txt' })).message).toContain('Read fewer lines');
  expect(await files.call('read', { path: 'long.txt', startLine: 11, endLine: 30 })).toMatchObject({ endLine: 30 });
});
