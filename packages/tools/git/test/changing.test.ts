import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createToolContext } from '@ravi/testkit';
import { expect, test } from 'vitest';
import { createGitFolder } from './support/git-folder.ts';

test('staging and committing: the approver reads what, and the commit has the configured author', async () => {
  await using folder = await createGitFolder();
  folder.write('a.txt', 'one\n2\n');
  folder.write('b.txt', 'b\n');
  expect(await folder.value('git_add', { paths: ['.'] })).toEqual({ staged: ['a.txt', 'b.txt'] });
  const { result, approvals } = await folder.call('git_commit', { message: 'Second\n\n# why\n' });
  expect(approvals).toMatchObject([{ risk: 'high', summary: 'Commit what is staged as "Second"' }]);
  expect(result.structured).toMatchObject({
    commit: { subject: 'Second', body: '# why', author: 'Robot', email: 'robot@example.com' },
  });
  expect(folder.git('log', '-1', '--format=%B%an %ce').trim()).toBe('Second\n\n# why\nRobot robot@example.com');
  expect(await folder.code('git_commit', { message: 'Nothing' })).toBe('E_GIT_NOTHING');

  folder.write('a.txt', 'only this\n');
  folder.write('b.txt', 'not this\n');
  await folder.value('git_commit', { message: 'Third', paths: ['a.txt'] });
  expect(folder.git('show', '--name-only', '--format=').trim()).toBe('a.txt');
  await folder.value('git_commit', { message: 'Better', paths: ['b.txt'], amend: true });
  expect(folder.git('log', '--format=%s').trim().split('\n')).toEqual(['Better', 'Second', 'First']);
});

test('a denied commit changes nothing', async () => {
  await using folder = await createGitFolder();
  folder.write('a.txt', 'x');
  const { record } = await folder.call('git_commit', { message: 'x', paths: ['a.txt'] }, { approves: false });
  expect(record.errorCode).toBe('E_APPROVAL_DENIED');
  expect(folder.git('log', '--format=%s').trim()).toBe('First');
});

test('branches are made, switched to, renamed and deleted', async () => {
  await using folder = await createGitFolder();
  await folder.value('git_switch', { branch: 'topic', create: true });
  folder.write('a.txt', 'topic\n');
  await folder.value('git_commit', { message: 'Topic', paths: ['a.txt'] });
  await folder.value('git_switch', { branch: 'main' });
  expect(folder.read('a.txt')).toBe('one\ntwo\nthree\n');
  await folder.value('git_branch', { action: 'rename', name: 'topic', newName: 'feature/x' });
  expect(await folder.value('git_branch', { action: 'list' })).toMatchObject({
    branches: [
      { name: 'feature/x', current: false, subject: 'Topic' },
      { name: 'main', current: true },
    ],
  });
  expect(await folder.code('git_branch', { action: 'delete', name: 'feature/x' })).toBe('E_GIT_FAILED');
  const { approvals } = await folder.call('git_branch', { action: 'delete', name: 'feature/x', force: true });
  expect(approvals).toMatchObject([{ risk: 'critical' }]);
  expect(await folder.value('git_branch', { action: 'list' })).toMatchObject({ branches: [{ name: 'main' }] });
});

test('changes are put aside, with new files and paths as they are, and brought back', async () => {
  await using folder = await createGitFolder();
  folder.write('a.txt', 'changed\n');
  folder.write('*.txt', 'a name like a pattern\n');
  await folder.value('git_stash', { action: 'push', untracked: true, paths: ['*.txt'], message: 'pattern' });
  expect([folder.exists('*.txt'), folder.read('a.txt')]).toEqual([false, 'changed\n']);
  await folder.value('git_stash', { action: 'push', untracked: true });
  expect(folder.read('a.txt')).toBe('one\ntwo\nthree\n');
  expect(await folder.value('git_stash', { action: 'list' })).toMatchObject({
    entries: [{ index: 0 }, { index: 1, subject: 'On main: pattern' }],
  });
  await folder.value('git_stash', { action: 'pop', index: 1 });
  expect(folder.read('*.txt')).toBe('a name like a pattern\n');
  await folder.value('git_stash', { action: 'apply' });
  const { approvals } = await folder.call('git_stash', { action: 'drop' });
  expect(approvals).toMatchObject([{ risk: 'critical', summary: 'Remove entry 0 of what was put aside for good' }]);
  expect([folder.read('a.txt'), await folder.value('git_stash', { action: 'list' })]).toEqual([
    'changed\n',
    { entries: [] },
  ]);
});

test('what throws work away is critical, and does that', async () => {
  await using folder = await createGitFolder();
  const risk = (name: string, args: object): unknown => folder.tool(name).classifyRisk?.({ ...args }).risk;
  expect([
    risk('git_restore', { paths: ['a'], target: 'staged' }),
    risk('git_restore', { paths: ['a'], target: 'worktree' }),
    risk('git_reset', { mode: 'soft', revision: 'HEAD' }),
    risk('git_reset', { mode: 'hard', revision: 'HEAD' }),
    risk('git_switch', { branch: 'x' }),
    risk('git_switch', { branch: 'x', discardChanges: true }),
    risk('git_clean', { dryRun: true }),
    risk('git_clean', {}),
    risk('git_push', { branch: 'x' }),
    risk('git_merge', { action: 'abort' }),
    risk('git_rebase', { action: 'abort' }),
  ]).toEqual([
    'high',
    'critical',
    'high',
    'critical',
    'high',
    'critical',
    'safe',
    'critical',
    'critical',
    'critical',
    'critical',
  ]);

  folder.write('a.txt', 'lost\n');
  folder.git('add', 'a.txt');
  await folder.value('git_restore', { paths: ['a.txt'], target: 'staged' });
  expect(folder.read('a.txt')).toBe('lost\n');
  await folder.value('git_restore', { paths: ['a.txt'], target: 'worktree' });
  expect(folder.read('a.txt')).toBe('one\ntwo\nthree\n');
  folder.write('new/deep.txt', 'x');
  folder.write('new.txt', 'x');
  expect(await folder.value('git_clean', { folders: true, dryRun: true })).toEqual({
    deleted: ['new.txt', 'new/'],
    dryRun: true,
  });
  await folder.value('git_clean', { paths: ['new'], folders: true });
  expect([folder.exists('new/deep.txt'), folder.exists('new.txt')]).toEqual([false, true]);
  folder.write('a.txt', 'lost\n');
  await folder.value('git_reset', { mode: 'hard', revision: 'HEAD' });
  expect(folder.read('a.txt')).toBe('one\ntwo\nthree\n');
});

test('a merge and a rebase stop at a conflict, and continue when it is resolved', async () => {
  await using folder = await createGitFolder();
  folder.git('switch', '--quiet', '-c', 'topic');
  folder.write('a.txt', 'topic\n');
  folder.git('commit', '--quiet', '-am', 'Topic');
  folder.git('switch', '--quiet', 'main');
  folder.write('a.txt', 'main\n');
  folder.git('commit', '--quiet', '-am', 'Main');

  expect(await folder.value('git_merge', { revision: 'topic' })).toMatchObject({
    state: 'conflict',
    conflicts: ['a.txt'],
  });
  expect(await folder.value('git_status')).toMatchObject({
    operation: 'merge',
    files: [{ path: 'a.txt', state: 'conflict' }],
  });
  await folder.value('git_merge', { action: 'abort' });
  await folder.value('git_merge', { revision: 'topic' });
  folder.write('a.txt', 'both\n');
  await folder.value('git_add', { paths: ['a.txt'] });
  expect(await folder.value('git_merge', { action: 'continue' })).toMatchObject({ state: 'done', conflicts: [] });
  expect(folder.git('log', '-1', '--format=%s').trim()).toBe("Merge branch 'topic'");

  folder.git('reset', '--quiet', '--hard', 'HEAD~1');
  folder.git('switch', '--quiet', 'topic');
  expect(await folder.value('git_rebase', { onto: 'main' })).toMatchObject({ state: 'conflict', conflicts: ['a.txt'] });
  expect(await folder.value('git_status')).toMatchObject({ operation: 'rebase' });
  folder.write('a.txt', 'both\n');
  await folder.value('git_add', { paths: ['a.txt'] });
  expect(await folder.value('git_rebase', { action: 'continue' })).toMatchObject({ state: 'done' });
  expect(folder.git('log', '--format=%s').trim().split('\n')).toEqual(['Topic', 'Main', 'First']);
});

test('a clone, a fetch and a push with a repository in the workspace', async () => {
  await using folder = await createGitFolder({ protocols: ['file'] });
  folder.gitIn(folder.root, 'clone', '--quiet', '--bare', '.', 'remote.git');
  expect(await folder.value('git_clone', { address: 'remote.git', folder: 'copy/here' })).toMatchObject({
    folder: 'copy/here',
    branch: 'main',
  });
  expect(folder.read('copy/here/a.txt')).toBe('one\ntwo\nthree\n');
  expect(await folder.code('git_clone', { address: 'remote.git', folder: 'copy/here' })).toBe('E_FILE_EXISTS');

  const repository = 'copy/here';
  folder.write('copy/here/a.txt', 'pushed\n');
  await folder.value('git_commit', { repository, message: 'Pushed', paths: ['a.txt'] });
  const { result, approvals } = await folder.call('git_push', { repository, branch: 'main', setUpstream: true });
  expect(approvals).toMatchObject([
    { risk: 'critical', summary: 'Push "main" to the branch "main" of the remote "origin"' },
  ]);
  expect(result.structured).toMatchObject({ remote: 'origin', branch: 'main' });
  expect(folder.gitIn(join(folder.root, 'remote.git'), 'log', '-1', '--format=%s').trim()).toBe('Pushed');

  folder.git('remote', 'add', 'origin', 'remote.git');
  expect(await folder.value('git_fetch')).toMatchObject({ updated: [{ branch: 'origin/main' }] });
  expect(await folder.value('git_fetch')).toEqual({ updated: [] });
  // The branch here does not have the commit of the remote, so only force replaces it.
  folder.git('commit', '--quiet', '--allow-empty', '-m', 'Other');
  expect(await folder.code('git_push', { branch: 'main' })).toBe('E_GIT_FAILED');
  await folder.value('git_push', { branch: 'main', force: true });
  expect(folder.gitIn(join(folder.root, 'remote.git'), 'log', '-1', '--format=%s').trim()).toBe('Other');
});

test('git_init makes a repository, and none over another', async () => {
  await using folder = await createGitFolder();
  expect(await folder.value('git_init', { folder: 'fresh/one', branch: 'trunk' })).toEqual({
    folder: 'fresh/one',
    branch: 'trunk',
  });
  expect(await folder.value('git_status', { repository: 'fresh/one' })).toMatchObject({ branch: 'trunk' });
  expect(await folder.code('git_init', { folder: '.' })).toBe('E_GIT_UNTRUSTED');
  expect(await folder.code('git_init', { folder: '../outside' })).toBe('E_PATH_OUTSIDE');
});

test('two commits at once are made one after the other', async () => {
  await using folder = await createGitFolder();
  folder.write('x.txt', 'x');
  folder.write('y.txt', 'y');
  folder.git('add', '.');
  const codes = await Promise.all(
    ['x.txt', 'y.txt'].map((path) => folder.code('git_commit', { message: path, paths: [path] })),
  );
  expect(codes).toEqual(['ok', 'ok']);
  expect(folder.git('log', '--format=%s').trim().split('\n').toSorted()).toEqual(['First', 'x.txt', 'y.txt']);
});

test('a locked index is an error that says so and may be repeated', async () => {
  await using folder = await createGitFolder();
  writeFileSync(join(folder.root, '.git/index.lock'), '');
  folder.write('a.txt', 'x');
  const { result } = await folder.call('git_add', { paths: ['a.txt'] }, { policy: { maxToolRetries: 0 } });
  expect(result.error).toMatchObject({ code: 'E_GIT_LOCKED' });
  expect(result.text).toContain('Another git command works on this repository');
  expect(result.text).not.toContain(folder.base);
  // Reading needs no lock.
  expect(await folder.code('git_status')).toBe('ok');
});

test('the hooks of a repository run only if the operator says so', async () => {
  for (const hooks of [false, true]) {
    await using folder = await createGitFolder({ hooks });
    writeFileSync(join(folder.root, '.git/hooks/pre-commit'), `#!/bin/sh\ntouch ran\n`, { mode: 0o755 });
    folder.write('a.txt', 'x');
    await folder.value('git_commit', { message: 'x', paths: ['a.txt'] });
    expect(folder.exists('ran')).toBe(hooks);
  }
});

test('a commit that was made before a crash is found by the mark of its call', async () => {
  await using folder = await createGitFolder();
  const tool = folder.tool('git_commit');
  const args = { message: 'Marked', paths: ['a.txt'] };
  const context = createToolContext({ cwd: folder.root, idempotencyKey: 'run-7/call-3' });
  const ask = (key: string): unknown => tool.reconcile?.(args, key, context);
  expect(await ask('run-7/call-3')).toEqual({ happened: false });
  folder.write('a.txt', 'marked\n');
  const made = await tool.execute(args, context);
  folder.git('commit', '--quiet', '--allow-empty', '-m', 'Later');
  expect(await ask('run-7/call-3')).toEqual({ happened: true, result: made });
  expect(await ask('run-7/call-4')).toEqual({ happened: false });
  // The mark is not part of the commit.
  expect(folder.git('cat-file', 'commit', 'HEAD~1')).not.toContain('call');
  // A commit that is no longer part of the branch: a person has to look.
  folder.git('reset', '--quiet', '--hard', 'HEAD~2');
  expect(await ask('run-7/call-3')).toBe('unknown');
});
