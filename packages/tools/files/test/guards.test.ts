import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@ravi/kernel';
import { isGitPath } from '@ravi/tools-kit';
import { expect, test } from 'vitest';
import { openFiles } from './support/open-files.ts';

/** Arguments with which each tool uses a path. */
const uses: readonly (readonly [tool: string, args: (path: string) => JsonObject])[] = [
  ['read', (path) => ({ path })],
  ['write', (path) => ({ path, content: 'x' })],
  ['append', (path) => ({ path, content: 'x' })],
  ['edit', (path) => ({ path, oldText: 'secret', newText: 'x' })],
  ['multi_edit', (path) => ({ path, edits: [{ oldText: 'secret', newText: 'x' }] })],
  ['delete', (path) => ({ path, permanent: true })],
  ['json_read', (path) => ({ path })],
  ['json_write', (path) => ({ path, pointer: '', value: 1 })],
  ['diff_create', (path) => ({ path, text: 'x' })],
  ['diff_create', (path) => ({ path: 'a.txt', otherPath: path })],
  ['diff_apply', (path) => ({ patch: `--- ${path}\n+++ ${path}\n@@ -1,1 +1,1 @@\n-secret\n+x\n` })],
  ['diff_apply', (path) => ({ patch: `--- /dev/null\n+++ ${path}\n@@ -0,0 +1,1 @@\n+x\n` })],
];
const changes = uses.filter(([tool]) => !['read', 'json_read', 'diff_create'].includes(tool));

const outside = [
  '../outside/secret.txt',
  'sub/../../outside/secret.txt',
  './sub/.././../outside/secret.txt',
  'out/secret.txt',
  'sub/out/secret.txt',
  'chain/secret.txt',
  '/etc/passwd',
  '//etc/passwd',
  '/proc/self/environ',
  '..',
];

test.each(uses)('%s refuses every path that leads outside, in each form', async (tool, args) => {
  using files = await openFiles({ requireRead: false });
  files.put('a.txt', 'secret');
  mkdirSync(join(files.root, 'sub'));
  symlinkSync(files.outside, join(files.root, 'out'));
  symlinkSync('../../outside', join(files.root, 'sub/out'));
  symlinkSync('sub/out', join(files.root, 'chain'));
  symlinkSync(join(files.outside, 'secret.txt'), join(files.root, 'file'));
  const paths = [...outside, join(files.outside, 'secret.txt'), `${files.root}/../outside/secret.txt`];
  for (const path of paths)
    expect([path, (await files.failure(tool, args(path))).code]).toEqual([path, 'E_PATH_OUTSIDE']);
  if (tool !== 'delete') expect((await files.failure(tool, args('file'))).code).toBe('E_PATH_OUTSIDE');
  expect(readdirSync(files.outside)).toEqual(['secret.txt']);
  expect(readFileSync(join(files.outside, 'secret.txt'), 'utf8')).toBe('secret');
});

test.each(uses)('%s refuses a NUL character, a very long path and one with a very long part', async (tool, args) => {
  using files = await openFiles({ requireRead: false });
  files.put('a.txt', 'secret');
  for (const path of ['a.txt\0.png', 'x/'.repeat(2_100), 'x'.repeat(300)]) {
    const { code, message } = await files.failure(tool, args(path));
    // A patch cannot have such names at all.
    expect(['E_ARGUMENTS_INVALID', 'E_FILE_PATCH', 'E_FILE_NOT_FOUND']).toContain(code);
    expect(message.length).toBeLessThan(600);
  }
  expect(files.names()).toEqual(['a.txt']);
});

test.each(changes)('%s changes nothing in a Git folder, however it is spelled', async (tool, args) => {
  using files = await openFiles({ requireRead: false });
  files.put('.git/config', 'secret');
  files.put('.git/hooks/pre-commit', 'secret');
  files.put('sub/.git', 'gitdir: ../.git');
  symlinkSync('.git', join(files.root, 'alias'));
  symlinkSync('.git/config', join(files.root, 'settings'));
  const before = files.names();
  const paths = [
    '.git/config',
    './.git/hooks/pre-commit',
    '.GIT/config',
    '.Git/hooks/new',
    'alias/hooks/new',
    'alias/made/deep/new',
    'sub/.git',
    'new/.git/config',
    'sub/../.git/config',
    '.git',
    '.g\u200cit/config',
    '.git /config',
    '.git./config',
    'GIT~1/config',
    '.git::$INDEX_ALLOCATION/config',
    ...(tool === 'delete' ? [] : ['settings']),
  ];
  for (const path of paths) {
    const { code } = await files.failure(tool, args(path));
    // A folder that does not exist is reported first by tools that create none, and a patch does not have every name.
    const allowed = tool === 'delete' || tool === 'edit' || tool === 'multi_edit' || tool === 'diff_apply';
    expect([path, code]).toEqual([
      path,
      allowed ? expect.stringMatching(/^E_FILE_(?:PROTECTED|NOT_FOUND|KIND|PATCH)$/u) : 'E_FILE_PROTECTED',
    ]);
  }
  expect(files.names()).toEqual(before);
  expect([files.text('.git/config'), files.text('.git/hooks/pre-commit')]).toEqual(['secret', 'secret']);
});

test('a folder with a Git folder in it is not deleted', async () => {
  using files = await openFiles();
  files.put('module/src/a.txt', 'a');
  files.put('module/.git/HEAD', 'ref');
  expect((await files.failure('delete', { path: 'module', recursive: true })).code).toBe('E_FILE_PROTECTED');
  expect((await files.failure('delete', { path: '.git', recursive: true })).code).toBe('E_FILE_PROTECTED');
  expect(files.text('module/src/a.txt')).toBe('a');
});

test('files of a Git folder can be read, and names that only look like it can be changed', async () => {
  using files = await openFiles();
  files.put('.git/config', 'x');
  expect(await files.call('read', { path: '.git/config' })).toMatchObject({ text: 'x' });
  for (const path of ['.gitignore', '.github/a.yml', 'git/a', 'a.git', '.git-notes', 'x.git/config']) {
    expect(isGitPath(path)).toBe(false);
    await files.call('write', { path, content: 'x' });
  }
});

test('two spellings of a name share a lock and what the run knows', async () => {
  using files = await openFiles();
  files.put('a.txt', '0');
  await files.call('read', { path: 'a.txt' });
  // On a file system that ignores case this is the same file; elsewhere it is another one, which has not been read.
  files.put('A.TXT', '1');
  const results = await Promise.allSettled([
    files.call('write', { path: 'A.TXT', content: '2' }),
    files.call('write', { path: 'a.txt', content: '3' }),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect([files.text('A.TXT'), files.text('a.txt')]).toEqual(['1', '3']);
});
