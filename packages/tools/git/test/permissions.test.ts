import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { callUnprivileged } from '@ravi/testkit/unprivileged';
import type { UnprivilegedCalls } from '@ravi/testkit/unprivileged';
import { expect, test } from 'vitest';
import { createGitFolder } from './support/git-folder.ts';
import type { GitFolder } from './support/git-folder.ts';

const plugin = join(import.meta.dirname, '../src/index.ts');

/** Makes calls as a user to whom everything in the folder belongs, and who is not an administrator. */
async function outcomes(folder: GitFolder, calls: UnprivilegedCalls['calls']): Promise<readonly string[]> {
  const { root, base } = folder;
  chmodSync(base, 0o755);
  if (process.getuid?.() === 0) execFileSync('chown', ['-R', '65534:65534', root]);
  const options = { root, identity: { name: 'Robot', email: 'robot@example.com' } };
  const made = await callUnprivileged({ plugin, options, folder: root, calls });
  execFileSync('chmod', ['-R', 'u+rwX', root]);
  for (const { text } of made) expect(text).not.toContain(base);
  return made.map(({ code }, index) => `${calls[index]?.[0]} ${code}`);
}

test('a file that may not be read is named, and the others are read', async () => {
  await using folder = await createGitFolder();
  folder.write('a.txt', 'one\nchanged\n');
  folder.write('b.txt', 'new\n');
  mkdirSync(join(folder.root, 'closed'));
  for (const name of ['a.txt', 'closed']) chmodSync(join(folder.root, name), 0o000);
  const calls = [
    ['git_add', { paths: ['a.txt'] }],
    ['git_diff', {}],
    ['git_status', { repository: 'closed' }],
    ['git_init', { folder: 'closed/new' }],
    ['git_status', {}],
    ['git_add', { paths: ['b.txt'] }],
  ] as const;
  expect(await outcomes(folder, calls)).toEqual([
    'git_add E_FILE_FORBIDDEN',
    'git_diff E_FILE_FORBIDDEN',
    'git_status E_FILE_FORBIDDEN',
    'git_init E_FILE_FORBIDDEN',
    'git_status ok',
    'git_add ok',
  ]);
  expect(folder.git('-c', 'safe.directory=*', 'diff', '--cached', '--name-only').trim()).toBe('b.txt');
});

test('a repository that may not be written can be read, and nothing of it changes', async () => {
  await using folder = await createGitFolder();
  folder.write('a.txt', 'one\nchanged\n');
  folder.write('fixed/new.txt', 'new\n');
  execFileSync('chmod', ['-R', 'a-w', join(folder.root, '.git'), join(folder.root, 'fixed')]);
  const calls = [
    ['git_status', {}],
    ['git_log', {}],
    ['git_add', { paths: ['a.txt'] }],
    ['git_commit', { message: 'x', paths: ['a.txt'] }],
    ['git_branch', { action: 'create', name: 'topic' }],
    ['git_clean', { folders: true }],
    ['git_init', { folder: 'fixed/inner' }],
  ] as const;
  expect(await outcomes(folder, calls)).toEqual([
    'git_status ok',
    'git_log ok',
    'git_add E_FILE_FORBIDDEN',
    'git_commit E_FILE_FORBIDDEN',
    'git_branch E_FILE_FORBIDDEN',
    'git_clean E_FILE_FORBIDDEN',
    'git_init E_FILE_FORBIDDEN',
  ]);
  expect(folder.git('-c', 'safe.directory=*', 'log', '--format=%s').trim()).toBe('First');
  expect(folder.read('fixed/new.txt')).toBe('new\n');
});

test('a repository that may not be read is an error, and not a missing one', async () => {
  await using folder = await createGitFolder();
  writeFileSync(join(folder.root, '.git/refs/heads/closed'), '');
  chmodSync(join(folder.root, '.git'), 0o000);
  expect(
    await outcomes(folder, [
      ['git_status', {}],
      ['git_log', {}],
    ]),
  ).toEqual(['git_status E_FILE_FORBIDDEN', 'git_log E_FILE_FORBIDDEN']);
  chmodSync(join(folder.root, '.git/refs/heads'), 0o000);
  expect(await outcomes(folder, [['git_status', {}]])).toEqual(['git_status E_FILE_FORBIDDEN']);
});
