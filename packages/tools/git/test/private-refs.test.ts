import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { openWorkspace } from '@ravi/tools-kit';
import { expect, test } from 'vitest';
import { copyData } from '../src/private/copy-data.ts';
import { currentState } from '../src/private/data-files.ts';
import { createGitFolder } from './support/git-folder.ts';
import type { GitFolder } from './support/git-folder.ts';
import { filesBelow, listRefs, writeHook } from './support/repository-files.ts';

const refFile = (folder: GitFolder, name: string): string => join(folder.root, '.git', name);
const packedOf = (folder: GitFolder): string => readFileSync(refFile(folder, 'packed-refs'), 'utf8');

test('git sees the same refs in a private copy, in which a thousand loose ones are one file', async () => {
  await using folder = await createGitFolder();
  folder.git('tag', '--annotate', '-m', 'x', 'packed-tag');
  for (const name of ['both', 'packed/inner', 'grün']) folder.git('branch', name);
  folder.git('pack-refs', '--all');
  folder.git('commit', '--quiet', '--allow-empty', '-m', 'Second');
  folder.git('branch', '--force', 'both');
  folder.git('tag', '--annotate', '-m', 'x', 'loose-tag');
  folder.git('branch', 'über');
  folder.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/heads/both');
  folder.git('update-ref', 'refs/bisect/bad', 'HEAD');
  const head = folder.git('rev-parse', 'HEAD');
  for (let index = 0; index < 1_000; index += 1) folder.write(`.git/refs/tags/v${index}.0`, head);

  const target = join(folder.base, 'copy');
  const data = { workspace: openWorkspace(folder.root), path: '.git', worktree: '', hooks: false };
  const { files } = await copyData(data, target);
  symlinkSync(join(folder.root, '.git/objects'), join(target, 'objects'));
  expect(folder.gitIn(target, '--git-dir=.', ...listRefs)).toBe(folder.git(...listRefs));
  expect(folder.git(...listRefs).split('\n').length).toBeGreaterThan(1_000);
  expect(filesBelow(join(target, 'refs'))).toEqual(['bisect/bad', 'heads/über', 'remotes/origin/HEAD']);
  expect(files.get('refs/tags/v7.0')).toEqual({ original: currentState(data, 'refs/tags/v7.0'), copy: undefined });
});

test('a ref is updated and deleted where the repository has it, and others stay loose or packed', async () => {
  await using folder = await createGitFolder();
  for (const name of ['packed', 'both', 'kept']) folder.git('branch', name);
  folder.git('tag', '--annotate', '-m', 'x', 'tagged', 'kept');
  folder.git('pack-refs', '--all');
  folder.git('commit', '--quiet', '--allow-empty', '-m', 'Second');
  for (const name of ['both', 'loose', 'other/inner']) folder.git('branch', '--force', name);
  const packed = packedOf(folder);

  folder.write('a.txt', 'changed\n');
  await folder.value('git_commit', { message: 'Third', paths: ['a.txt'] });
  await folder.value('git_branch', { action: 'delete', name: 'loose' });
  expect(packedOf(folder)).toBe(packed);
  expect(existsSync(refFile(folder, 'refs/heads/loose'))).toBe(false);
  expect(readFileSync(refFile(folder, 'refs/heads/other/inner'), 'utf8')).toBe(folder.git('rev-parse', 'HEAD~1'));

  await folder.value('git_branch', { action: 'delete', name: 'both' });
  await folder.value('git_branch', { action: 'delete', name: 'packed' });
  expect(existsSync(refFile(folder, 'refs/heads/both'))).toBe(false);
  const kept = packed.split('\n').filter((line) => !/heads\/(?:both|packed)$/.test(line));
  expect(packedOf(folder)).toBe(kept.join('\n'));
  expect(folder.git('branch', '--format=%(refname:short)').trim().split('\n')).toEqual(['kept', 'main', 'other/inner']);
  expect(folder.git('log', '--format=%s').trim().split('\n')).toEqual(['Third', 'Second', 'First']);
  folder.git('fsck', '--strict');
});

test('the log of a branch is read, continued and moved with it', async () => {
  await using folder = await createGitFolder();
  folder.git('commit', '--quiet', '--allow-empty', '-m', 'Second');
  folder.git('branch', 'side');
  expect(await folder.value('git_log', { revision: 'main@{1}' })).toMatchObject({ commits: [{ subject: 'First' }] });
  await folder.value('git_switch', { branch: 'side' });
  folder.write('a.txt', 'changed\n');
  await folder.value('git_commit', { message: 'Third', paths: ['a.txt'] });
  await folder.value('git_branch', { action: 'rename', name: 'side', newName: 'moved' });
  const log = folder.git('log', '--walk-reflogs', '--format=%gs', 'moved').trim().split('\n');
  expect(log).toEqual([
    expect.stringContaining('renamed'),
    expect.stringMatching(/^commit.*Third$/),
    expect.stringContaining('Created'),
  ]);
  expect(folder.exists('.git/logs/refs/heads/side')).toBe(false);
  folder.git('config', 'core.logAllRefUpdates', 'false');
  await folder.value('git_reset', { mode: 'soft', revision: 'main' });
  expect(folder.git('log', '--walk-reflogs', '--format=%gs', 'moved').trim().split('\n')).toHaveLength(4);
});

test('refs that a hook packs in the private copy keep their values', async () => {
  await using folder = await createGitFolder({ hooks: true });
  folder.git('branch', 'side');
  writeHook(folder, 'post-commit', 'git pack-refs --all && git update-ref -d refs/heads/side');
  folder.write('a.txt', 'changed\n');
  const value = await folder.value('git_commit', { message: 'Second', paths: ['a.txt'] });
  expect(folder.git('log', '-1', '--format=%s', 'main').trim()).toBe('Second');
  expect(folder.git('branch', '--format=%(refname:short)').trim()).toBe('main');
  expect(JSON.stringify(value)).toContain(folder.git('rev-parse', 'main').trim());
  folder.git('fsck', '--strict');
});

test('a packed-refs that git cannot read is an error that names the line', async () => {
  await using folder = await createGitFolder();
  folder.write('.git/packed-refs', `# pack-refs with: peeled \nno digest\n`);
  const { result } = await folder.call('git_status');
  expect([result.error?.code, result.text]).toEqual(['E_GIT_FAILED', expect.stringContaining('Line 2')]);
});
