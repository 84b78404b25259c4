import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { GitFolder } from './support/git-folder.ts';
import { createVictim, removeTemplate } from './support/tricks.ts';
import type { actions } from './support/tricks.ts';

afterAll(removeTemplate);

type Action = (typeof actions)[number];

/** Rounds of each attack. `RAVI_GIT_RACES=100` makes the long variant, which takes an hour. */
const rounds = Number(process.env['RAVI_GIT_RACES'] ?? 1);

/** Configuration that starts programs in all ways that no option switches off. */
function evilConfig({ root, trap }: GitFolder): string {
  return [
    readFileSync(join(root, '.git/config'), 'utf8'),
    `[filter "evil"]\n\tclean = ${trap('clean')}\n\tsmudge = ${trap('smudge')}`,
    `[merge "evil"]\n\tdriver = ${trap('driver')} %A`,
    `[diff "evil"]\n\ttextconv = ${trap('textconv')}\n\tcommand = ${trap('command')}`,
    `[core]\n\tfsmonitor = ${trap('fsmonitor')}\n\tsshCommand = ${trap('ssh')}\n\tgitProxy = ${trap('proxy')}`,
    `[credential]\n\thelper = !${trap('credential')}`,
    `[remote "origin"]\n\tuploadpack = ${trap('uploadpack')}\n\treceivepack = ${trap('receivepack')}`,
    `[url "ext::${trap('instead')} "]\n\tinsteadOf = file://`,
    '',
  ].join('\n');
}

function outsideOf({ base }: GitFolder): string {
  return join(base, 'attack');
}

function put(folder: GitFolder, name: string, text: string): void {
  writeFileSync(join(outsideOf(folder), name), text);
}

function attributesFor(folder: GitFolder): void {
  writeFileSync(join(folder.root, '.git/info/attributes'), '*.txt merge=evil diff=evil\nb.txt filter=evil\n');
}

function linkTargets(folder: GitFolder): void {
  for (const name of ['logs-HEAD', 'packed-refs']) put(folder, `target-${name}`, 'of the user\n');
  mkdirSync(join(outsideOf(folder), 'folder'));
}

/** Returns the files outside of the workspace and their content, without those that the attacker is writing. */
function contentOf(outside: string): Readonly<Record<string, string>> {
  const entries = readdirSync(outside, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('next-'));
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'latin1')]),
  );
}

interface Attack {
  /** Makes the files of the attacker. */
  readonly prepare: (folder: GitFolder) => void;
  readonly actions: readonly Action[];
  /** Code that an end must have had for the race to count. Default: `ok`. */
  readonly met?: string;
}

const add: Action = ['git_add', { paths: ['a.txt'] }];
const commit: Action = ['git_commit', { message: 'x' }];
const look: Action = ['git_status', {}];
const diff: Action = ['git_diff', {}];
const stash: Action = ['git_stash', { action: 'push' }];
const pop: Action = ['git_stash', { action: 'pop' }];
const restore: Action = ['git_restore', { paths: ['b.txt'], target: 'both', source: 'HEAD' }];
const reset: Action = ['git_reset', { mode: 'hard', revision: 'HEAD' }];
const merge: Action = ['git_merge', { revision: 'topic' }];
const abort: Action = ['git_merge', { action: 'abort' }];
const fetch: Action = ['git_fetch', {}];
const push: Action = ['git_push', { branch: 'topic', force: true }];
const branch: Action = ['git_branch', { action: 'create', name: 'made' }];
const remove: Action = ['git_branch', { action: 'delete', name: 'made', force: true }];
const everything = [look, diff, add, stash, pop, restore, commit, merge, abort, reset, fetch, push, branch, remove];

const attacks: Readonly<Record<string, Attack>> = {
  config: {
    prepare(folder) {
      attributesFor(folder);
      put(folder, 'config', evilConfig(folder));
    },
    actions: everything,
  },
  worktree: {
    prepare(folder) {
      attributesFor(folder);
      folder.git('config', 'extensions.worktreeConfig', 'true');
      put(folder, 'config', evilConfig(folder));
    },
    actions: everything,
  },
  attributes: {
    prepare(folder) {
      put(folder, 'config', evilConfig(folder));
      put(folder, 'attributes', '* filter=evil diff=evil merge=evil\n');
    },
    actions: everything,
  },
  folder: {
    prepare(folder) {
      attributesFor(folder);
      cpSync(join(folder.root, '.git'), join(folder.root, 'other.git'), { recursive: true });
      writeFileSync(join(folder.root, 'other.git/config'), evilConfig(folder));
    },
    actions: everything,
  },
  link: {
    prepare(folder) {
      attributesFor(folder);
      cpSync(join(folder.root, '.git'), join(outsideOf(folder), 'repository'), { recursive: true });
      writeFileSync(join(outsideOf(folder), 'repository/config'), evilConfig(folder));
    },
    actions: everything,
  },
  links: {
    prepare: linkTargets,
    actions: everything,
  },
  rebase: {
    prepare(folder) {
      const head = folder.git('rev-parse', 'HEAD').trim();
      const state = {
        'head-name': 'refs/heads/main',
        onto: head,
        'orig-head': head,
        end: '1',
        msgnum: '0',
        interactive: '',
      };
      put(folder, 'rebase.json', JSON.stringify(state));
      put(folder, 'steps', `exec ${folder.trap('exec')}\nnoop\n`);
    },
    actions: [
      ['git_rebase', { action: 'continue' }],
      ['git_rebase', { action: 'skip' }],
      ['git_rebase', { onto: 'topic' }],
      ['git_rebase', { action: 'continue' }],
      ['git_rebase', { action: 'abort' }],
    ],
    // A rebase of another program is refused at its strange step, or fails.
    met: 'E_GIT_UNTRUSTED',
  },
  remote: {
    prepare: linkTargets,
    // Each push makes a branch.
    actions: ['a', 'b', 'c', 'd'].map((to) => ['git_push', { branch: 'main', to: `${to}<round>` }]),
  },
};

type Ends = ReadonlyMap<string, number>;

/** Calls each action while another process swaps the data, until the race took place. Returns the codes of the ends. */
async function race(
  folder: GitFolder,
  name: string,
  chosen: readonly Action[],
  tookPlace: (ends: Ends) => boolean,
): Promise<Ends> {
  const attacker = fork(join(import.meta.dirname, 'support/swap-data.ts'), [folder.root, outsideOf(folder), name]);
  await once(attacker, 'message');
  const ends = new Map<string, number>();
  try {
    for (let round = 0; round < rounds || !tookPlace(ends); round += 1) {
      for (const [tool, args] of chosen) {
        folder.write('a.txt', `round ${round}\n`);
        folder.write('b.txt', 'b\n');
        const code = await folder.code(tool, JSON.parse(JSON.stringify(args).replaceAll('<round>', String(round))));
        ends.set(code, (ends.get(code) ?? 0) + 1);
      }
    }
  } finally {
    attacker.kill('SIGKILL');
    await once(attacker, 'exit');
  }
  return ends;
}

// Without handles of folders, which only Linux has, a swap can lead outside.
const onLinux = test.runIf(process.platform === 'linux');

for (const [name, attack] of Object.entries(attacks)) {
  onLinux(
    `no program starts and nothing outside changes while another process swaps data: ${name}`,
    { timeout: 900_000 },
    async () => {
      await using folder = await createVictim();
      folder.write('b.txt', 'b\n');
      folder.git('add', 'b.txt');
      folder.git('commit', '--quiet', '-m', 'B', '--', 'b.txt');
      mkdirSync(outsideOf(folder));
      attack.prepare(folder);
      const before = contentOf(outsideOf(folder));
      for (const file of folder.sprung()) rmSync(join(folder.base, 'canaries', file));
      const ends = await race(folder, name, attack.actions, (codes) => codes.has(attack.met ?? 'ok') && codes.size > 1);
      expect(folder.sprung()).toEqual([]);
      expect(contentOf(outsideOf(folder))).toEqual(before);
      expect(ends.get('E_TOOL_FAILED')).toBe(undefined);
    },
  );
}

onLinux(
  'no host is asked but the one that was checked while another process swaps the address',
  { timeout: 900_000 },
  async () => {
    const listen = async (): Promise<{
      readonly port: number;
      readonly count: () => number;
      readonly close: () => void;
    }> => {
      let count = 0;
      const server = createServer((socket) => {
        count += 1;
        socket.destroy();
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      return { port, count: () => count, close: () => void server.close() };
    };
    const allowed = await listen();
    const canary = await listen();
    await using folder = await createVictim({ hosts: ['127.0.0.1'], allowPrivateAddresses: true });
    mkdirSync(outsideOf(folder));
    folder.git('remote', 'set-url', 'origin', `https://127.0.0.1:${allowed.port}/x`);
    const good = readFileSync(join(folder.root, '.git/config'), 'utf8');
    const other = `https://localhost:${canary.port}/x`;
    put(
      folder,
      'config',
      `${good.replace(/url = .*/, `url = ${other}`)}[url "${other}"]\n\tinsteadOf = https://127.0.0.1\n`,
    );
    const eight = Array.from({ length: 4 }, () => [fetch, push]).flat();
    await race(folder, 'address', eight, (ends) => ends.has('E_GIT_HOST') && allowed.count() > 0);
    expect(canary.count()).toBe(0);
    allowed.close();
    canary.close();
  },
);
