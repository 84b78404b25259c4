import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { UnprivilegedCalls } from '@ravi/testkit/unprivileged';
import { callUnprivileged } from '@ravi/testkit/unprivileged';
import { expect, test } from 'vitest';
import { openFiles } from './support/open-files.ts';
import type { OpenFiles } from './support/open-files.ts';

/** Makes calls in a process without privileges. */
async function outcomes(files: OpenFiles, calls: UnprivilegedCalls['calls']): Promise<unknown> {
  chmodSync(dirname(files.root), 0o755);
  const options = { root: files.root, maxFileBytes: 1_000_000, maxReadBytes: 1_000_000, requireRead: false };
  const plugin = join(import.meta.dirname, '../src/index.ts');
  const made = await callUnprivileged({ plugin, options, folder: files.root, calls });
  for (const { text } of made) expect(text).not.toContain(files.root);
  return made.map(({ code }) => code);
}

test('every tool reports a missing permission, and changes nothing', async () => {
  using files = await openFiles();
  files.put('secret.txt', 'text');
  files.put('fixed/a.txt', 'text');
  files.put('closed/a.txt', 'text');
  chmodSync(join(files.root, 'secret.txt'), 0o000);
  chmodSync(join(files.root, 'fixed'), 0o555);
  chmodSync(join(files.root, 'closed'), 0o000);
  const calls: UnprivilegedCalls['calls'] = [
    ['read', { path: 'secret.txt' }],
    ['read', { path: 'closed/a.txt' }],
    ['json_read', { path: 'secret.txt' }],
    ['diff_create', { path: 'secret.txt', text: 'a' }],
    ['write', { path: 'fixed/a.txt', content: 'new' }],
    ['write', { path: 'fixed/new/b.txt', content: 'new' }],
    ['append', { path: 'fixed/a.txt', content: 'new' }],
    ['edit', { path: 'fixed/a.txt', oldText: 'text', newText: 'new' }],
    ['multi_edit', { path: 'fixed/a.txt', edits: [{ oldText: 'text', newText: 'new' }] }],
    ['delete', { path: 'fixed/a.txt' }],
    ['delete', { path: 'fixed', recursive: true }],
    ['json_write', { path: 'fixed/new.json', pointer: '', value: 1 }],
    [
      'diff_apply',
      { patch: '--- fixed/a.txt\n+++ fixed/a.txt\n@@ -1,1 +1,1 @@\n-text\n\\ No newline at end of file\n+new\n' },
    ],
    ['read', { path: 'fixed/a.txt' }],
  ];
  const expected = [...calls.slice(0, -1).map(() => 'E_FILE_FORBIDDEN'), 'ok'];
  expect(await outcomes(files, calls)).toEqual(expected);
  for (const name of ['fixed', 'closed']) chmodSync(join(files.root, name), 0o755);
  expect([files.text('fixed/a.txt'), files.text('closed/a.txt')]).toEqual(['text', 'text']);
  expect(files.names()).toEqual(['closed', 'closed/a.txt', 'fixed', 'fixed/a.txt', 'secret.txt']);
});

// Only an administrator can give files to two owners.
test.runIf(process.getuid?.() === 0)('a patch that fails at its second file restores the first', async () => {
  using files = await openFiles();
  files.put('own/a.txt', 'a\n');
  files.put('shared/b.txt', 'b\n');
  mkdirSync(join(files.root, 'own/made'));
  for (const path of ['own', 'own/made', 'own/a.txt']) chownSync(join(files.root, path), 65_534, 65_534);
  chmodSync(join(files.root, 'shared'), 0o1777);
  const change = (path: string, from: string): string => `--- ${path}\n+++ ${path}\n@@ -1,1 +1,1 @@\n-${from}\n+new\n`;
  const made = '--- /dev/null\n+++ own/made/c.txt\n@@ -0,0 +1,1 @@\n+new\n';
  // In a folder with the sticky bit every user may create files, but not replace those of others.
  const patch = change('own/a.txt', 'a') + made + change('shared/b.txt', 'b');
  expect(await outcomes(files, [['diff_apply', { patch }]])).toEqual(['E_FILE_FORBIDDEN']);
  expect([files.text('own/a.txt'), files.text('shared/b.txt')]).toEqual(['a\n', 'b\n']);
  expect(files.names()).toEqual(['own', 'own/a.txt', 'own/made', 'shared', 'shared/b.txt']);
});
