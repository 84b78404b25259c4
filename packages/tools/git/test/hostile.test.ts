import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createGitFolder } from './support/git-folder.ts';
import { actions, all, createVictim, rebaseState, removeTemplate, tricks } from './support/tricks.ts';
import type { Trick } from './support/tricks.ts';

afterAll(removeTemplate);

type Action = (typeof actions)[number];

async function springs(trick: Trick, chosen: readonly Action[]): Promise<readonly string[]> {
  await using folder = await createVictim();
  trick(folder);
  // Setting one up with the system's git may have sprung it.
  for (const file of folder.sprung()) rmSync(join(folder.base, 'canaries', file));
  folder.write('a.txt', 'one\nchanged\nthree\n');
  for (const [tool, args] of chosen) await folder.code(tool, { ...args });
  return folder.sprung();
}

/** Tricks that the tools switch off, so that one repository can have all of them and every action is tried. */
const together = [
  'hooks',
  'core.fsmonitor',
  'core.pager',
  'core.editor',
  'diff.external',
  'diff driver',
  'textconv',
  'ssh signatures',
  'trailer command',
  'alias',
  'remote.uploadpack',
  'remote with hooks',
  'submodule with its own programs',
];

test('no action starts a program of a repository that has many', async () => {
  const tried = together.map((name) => tricks[name] as Trick);
  expect(await springs(all(...tried), actions)).toEqual([]);
});

const reading = actions.slice(0, 9);
const staging: readonly Action[] = [
  ['git_add', { paths: ['a.txt'] }],
  ['git_commit', { message: 'x', paths: ['a.txt'] }],
];
const stash: Action = ['git_stash', { action: 'push' }];
const restore: Action = ['git_restore', { paths: ['a.txt'], target: 'worktree' }];
const reset: Action = ['git_reset', { mode: 'hard', revision: 'HEAD' }];
const switched: Action = ['git_switch', { branch: 'topic', discardChanges: true }];
const merge: Action = ['git_merge', { revision: 'topic' }];
const rebase: Action = ['git_rebase', { onto: 'topic' }];
const network: readonly Action[] = [
  ['git_fetch', {}],
  ['git_push', { branch: 'topic' }],
  ['git_clone', { address: 'remote.git', folder: 'copy' }],
];
const content = [...staging, stash, restore, reset, switched];

/** Actions that could obey a trick. `RAVI_GIT_TRICKS=all` tries every action with every trick, which takes minutes. */
const relevant: Readonly<Record<string, readonly Action[]>> = {
  'core.hooksPath': [...staging, switched, ...network],
  'core.sshCommand': network,
  'core.gitProxy': network,
  'credential.helper': network,
  'ext:: remote': network,
  'remote helper by vcs': network,
  'url.insteadOf': network,
  'filter driver': [...reading, ...content],
  'filter process': [...reading, ...content],
  'filter of .git/info/attributes': [...reading.slice(0, 2), ...content],
  'merge driver': [stash, reset, merge, rebase],
  'merge.default': [stash, reset, merge, rebase],
  'gpg.program': [['git_log', {}], ...staging, reset, merge],
  'include.path': [['git_status', {}], ['git_diff', {}], ...staging],
  includeIf: [['git_status', {}], ...staging],
  'configuration of the work tree': [['git_status', {}], ['git_diff', {}], ...staging],
  'promised objects': [...reading, switched, merge],
  'rebase with a step that starts a program': [
    reset,
    ['git_rebase', { action: 'continue' }],
    ['git_rebase', { action: 'skip' }],
    ['git_rebase', { action: 'abort' }],
  ],
  'rebase with a strategy that is a program': [
    ['git_rebase', { action: 'continue' }],
    ['git_rebase', { action: 'skip' }],
    ['git_rebase', { action: 'abort' }],
  ],
  'remote that promises objects': network,
};

const isLong = process.env['RAVI_GIT_TRICKS'] === 'all';

for (const [name, trick] of Object.entries(tricks)) {
  if (together.includes(name) && !isLong) continue;
  test(`a repository starts no program: ${name}`, async () => {
    const chosen = isLong ? actions : relevant[name];
    if (chosen === undefined) throw new TypeError(`No action is listed for ${name}`);
    expect(await springs(trick, chosen)).toEqual([]);
  });
}

test('a rebase whose data names a foreign strategy, an option or a patch is refused', async () => {
  await using folder = await createVictim();
  const refused: readonly (readonly [file: string, text: string])[] = [
    ['rebase-merge/strategy', 'x/evil'],
    ['rebase-merge/strategy', ''],
    ['rebase-merge/strategy', 'ort '],
    ['rebase-merge/strategy_opts', '--x'],
    ['rebase-merge/gpg_sign_opt', '-S'],
    ['rebase-apply/next', '1'],
  ];
  for (const [file, text] of refused) {
    rebaseState(folder, { 'git-rebase-todo': 'noop' });
    folder.write(`.git/${file}`, `${text}\n`);
    for (const action of ['continue', 'skip', 'abort'])
      expect([file, text, await folder.code('git_rebase', { action })]).toEqual([file, text, 'E_GIT_UNTRUSTED']);
    for (const name of ['rebase-merge', 'rebase-apply'])
      rmSync(join(folder.root, '.git', name), { recursive: true, force: true });
  }
  rebaseState(folder, { 'git-rebase-todo': 'noop', strategy: 'ort' });
  expect(await folder.code('git_rebase', { action: 'abort' })).toBe('ok');
});

test('the same actions work in a repository without tricks', async () => {
  await using folder = await createVictim();
  folder.write('a.txt', 'one\nchanged\nthree\n');
  const ends: string[] = [];
  for (const [tool, args] of actions) {
    const { result } = await folder.call(tool, { ...args });
    if (result.error !== undefined) ends.push(`${tool} ${JSON.stringify(args)}: ${result.text}`);
  }
  // The merge stops at a conflict, which has to be resolved before it continues.
  expect(ends).toEqual([expect.stringMatching(/^git_merge \{"action":"continue"\}: .*unmerged/)]);
});

test('the traps are real: the system git starts them', async () => {
  await using folder = await createVictim();
  for (const name of ['hooks', 'core.fsmonitor', 'filter driver', 'textconv', 'diff driver']) tricks[name]?.(folder);
  folder.write('a.txt', 'one\nchanged\nthree\n');
  folder.git('diff');
  folder.git('status');
  folder.git('commit', '--quiet', '-am', 'Sprung');
  const { sprung } = folder;
  expect(sprung()).toEqual(
    expect.arrayContaining(['clean', 'diff-command', 'fsmonitor', 'hook-pre-commit', 'hook-post-commit']),
  );
});

const unusable: Readonly<Record<string, Trick>> = {
  '.git that is a link': ({ root, base, gitIn }) => {
    gitIn(base, 'clone', '--quiet', 'work', 'other');
    rmSync(join(root, '.git'), { recursive: true });
    symlinkSync(join(base, 'other/.git'), join(root, '.git'));
  },
  '.git file that points outside': ({ root, base, gitIn }) => {
    gitIn(base, 'clone', '--quiet', 'work', 'other');
    rmSync(join(root, '.git'), { recursive: true });
    writeFileSync(join(root, '.git'), `gitdir: ${join(base, 'other/.git')}\n`);
  },
  'commondir outside': ({ root }) => writeFileSync(join(root, '.git/commondir'), '../../other/.git\n'),
  'objects of a folder outside': ({ root, base }) => {
    mkdirSync(join(root, '.git/objects/info'), { recursive: true });
    writeFileSync(join(root, '.git/objects/info/alternates'), `${join(base, 'other/objects')}\n`);
  },
  'log that is a link to a file outside': ({ root, base }) => {
    rmSync(join(root, '.git/logs/HEAD'));
    symlinkSync(join(base, 'profile'), join(root, '.git/logs/HEAD'));
  },
  'refs in a folder outside': ({ root, base }) => {
    mkdirSync(join(base, 'refs'));
    symlinkSync(join(base, 'refs'), join(root, '.git/refs/tags/evil'));
  },
  'configuration that is a link': ({ root, base }) => {
    rmSync(join(root, '.git/config'));
    symlinkSync(join(base, 'config'), join(root, '.git/config'));
  },
};

for (const [name, trick] of Object.entries(unusable)) {
  test(`a repository whose data is elsewhere is refused: ${name}`, async () => {
    await using folder = await createGitFolder();
    trick(folder);
    for (const [tool, args] of [
      ['git_status', {}],
      ['git_commit', { message: 'x' }],
    ] as const) {
      const { result } = await folder.call(tool, args);
      expect(result.error?.code).toBe('E_GIT_UNTRUSTED');
      expect(result.text).not.toContain(folder.base);
    }
  });
}

test('core.worktree of a repository does not move its files outside', async () => {
  await using folder = await createGitFolder();
  mkdirSync(join(folder.base, 'outside'));
  writeFileSync(join(folder.base, 'outside/secret.txt'), 'secret');
  folder.git('config', 'core.worktree', join(folder.base, 'outside'));
  expect(await folder.value('git_status')).toMatchObject({ files: [] });
  expect(await folder.value('git_clean', { dryRun: true })).toMatchObject({ deleted: [] });
});

test('blame does not quote a file outside that the configuration names', async () => {
  await using folder = await createGitFolder();
  writeFileSync(join(folder.base, 'secret.txt'), 'hunter2 is the password\n');
  folder.git('config', 'blame.ignoreRevsFile', join(folder.base, 'secret.txt'));
  const { result } = await folder.call('git_blame', { path: 'a.txt' });
  expect(result.error?.code).toBe('E_GIT_UNTRUSTED');
  expect(result.text).toContain('blame.ignorerevsfile');
  expect(result.text).not.toContain('hunter2');
  expect(result.text).not.toContain(folder.base);
  // Other tools do not read it.
  expect(await folder.code('git_log')).toBe('ok');
});

test('a repository above the workspace is not found', async () => {
  await using folder = await createGitFolder();
  rmSync(join(folder.root, '.git'), { recursive: true });
  folder.gitIn(folder.base, 'init', '--quiet');
  expect(await folder.code('git_status')).toBe('E_GIT_NO_REPOSITORY');
});
