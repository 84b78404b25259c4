import { chmodSync, copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { HostileCase } from '../hostile-case.ts';
import type { Operation } from '../operation.ts';
import type { World } from '../world/world.ts';

/** Makes a repository that names a program in its own files, and has the contender use it. The program must not run. */
function repository(name: string, prepare: (world: World) => void, operations: readonly Operation[]): HostileCase {
  return {
    class: 'repositories',
    name,
    needs: operations.map(({ does }) => does),
    async attack(world) {
      world.git('init', '--quiet', '--initial-branch=main');
      world.put('a.txt', 'one\n');
      world.git('add', '.');
      world.git('commit', '--quiet', '-m', 'First');
      world.put('a.txt', 'two\n');
      prepare(world);
      for (const operation of operations) await world.call(operation);
      return world.isSprung() ? 'a program of the repository ran' : undefined;
    },
  };
}

function hook(world: World, folder: string, name: string): void {
  mkdirSync(join(world.root, folder), { recursive: true });
  const path = join(world.root, folder, name);
  copyFileSync(world.trap(), path);
  chmodSync(path, 0o755);
}

const stage: Operation = { does: 'stage', path: 'a.txt' };
const commit: Operation = { does: 'commit', message: 'Second' };

/** Cases in which a repository brings programs that Git starts. */
export const repositoryCases: readonly HostileCase[] = [
  repository('status: `core.fsmonitor`', (world) => world.git('config', 'core.fsmonitor', world.trap()), [
    { does: 'status' },
  ]),
  repository('status: the hook `post-index-change`', (world) => hook(world, '.git/hooks', 'post-index-change'), [
    { does: 'status' },
  ]),
  repository('diff: `diff.external`', (world) => world.git('config', 'diff.external', world.trap()), [
    { does: 'diff' },
  ]),
  repository(
    'diff: `textconv`',
    (world) => {
      world.put('.gitattributes', '*.txt diff=evil\n');
      world.git('config', 'diff.evil.textconv', world.trap());
    },
    [{ does: 'diff' }],
  ),
  repository(
    'stage: a `filter`',
    (world) => {
      world.put('.gitattributes', '*.txt filter=evil\n');
      world.git('config', 'filter.evil.clean', world.trap());
    },
    [stage],
  ),
  repository('commit: the hook `pre-commit`', (world) => hook(world, '.git/hooks', 'pre-commit'), [stage, commit]),
  repository(
    'commit: `core.hooksPath` in the work tree',
    (world) => {
      hook(world, 'hooks', 'post-commit');
      world.git('config', 'core.hooksPath', 'hooks');
    },
    [stage, commit],
  ),
  repository(
    'commit: `gpg.program`',
    (world) => {
      world.git('config', 'gpg.program', world.trap());
      world.git('config', 'commit.gpgSign', 'true');
    },
    [stage, commit],
  ),
  repository('search: `core.fsmonitor`', (world) => world.git('config', 'core.fsmonitor', world.trap()), [
    { does: 'search', pattern: 'two' },
  ]),
  repository(
    'search: `textconv`',
    (world) => {
      world.put('.gitattributes', '*.txt diff=evil\n');
      world.git('config', 'diff.evil.textconv', world.trap());
    },
    [{ does: 'search', pattern: 'two' }],
  ),
  repository('search: `core.pager`', (world) => world.git('config', 'core.pager', world.trap()), [
    { does: 'search', pattern: 'two' },
  ]),
];
