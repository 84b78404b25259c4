import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createGitFolder } from './support/git-folder.ts';
import { leftovers, writeHook } from './support/repository-files.ts';

test('a linked work tree and a submodule are used with their own branch, index and log', async () => {
  await using folder = await createGitFolder({ protocols: ['file'] });
  folder.git('worktree', 'add', '--quiet', '-b', 'side', 'tree');
  folder.write('tree/a.txt', 'side\n');
  expect(await folder.value('git_status', { repository: 'tree' })).toMatchObject({
    branch: 'side',
    files: [{ path: 'a.txt', state: 'changed' }],
  });
  await folder.value('git_commit', { repository: 'tree', message: 'Side', paths: ['a.txt'] });
  expect(folder.git('log', '--format=%s', 'side').trim().split('\n')).toEqual(['Side', 'First']);
  expect(folder.gitIn(join(folder.root, 'tree'), 'status', '--porcelain')).toBe('');
  expect(folder.gitIn(join(folder.root, 'tree'), 'log', '--walk-reflogs', '--format=%gs', '-1')).toContain('commit');
  // A branch of another work tree is not switched to, and the own one is.
  expect(await folder.code('git_switch', { branch: 'side' })).toBe('E_GIT_FAILED');
  expect(await folder.code('git_switch', { repository: 'tree', branch: 'main' })).toBe('E_GIT_FAILED');
  expect(await folder.code('git_switch', { repository: 'tree', branch: 'side' })).toBe('ok');

  folder.gitIn(folder.root, 'init', '--quiet', '--initial-branch=main', 'inner');
  folder.write('inner/b.txt', 'b\n');
  folder.gitIn(join(folder.root, 'inner'), 'add', '.');
  folder.gitIn(join(folder.root, 'inner'), 'commit', '--quiet', '-m', 'Inner');
  folder.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', './inner', 'sub');
  folder.write('sub/b.txt', 'changed\n');
  await folder.value('git_commit', { repository: 'sub', message: 'In the submodule', paths: ['b.txt'] });
  expect(folder.gitIn(join(folder.root, 'sub'), 'log', '-1', '--format=%s').trim()).toBe('In the submodule');
  expect(leftovers(folder)).toEqual([]);
  folder.git('fsck', '--strict');
});

test('settings of a branch follow it, and the rest of the configuration stays byte for byte', async () => {
  await using folder = await createGitFolder({ protocols: ['file'] });
  folder.gitIn(folder.root, 'clone', '--quiet', '--bare', '.', 'remote.git');
  folder.git('remote', 'add', 'origin', 'remote.git');
  const config = join(folder.root, '.git/config');
  writeFileSync(config, `# by hand\n${readFileSync(config, 'utf8')}[alias]\n\tx = status ; kept\n`);
  const before = readFileSync(config, 'utf8');
  await folder.value('git_push', { branch: 'main', setUpstream: true });
  expect(readFileSync(config, 'utf8')).toBe(`${before}[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n`);
  expect(folder.git('rev-parse', 'origin/main')).toBe(folder.git('rev-parse', 'main'));
  await folder.value('git_branch', { action: 'rename', name: 'main', newName: 'main/inner' });
  expect(folder.git('config', 'branch.main/inner.merge').trim()).toBe('refs/heads/main');
  expect(folder.git('symbolic-ref', 'HEAD').trim()).toBe('refs/heads/main/inner');
  await folder.value('git_branch', { action: 'rename', name: 'main/inner', newName: 'main' });
  await folder.value('git_switch', { branch: 'other', create: true });
  await folder.value('git_branch', { action: 'delete', name: 'main', force: true });
  expect(readFileSync(config, 'utf8')).toBe(before);
  expect(folder.git('branch', '--format=%(refname:short)').trim()).toBe('other');
  expect(leftovers(folder)).toEqual([]);
});

test('packed refs and the settings of a work tree count', async () => {
  await using folder = await createGitFolder();
  folder.git('branch', 'packed');
  folder.git('pack-refs', '--all');
  await folder.value('git_branch', { action: 'delete', name: 'packed' });
  expect(folder.git('branch', '--format=%(refname:short)').trim()).toBe('main');
  folder.git('config', 'extensions.worktreeConfig', 'true');
  folder.git('config', '--worktree', 'filter.evil.clean', folder.trap('clean'));
  const { result } = await folder.call('git_add', { paths: ['.'] });
  expect([result.error?.code, result.text]).toEqual(['E_GIT_UNTRUSTED', expect.stringContaining('filter.evil.clean')]);
  expect(folder.git('config', 'extensions.worktreeConfig').trim()).toBe('true');
});

test('what another program changes while git works is not overwritten', async () => {
  await using folder = await createGitFolder({ hooks: true });
  const other = 'env -u GIT_DIR -u GIT_COMMON_DIR -u GIT_INDEX_FILE -u GIT_WORK_TREE git';
  writeHook(folder, 'pre-commit', `${other} commit --quiet --no-verify --allow-empty -m Other`);
  folder.write('a.txt', 'x\n');
  const { result } = await folder.call('git_commit', { message: 'Mine', paths: ['a.txt'] });
  expect(result.error?.code).toBe('E_GIT_CHANGED');
  expect(result.text).not.toContain(folder.base);
  expect(folder.git('log', '--format=%s').trim().split('\n')).toEqual(['Other', 'First']);
  expect(leftovers(folder)).toEqual([]);
  rmSync(join(folder.root, '.git/hooks/pre-commit'));
  expect(await folder.code('git_commit', { message: 'Mine', paths: ['a.txt'] })).toBe('ok');
});

test('private copies are removed, and are not made in the workspace', async () => {
  await using folder = await createGitFolder();
  mkdirSync(join(folder.base, 'private'));
  mkdirSync(join(folder.root, 'tmp'));
  await using own = await createGitFolder({ privateFolder: join(folder.base, 'private') });
  own.write('a.txt', 'x\n');
  for (const [name, args] of [
    ['git_status', {}],
    ['git_commit', { message: 'x', paths: ['a.txt'] }],
    ['git_log', { revision: 'unknown' }],
    ['git_init', { folder: 'made' }],
  ] as const)
    await own.code(name, args);
  expect(own.git('log', '-1', '--format=%s').trim()).toBe('x');
  expect(readdirSync(join(folder.base, 'private'))).toEqual([]);
  await expect(createGitFolder({ privateFolder: 'missing' })).rejects.toMatchObject({ code: 'E_CONFIG_INVALID' });
  const inside = await createGitFolder({ privateFolder: '.' });
  expect(await inside.code('git_status')).toBe('E_CONFIG_INVALID');
  await inside[Symbol.asyncDispose]();
});

test('a file whose filter the repository does not define is not staged', async () => {
  await using folder = await createGitFolder();
  folder.write('.gitattributes', '*.bin filter=lfs diff=lfs merge=lfs -text\n*.txt -filter\n*.md filter\n');
  folder.write('a.txt', 'changed\n');
  folder.write('b.md', 'new\n');
  folder.write('deep/big.bin', 'content\n');
  for (const paths of [['.'], ['a.txt', 'deep']]) {
    const { result } = await folder.call('git_add', { paths });
    expect(result.error?.code).toBe('E_GIT_FILTER');
    expect(result.text).toContain('"deep/big.bin" name the filter "lfs"');
  }
  expect(folder.git('diff', '--cached', '--name-only')).toBe('');
  expect(await folder.value('git_add', { paths: ['a.txt', 'b.md', '.gitattributes'] })).toMatchObject({
    staged: ['.gitattributes', 'a.txt', 'b.md'],
  });
  folder.git('add', 'deep/big.bin');
  folder.write('deep/big.bin', 'more\n');
  expect(await folder.code('git_commit', { message: 'x', paths: ['deep/big.bin'] })).toBe('E_GIT_FILTER');
});

test('a git that cannot be led to the checked address reaches no other machine over https', async () => {
  await using programs = await createGitFolder();
  const program = join(programs.root, 'git');
  for (const [version, code] of [
    ['2.36.6', 'E_GIT_VERSION'],
    ['1.99', 'E_GIT_VERSION'],
    ['2.37.0', 'E_GIT_HOST'],
    ['3.0', 'E_GIT_HOST'],
  ] as const) {
    const path = join(programs.root, version);
    mkdirSync(path);
    writeFileSync(program, `#!/bin/sh\necho 'git version ${version}'\n`);
    chmodSync(program, 0o755);
    writeFileSync(join(path, 'git'), readFileSync(program), { mode: 0o755 });
    await using folder = await createGitFolder({ environment: { PATH: `${path}:${process.env['PATH']}` } });
    const call = { address: 'https://127.0.0.1/x', folder: 'copy' };
    expect([version, await folder.code('git_clone', call)]).toEqual([version, code]);
  }
});
