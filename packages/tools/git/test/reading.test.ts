import { createTestBlobs } from '@ravi/testkit';
import { expect, test } from 'vitest';
import { createGitFolder } from './support/git-folder.ts';

test('git_status names the branch and each file with its state', async () => {
  await using folder = await createGitFolder();
  expect(await folder.value('git_status')).toMatchObject({ branch: 'main', files: [] });
  folder.write('a.txt', 'one\ntwo\nfour\n');
  folder.write('new file\nwith a line.txt', 'x');
  folder.write('staged.txt', 'x');
  folder.git('add', 'staged.txt');
  const { result } = await folder.call('git_status');
  expect(result.structured).toMatchObject({
    branch: 'main',
    files: expect.arrayContaining([
      { path: 'a.txt', state: 'changed', unstaged: 'modified' },
      { path: 'new file\nwith a line.txt', state: 'untracked' },
      { path: 'staged.txt', state: 'changed', staged: 'added' },
    ]),
  });
  expect(result.text).toContain('On branch main');
  folder.git('mv', 'a.txt', 'ä ö.txt');
  const { files } = await folder.value('git_status');
  expect(files).toContainEqual({
    path: 'ä ö.txt',
    from: 'a.txt',
    state: 'changed',
    staged: 'renamed',
    unstaged: 'modified',
  });
});

test('git_status works before the first commit, in a folder below the top, and counts commits to the upstream', async () => {
  await using folder = await createGitFolder();
  folder.git('branch', 'base');
  folder.git('branch', '--set-upstream-to=base');
  folder.git('commit', '--quiet', '--allow-empty', '-m', 'Second');
  folder.write('sub/b.txt', 'b');
  expect(await folder.value('git_status', { repository: 'sub' })).toMatchObject({
    upstream: 'base',
    toPush: 1,
    toPull: 0,
  });
  folder.gitIn(folder.base, 'init', '--quiet', '--initial-branch=start', 'work/inner');
  const inner = await folder.value('git_status', { repository: 'inner' });
  expect(inner).toEqual({ branch: 'start', files: [] });
  expect(await folder.value('git_log', { repository: 'inner' })).toEqual({ commits: [], more: false });
});

test('git_diff shows changes of the work tree, staged ones and those between revisions', async () => {
  await using folder = await createGitFolder();
  folder.write('a.txt', 'one\n2\nthree\n');
  expect((await folder.value('git_diff')).patch).toContain('-two\n+2');
  expect(await folder.value('git_diff', { staged: true })).toMatchObject({ files: [], patch: '' });
  folder.git('commit', '--quiet', '-am', 'Second');
  const between = await folder.value('git_diff', { from: 'HEAD~1', to: 'HEAD', paths: ['a.txt'] });
  expect(between).toMatchObject({ files: [{ path: 'a.txt', added: 1, removed: 1 }] });
  expect(await folder.value('git_diff', { from: 'HEAD~1', to: 'HEAD', paths: ['other.txt'] })).toMatchObject({
    files: [],
  });
  folder.git('switch', '--quiet', '-c', 'topic', 'HEAD~1');
  folder.write('t.bin', '\0binary');
  folder.git('add', '.');
  folder.git('commit', '--quiet', '-m', 'Topic');
  const fork = await folder.value('git_diff', { from: 'main', to: 'topic', sinceFork: true });
  expect(fork['files']).toEqual([{ path: 't.bin' }]);
});

test('a long patch becomes an artifact with all of it, and the list of files stays', async () => {
  await using folder = await createGitFolder();
  const line = 'x'.repeat(99);
  folder.write('a.txt', `${line}\n`.repeat(20_000));
  const artifactStore = createTestBlobs();
  const { result, artifacts } = await folder.call('git_diff', {}, { artifactStore });
  expect(result.status).toBe('ok');
  expect(result.structured).toMatchObject({ files: [{ path: 'a.txt', added: 20_000, removed: 3 }] });
  const { artifact, patchBytes } = result.structured as {
    readonly artifact: string;
    readonly patchBytes: number;
  };
  expect(artifacts.map(({ ref, bytes }) => [ref, bytes])).toContainEqual([artifact, patchBytes]);
  const stored = artifactStore.text(artifact);
  expect(stored.split('\n').filter((each) => each === `+${line}`)).toHaveLength(20_000);
  expect(result.text).toContain('are stored as');
});

test('git_log lists commits with exact authors and messages, and filters them', async () => {
  await using folder = await createGitFolder();
  folder.git(
    'commit',
    '--quiet',
    '--allow-empty',
    '--author=Bö "x" y <b@example.com>',
    '-m',
    'Subject: tab\there',
    '-m',
    'Body\n\nEnd',
  );
  const { commits, more } = (await folder.value('git_log', { limit: 1 })) as unknown as {
    readonly commits: readonly Record<string, unknown>[];
    readonly more: boolean;
  };
  expect(more).toBe(true);
  expect(commits).toMatchObject([
    {
      author: 'Bö "x" y',
      email: 'b@example.com',
      subject: 'Subject: tab\there',
      body: 'Body\n\nEnd',
      parents: [expect.stringMatching(/^[0-9a-f]{40}$/)],
    },
  ]);
  const subjects = async (args: object): Promise<unknown[]> =>
    (
      (await folder.value('git_log', { ...args })) as unknown as { readonly commits: { readonly subject: string }[] }
    ).commits.map(({ subject }) => subject);
  expect(await subjects({ author: 'ada@' })).toEqual(['First']);
  expect(await subjects({ message: 'Subj' })).toEqual(['Subject: tab\there']);
  expect(await subjects({ message: '.*' })).toEqual([]);
  expect(await subjects({ paths: ['a.txt'] })).toEqual(['First']);
  expect(await subjects({ revision: 'main', notIn: 'main~1' })).toEqual(['Subject: tab\there']);
  expect(await subjects({ skip: 2 })).toEqual([]);
});

test('git_show gives a commit with its patch, and the content of a file in a revision', async () => {
  await using folder = await createGitFolder();
  folder.write('a.txt', 'changed\n');
  folder.write('b.bin', '\0\u0001');
  folder.git('add', '.');
  folder.git('commit', '--quiet', '-m', 'Second');
  const shown = await folder.value('git_show', { revision: 'HEAD' });
  expect(shown).toMatchObject({ commit: { subject: 'Second' }, files: [{ path: 'a.txt' }, { path: 'b.bin' }] });
  expect(shown['patch']).toContain('+changed');
  expect(await folder.value('git_show', { revision: 'HEAD~1', path: 'a.txt' })).toMatchObject({
    content: 'one\ntwo\nthree\n',
  });
  const binary = await folder.value('git_show', { revision: 'HEAD', path: 'b.bin' });
  expect(binary).toMatchObject({ contentBytes: 2, artifact: expect.any(String) });
  expect(await folder.code('git_show', { revision: 'HEAD', path: 'missing.txt' })).toMatch(/^E_GIT_/);
});

test('git_blame names the commit of each line, and of lines that are not committed', async () => {
  await using folder = await createGitFolder();
  folder.write('a.txt', 'one\n2\nthree\n');
  const { lines } = (await folder.value('git_blame', { path: 'a.txt' })) as unknown as {
    readonly lines: readonly object[];
  };
  expect(lines).toMatchObject([
    { line: 1, author: 'Ada', subject: 'First', text: 'one' },
    { line: 2, hash: '0'.repeat(40), text: '2' },
    { line: 3, author: 'Ada', text: 'three' },
  ]);
  const one = await folder.value('git_blame', { path: 'a.txt', firstLine: 3, lastLine: 3, revision: 'HEAD' });
  expect(one['lines']).toHaveLength(1);
});

test('reading needs no approval and leaves the index as it is', async () => {
  await using folder = await createGitFolder();
  folder.git('branch', 'x');
  const calls: readonly (readonly [string, object])[] = [
    ['git_status', {}],
    ['git_diff', {}],
    ['git_log', {}],
    ['git_show', { revision: 'HEAD' }],
    ['git_blame', { path: 'a.txt' }],
    ['git_branch', { action: 'list' }],
    ['git_stash', { action: 'list' }],
    ['git_clean', { dryRun: true }],
  ];
  for (const [name, args] of calls) {
    const { result, approvals } = await folder.call(name, { ...args }, { approves: false });
    expect([name, result.status, approvals.length]).toEqual([name, 'ok', 0]);
  }
});
