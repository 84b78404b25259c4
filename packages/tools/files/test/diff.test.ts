import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openFiles } from './support/open-files.ts';
import type { OpenFiles } from './support/open-files.ts';

const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

async function withFiles(texts: Readonly<Record<string, string>>): Promise<OpenFiles> {
  const files = await openFiles();
  for (const [path, text] of Object.entries(texts)) {
    files.put(path, text);
    await files.call('read', { path });
  }
  return files;
}

test('a patch between two files, or a file and a text, is applied to the first', async () => {
  using files = await withFiles({
    'a.txt': lines(20),
    'b.txt': lines(20).replace('line 3\n', 'three\n').replace('line 18\n', ''),
  });
  const { patch, added, removed } = await files.call('diff_create', { path: 'a.txt', otherPath: 'b.txt' });
  expect([added, removed]).toEqual([1, 2]);
  expect(patch).toMatch(/^--- a\/a\.txt\n\+\+\+ b\/b\.txt\n@@ -1,6 \+1,6 @@\n/u);
  const same = await files.call('diff_create', { path: 'a.txt', text: lines(20) });
  expect(same).toEqual({ patch: '', added: 0, removed: 0 });
  const own = await files.call('diff_create', { path: 'a.txt', text: files.text('b.txt'), contextLines: 0 });
  await files.call('diff_apply', { patch: own['patch'] as string });
  expect(files.text('a.txt')).toBe(files.text('b.txt'));
});

const patch = `diff --git a/changed.txt b/changed.txt
--- a/changed.txt
+++ b/changed.txt
@@ -1,3 +1,3 @@
 line 1
-line 2
+two
 line 3
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1,1 +0,0 @@
-bye
diff --git a/new/made.txt b/new/made.txt
new file mode 100644
--- /dev/null
+++ b/new/made.txt
@@ -0,0 +1,1 @@
+hello
diff --git a/old-name.txt b/next-name.txt
similarity index 50%
rename from old-name.txt
rename to next-name.txt
--- a/old-name.txt
+++ b/next-name.txt
@@ -1,1 +1,1 @@
-name
+next
`;
const before = { 'changed.txt': lines(5), 'gone.txt': 'bye\n', 'old-name.txt': 'name\n' };

test('changes, creates, deletes and renames files with one patch, which undo takes back as a whole', async () => {
  using files = await withFiles(before);
  expect(await files.call('diff_apply', { patch })).toEqual({
    files: [
      { path: 'changed.txt', action: 'changed' },
      { path: 'gone.txt', action: 'deleted' },
      { path: 'new/made.txt', action: 'created' },
      { path: 'next-name.txt', action: 'renamed' },
    ],
    undo: true,
  });
  expect(files.names()).toEqual(['changed.txt', 'new', 'new/made.txt', 'next-name.txt']);
  expect(files.text('changed.txt')).toBe(lines(5).replace('line 2', 'two'));
  expect([files.text('new/made.txt'), files.text('next-name.txt')]).toEqual(['hello\n', 'next\n']);
  await files.call('undo', {});
  for (const [path, text] of Object.entries(before)) expect(files.text(path)).toBe(text);
  expect(files.names()).toEqual(['changed.txt', 'gone.txt', 'new', 'old-name.txt']);
});

test('if one file does not match, none changes and no folder is left', async () => {
  using files = await withFiles({ ...before, 'gone.txt': 'stay\n' });
  const error = await files.failure('diff_apply', { patch });
  expect([error.code, error.message]).toEqual(['E_FILE_PATCH', expect.stringContaining('does not match "gone.txt"')]);
  expect(files.names()).toEqual(['changed.txt', 'gone.txt', 'old-name.txt']);
  expect(files.text('changed.txt')).toBe(lines(5));
});

test('if one file is changed by another program before the first is replaced, none changes', async () => {
  using files = await withFiles(before);
  const begin = async (): Promise<void> => writeFileSync(join(files.root, 'old-name.txt'), 'theirs\n');
  await expect(files.run('diff_apply', { patch }, { begin })).rejects.toThrow(/"old-name.txt" has changed/u);
  expect(files.names()).toEqual(['changed.txt', 'gone.txt', 'old-name.txt']);
  expect(files.text('changed.txt')).toBe(lines(5));
});

test('needs the files that it changes to be read, and those that it creates not to exist', async () => {
  using files = await withFiles(before);
  files.nextRun();
  expect((await files.failure('diff_apply', { patch })).code).toBe('E_FILE_UNREAD');
  for (const path of Object.keys(before)) await files.call('read', { path });
  files.put('next-name.txt', 'here');
  expect((await files.failure('diff_apply', { patch })).code).toBe('E_FILE_EXISTS');
});

test('finds a hunk that has moved, and tolerates changed context only with fuzz', async () => {
  using files = await withFiles({ 'a.txt': `new\nnew\n${lines(9)}` });
  const moved = '--- a.txt\n+++ a.txt\n@@ -4,3 +4,3 @@\n line 4\n-line 5\n+five\n line 6\n';
  await files.call('diff_apply', { patch: moved });
  expect(files.text('a.txt')).toContain('line 4\nfive\nline 6\n');
  const other = '--- a.txt\n+++ a.txt\n@@ -8,4 +8,4 @@\n line six\n line 7\n-line 8\n+eight\n line 9\n';
  expect((await files.failure('diff_apply', { patch: other })).code).toBe('E_FILE_PATCH');
  await files.call('diff_apply', { patch: other, fuzz: 1 });
  expect(files.text('a.txt')).toContain('line 7\neight\nline 9\n');
});

test('keeps CRLF, a byte order mark and a last line without newline', async () => {
  using files = await withFiles({ 'a.txt': '\ufeffone\r\ntwo\r\nthree' });
  const change = '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n\\ No newline at end of file\n';
  await files.call('diff_apply', { patch: change });
  expect(files.text('a.txt')).toBe('\ufeffone\r\n2\r\nthree');
});

test.each([
  ['hello', 'E_FILE_PATCH'],
  ['@@ -1,1 +1,1 @@\n-a\n+b\n', 'E_FILE_PATCH'],
  ['--- a.txt\n+++ a.txt\n@@ -1,9 +1,1 @@\n-a\n+b\n', 'E_FILE_PATCH'],
  ['--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-x\n+b\n--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-x\n+b\n', 'E_FILE_PATCH'],
  ['--- /dev/null\n+++ ../outside/new.txt\n@@ -0,0 +1,1 @@\n+a\n', 'E_PATH_OUTSIDE'],
  ['--- /dev/null\n+++ b/.git/hooks/pre-commit\n@@ -0,0 +1,1 @@\n+a\n', 'E_FILE_PROTECTED'],
  ['--- /dev/null\n+++ /etc/cron.d/x\n@@ -0,0 +1,1 @@\n+a\n', 'E_PATH_OUTSIDE'],
  ['--- none.txt\n+++ none.txt\n@@ -1,1 +1,1 @@\n-a\n+b\n', 'E_FILE_NOT_FOUND'],
  ['--- a.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-line 1\n', 'E_FILE_PATCH'],
  ['diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755\n', 'E_FILE_PATCH'],
  ['diff --git a/a.png b/a.png\nBinary files a/a.png and b/a.png differ\n', 'E_FILE_PATCH'],
  [
    Array.from({ length: 101 }, (_, index) => `--- /dev/null\n+++ b/${index}\n@@ -0,0 +1,1 @@\n+a\n`).join(''),
    'E_FILE_PATCH',
  ],
])('refuses the patch %j', async (text, code) => {
  using files = await withFiles({ 'a.txt': lines(2) });
  expect((await files.failure('diff_apply', { patch: text })).code).toBe(code);
  expect(files.tools['diff_apply']?.classifyRisk?.({ patch: text })).toMatchObject({ risk: 'high' });
  expect([files.names(), files.text('a.txt')]).toEqual([['a.txt'], lines(2)]);
});

test('gives up a search for a hunk that would take very long', async () => {
  using files = await withFiles({ 'a.txt': 'x\n'.repeat(100_000) });
  const hunk = `${' x\n'.repeat(2_000)}-y\n`;
  const { code, message } = await files.failure('diff_apply', {
    patch: `--- a.txt\n+++ a.txt\n@@ -1,2001 +1,2000 @@\n${hunk}`,
  });
  expect([code, message]).toEqual(['E_FILE_PATCH', expect.stringContaining('takes too long')]);
});

test('compares within limits, and files of text only', async () => {
  using files = await withFiles({ 'a.txt': lines(10) });
  files.put('b.bin', Buffer.from([0, 1]));
  files.put('large.txt', 'x'.repeat(8_388_609));
  mkdirSync(join(files.root, 'folder'));
  const codeOf = async (args: object): Promise<string> =>
    (await files.failure('diff_create', { path: 'a.txt', ...args })).code;
  expect(await codeOf({ otherPath: 'b.bin' })).toBe('E_FILE_BINARY');
  expect(await codeOf({ otherPath: 'large.txt' })).toBe('E_FILE_TOO_LARGE');
  expect(await codeOf({ text: 'x'.repeat(8_388_609) })).toBe('E_FILE_TOO_LARGE');
  expect(await codeOf({ otherPath: 'folder' })).toBe('E_FILE_KIND');
  expect(await codeOf({})).toBe('E_ARGUMENTS_INVALID');
  expect(await codeOf({ text: 'a', otherPath: 'b.bin' })).toBe('E_ARGUMENTS_INVALID');
  expect(await codeOf({ text: Array.from({ length: 12_000 }, (_, index) => `other ${index}`).join('\n') })).toBe(
    'E_FILE_TOO_LARGE',
  );
});

test('for any two texts, the patch between them leads from the first to the second', async () => {
  using files = await openFiles({ requireRead: false });
  const text = fc
    .array(fc.constantFrom('a', 'b', '-- c', '++ d', '', '\\ e'), { maxLength: 12 })
    .map((parts) => parts.join('\n'));
  await fc.assert(
    fc.asyncProperty(text, text, fc.integer({ min: 0, max: 3 }), async (left, right, contextLines) => {
      files.put('a.txt', left);
      const made = await files.call('diff_create', { path: 'a.txt', text: right, contextLines });
      if (left !== right) await files.call('diff_apply', { patch: made['patch'] as string });
      expect(files.text('a.txt')).toBe(right);
    }),
    { numRuns: 100 },
  );
});
