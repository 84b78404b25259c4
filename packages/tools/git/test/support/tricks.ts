import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GitOptions } from '../../src/index.ts';
import { createGitFolder } from './git-folder.ts';
import type { GitFolder } from './git-folder.ts';

/** Every action on a repository that has two branches, a remote in the workspace and changes. Most fail in a hostile one, and that is fine. */
export const actions: readonly (readonly [name: string, args: object])[] = [
  ['git_status', {}],
  ['git_diff', {}],
  ['git_diff', { from: 'main', to: 'topic', sinceFork: true }],
  ['git_diff', { staged: true }],
  ['git_log', { paths: ['a.txt'] }],
  ['git_log', {}],
  ['git_show', { revision: 'topic' }],
  ['git_show', { revision: 'HEAD', path: 'a.txt' }],
  ['git_blame', { path: 'a.txt' }],
  ['git_branch', { action: 'list' }],
  ['git_branch', { action: 'create', name: 'made' }],
  ['git_branch', { action: 'delete', name: 'made', force: true }],
  ['git_stash', { action: 'push', untracked: true }],
  ['git_stash', { action: 'list' }],
  ['git_stash', { action: 'pop' }],
  ['git_add', { paths: ['.'] }],
  ['git_commit', { message: 'hostile' }],
  ['git_commit', { message: 'again', amend: true, paths: ['a.txt'] }],
  ['git_restore', { paths: ['a.txt'], target: 'both' }],
  ['git_reset', { mode: 'hard', revision: 'HEAD' }],
  ['git_merge', { revision: 'topic', fastForward: 'never' }],
  ['git_merge', { action: 'continue' }],
  ['git_merge', { action: 'abort' }],
  ['git_switch', { branch: 'topic', discardChanges: true }],
  ['git_rebase', { onto: 'main' }],
  ['git_rebase', { action: 'continue' }],
  ['git_rebase', { action: 'abort' }],
  ['git_clean', { folders: true }],
  ['git_fetch', {}],
  ['git_push', { branch: 'topic', force: true }],
  ['git_clone', { address: 'remote.git', folder: 'copy' }],
];

/** Makes the repository of a folder hostile. */
export type Trick = (folder: GitFolder) => void;

function config(key: string, value: (folder: GitFolder) => string): Trick {
  return (folder) => void folder.git('config', key, value(folder));
}

function attributes(line: string): Trick {
  return ({ write, read, exists, git }) => {
    write('.gitattributes', `${exists('.gitattributes') ? read('.gitattributes') : ''}${line}\n`);
    git('add', '.gitattributes');
  };
}

function program(path: string, name: string): Trick {
  return (folder) => {
    const file = join(folder.root, path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, readFileSync(folder.trap(name)));
    chmodSync(file, 0o755);
  };
}

/** Joins tricks. */
export const all =
  (...tricks: readonly Trick[]): Trick =>
  (folder) => {
    for (const trick of tricks) trick(folder);
  };

const hookNames = [
  'pre-commit',
  'prepare-commit-msg',
  'commit-msg',
  'post-commit',
  'post-checkout',
  'post-merge',
  'pre-merge-commit',
  'pre-rebase',
  'post-rewrite',
  'pre-push',
  'reference-transaction',
  'post-index-change',
  'pre-auto-gc',
  'fsmonitor-watchman',
];

/** Ways in which a repository could start a program, by name. */
export const tricks: Readonly<Record<string, Trick>> = {
  hooks: all(...hookNames.map((name) => program(`.git/hooks/${name}`, `hook-${name}`))),
  'core.hooksPath': all(
    config('core.hooksPath', () => 'evil'),
    ...hookNames.map((name) => program(`evil/${name}`, `path-${name}`)),
  ),
  'core.fsmonitor': config('core.fsmonitor', (folder) => folder.trap('fsmonitor')),
  'core.pager': all(
    config('core.pager', (folder) => folder.trap('pager')),
    config('pager.log', (folder) => folder.trap('pager-log')),
    config('pager.diff', (folder) => folder.trap('pager-diff')),
  ),
  'core.editor': all(
    config('core.editor', (folder) => folder.trap('editor')),
    config('sequence.editor', (folder) => folder.trap('sequence-editor')),
  ),
  'core.sshCommand': all(
    config('core.sshCommand', (folder) => folder.trap('ssh')),
    config('remote.origin.url', () => 'ssh://localhost/repository'),
  ),
  'core.gitProxy': all(
    config('core.gitProxy', (folder) => folder.trap('git-proxy')),
    config('remote.origin.url', () => 'git://localhost/repository'),
  ),
  'credential.helper': all(
    config('credential.helper', (folder) => `!${folder.trap('credential')}`),
    config('credential.https://127.0.0.1.helper', (folder) => `!${folder.trap('credential-url')}`),
    config('core.askPass', (folder) => folder.trap('askpass')),
    config('remote.origin.url', () => 'https://127.0.0.1:1/repository'),
  ),
  'ext:: remote': all(
    config('protocol.ext.allow', () => 'always'),
    config('remote.origin.url', (folder) => `ext::${folder.trap('ext')}`),
  ),
  'remote helper by vcs': all(
    config('protocol.allow', () => 'always'),
    config('remote.origin.vcs', () => 'ext'),
    config('remote.origin.url', (folder) => folder.trap('vcs')),
  ),
  'url.insteadOf': all(
    config('protocol.ext.allow', () => 'always'),
    (folder) =>
      void folder.git('config', `url.ext::${folder.trap('instead')} .insteadOf`, join(folder.root, 'remote.git')),
  ),
  'remote.uploadpack': all(
    config('remote.origin.uploadpack', (folder) => folder.trap('uploadpack')),
    config('remote.origin.receivepack', (folder) => folder.trap('receivepack')),
  ),
  'diff.external': config('diff.external', (folder) => folder.trap('diff-external')),
  'diff driver': all(
    attributes('*.txt diff=evil'),
    config('diff.evil.command', (folder) => folder.trap('diff-command')),
  ),
  textconv: all(
    attributes('*.txt diff=evil'),
    config('diff.evil.textconv', (folder) => folder.trap('textconv')),
  ),
  'filter driver': all(
    attributes('*.txt filter=evil'),
    config('filter.evil.clean', (folder) => folder.trap('clean')),
    config('filter.evil.smudge', (folder) => folder.trap('smudge')),
    config('filter.evil.required', () => 'true'),
  ),
  'filter process': all(
    attributes('*.txt filter=a=b.evil'),
    config('filter.a=b.evil.process', (folder) => folder.trap('process')),
  ),
  'filter of .git/info/attributes': all(
    config('filter.evil.clean', (folder) => folder.trap('info-clean')),
    ({ root }) => {
      mkdirSync(join(root, '.git/info'), { recursive: true });
      writeFileSync(join(root, '.git/info/attributes'), '* filter=evil\n');
    },
  ),
  'merge driver': all(
    attributes('*.txt merge=evil'),
    config('merge.evil.driver', (folder) => `${folder.trap('merge-driver')} %A`),
  ),
  'merge.default': all(
    config('merge.default', () => 'evil'),
    config('merge.evil.driver', (folder) => `${folder.trap('merge-default')} %A`),
  ),
  'gpg.program': all(
    config('gpg.program', (folder) => folder.trap('gpg')),
    config('gpg.openpgp.program', (folder) => folder.trap('gpg-openpgp')),
    config('commit.gpgSign', () => 'true'),
    config('log.showSignature', () => 'true'),
    config('merge.verifySignatures', () => 'true'),
    config('branch.main.mergeOptions', () => '-S'),
  ),
  'ssh signatures': all(
    config('gpg.format', () => 'ssh'),
    config('gpg.ssh.program', (folder) => folder.trap('ssh-keygen')),
    config('gpg.ssh.defaultKeyCommand', (folder) => folder.trap('ssh-key')),
    config('commit.gpgSign', () => 'true'),
  ),
  'trailer command': all(
    config('trailer.sign.cmd', (folder) => folder.trap('trailer')),
    config('trailer.sign.command', (folder) => folder.trap('trailer-command')),
    config('trailer.sign.ifmissing', () => 'add'),
  ),
  alias: all(
    ...['status', 'log', 'commit', 'diff', 'switch', 'config'].map((name) =>
      config(`alias.${name}`, (folder) => `!${folder.trap(`alias-${name}`)}`),
    ),
  ),
  'include.path': all(
    config('include.path', () => '../evil.config'),
    (folder) =>
      folder.write(
        'evil.config',
        `[core]\n\tfsmonitor = ${folder.trap('include')}\n[filter "evil"]\n\tclean = ${folder.trap('include-clean')}\n`,
      ),
    attributes('*.txt filter=evil'),
  ),
  includeIf: all(
    config('includeIf.onbranch:**.path', () => '../evil.config'),
    (folder) => folder.write('evil.config', `[filter "evil"]\n\tclean = ${folder.trap('includeif-clean')}\n`),
    attributes('*.txt filter=evil'),
  ),
  'configuration of the work tree': all(
    config('extensions.worktreeConfig', () => 'true'),
    (folder) =>
      writeFileSync(
        join(folder.root, '.git/config.worktree'),
        `[filter "evil"]\n\tclean = ${folder.trap('worktree-clean')}\n`,
      ),
    attributes('*.txt filter=evil'),
  ),
  'promised objects': all(
    config('extensions.partialClone', () => 'evil'),
    config('remote.evil.promisor', () => 'true'),
    config('remote.evil.url', ({ root }) => `file://${root}/remote.git`),
    config('remote.evil.uploadpack', (folder) => folder.trap('promised')),
    ({ root, git }) => {
      // The content of the file is missing, so git would fetch it.
      const hash = git('rev-parse', 'topic:a.txt').trim();
      rmSync(join(root, '.git/objects', hash.slice(0, 2), hash.slice(2)), { force: true });
    },
  ),
  'submodule with its own programs': (folder) => {
    folder.gitIn(folder.root, 'init', '--quiet', 'sub');
    folder.write('sub/b.txt', 'b');
    folder.gitIn(join(folder.root, 'sub'), 'add', '.');
    folder.gitIn(join(folder.root, 'sub'), 'commit', '--quiet', '-m', 'Sub');
    folder.write('.gitmodules', '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n');
    folder.git('add', 'sub', '.gitmodules');
    folder.git('config', 'submodule.sub.update', `!${folder.trap('submodule-update')}`);
    folder.git('config', 'submodule.recurse', 'true');
    folder.git('config', 'diff.submodule', 'log');
    folder.git('config', 'status.submoduleSummary', 'true');
    folder.gitIn(join(folder.root, 'sub'), 'config', 'core.fsmonitor', folder.trap('submodule-fsmonitor'));
    folder.gitIn(join(folder.root, 'sub'), 'config', 'filter.evil.clean', folder.trap('submodule-clean'));
    folder.write('sub/.gitattributes', '* filter=evil\n');
    folder.write('sub/b.txt', 'changed');
  },
  'rebase with a step that starts a program': (folder) =>
    rebaseState(folder, { 'git-rebase-todo': `exec ${folder.trap('rebase-exec')}` }),
  'rebase with a strategy that is a program': (folder) => {
    folder.write('git-merge-x/evil', `#!/bin/sh\nexec ${folder.trap('rebase-strategy')}\n`);
    chmodSync(join(folder.root, 'git-merge-x/evil'), 0o755);
    const topic = folder.git('rev-parse', 'topic').trim();
    rebaseState(folder, { 'git-rebase-todo': `pick ${topic} Topic`, strategy: 'x/evil' });
  },
  'remote with hooks': (folder) => {
    for (const name of [
      'pre-receive',
      'update',
      'post-receive',
      'post-update',
      'reference-transaction',
      'proc-receive',
      'push-to-checkout',
    ]) {
      program(`remote.git/hooks/${name}`, `remote-${name}`)(folder);
    }
    folder.gitIn(join(folder.root, 'remote.git'), 'config', 'core.hooksPath', join(folder.root, 'remote.git/hooks'));
    folder.gitIn(join(folder.root, 'remote.git'), 'config', 'core.fsmonitor', folder.trap('remote-fsmonitor'));
  },
  'remote that promises objects': (folder) => {
    const remote = join(folder.root, 'remote.git');
    folder.gitIn(remote, 'config', 'remote.evil.promisor', 'true');
    folder.gitIn(remote, 'config', 'remote.evil.url', `file://${remote}`);
    folder.gitIn(remote, 'config', 'remote.evil.uploadpack', folder.trap('remote-promised'));
    folder.gitIn(remote, 'config', 'core.repositoryFormatVersion', '1');
    folder.gitIn(remote, 'config', 'extensions.partialClone', 'evil');
    rmSync(join(remote, 'objects'), { recursive: true });
    mkdirSync(join(remote, 'objects'));
  },
};

/** Writes the data of a rebase that stopped at its first step. */
export function rebaseState(folder: GitFolder, more: Readonly<Record<string, string>>): void {
  const head = folder.git('rev-parse', 'HEAD').trim();
  const state = {
    'head-name': 'refs/heads/main',
    onto: head,
    'orig-head': head,
    end: '1',
    msgnum: '1',
    interactive: '',
    ...more,
  };
  mkdirSync(join(folder.root, '.git/rebase-merge'), { recursive: true });
  for (const [name, text] of Object.entries(state))
    writeFileSync(join(folder.root, '.git/rebase-merge', name), `${text}\n`);
}

let template: Promise<GitFolder> | undefined;

/** Makes a repository with two branches, a remote and changes, before a trick is added. */
export async function createVictim(options: GitOptions = {}): Promise<GitFolder> {
  template ??= createTemplate();
  const { root } = await template;
  return createGitFolder({ protocols: ['file', 'https', 'ssh'], ...options }, root);
}

/** Removes what {@link createVictim} copies. */
export async function removeTemplate(): Promise<void> {
  await (await template)?.[Symbol.asyncDispose]();
}

async function createTemplate(): Promise<GitFolder> {
  const folder = await createGitFolder();
  folder.git('switch', '--quiet', '-c', 'topic');
  folder.write('a.txt', 'one\ntopic\nthree\n');
  folder.git('commit', '--quiet', '-am', 'Topic');
  folder.git('switch', '--quiet', 'main');
  folder.write('a.txt', 'one\nmain\nthree\n');
  folder.git('commit', '--quiet', '-am', 'Main');
  folder.gitIn(folder.root, 'clone', '--quiet', '--bare', '.', 'remote.git');
  folder.git('remote', 'add', 'origin', 'remote.git');
  appendFileSync(join(folder.root, '.git/info/exclude'), 'remote.git\nevil\nevil.config\n');
  folder.write('new.txt', 'new\n');
  return folder;
}
