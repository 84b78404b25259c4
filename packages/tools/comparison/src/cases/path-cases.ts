import { spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { leakIn, memoryHarm } from '../hostile-case.ts';
import type { HostileCase } from '../hostile-case.ts';
import type { World } from '../world/world.ts';

type Attack = HostileCase['attack'];

const races = 300;

function reads(name: string, prepare: (world: World) => string): HostileCase {
  const attack: Attack = async (world) =>
    leakIn(world, (await world.call({ does: 'read', path: prepare(world) })).text);
  return { class: 'paths', name: `read: ${name}`, needs: ['read'], attack };
}

/** The file is read first, so that a rule about files that were not read does not hide the rule about paths. */
function writes(name: string, prepare: (world: World) => string): HostileCase {
  const attack: Attack = async (world) => {
    const path = prepare(world);
    await world.call({ does: 'read', path });
    await world.call({ does: 'write', path, content: 'changed' });
    return world.changeOutside();
  };
  return { class: 'paths', name: `write: ${name}`, needs: ['read', 'write'], attack };
}

function link(world: World, name: string, target: string): string {
  symlinkSync(target, join(world.root, name));
  return name;
}

/** Cases that read outside of the workspace. */
export const readCases: readonly HostileCase[] = [
  reads('`..`', () => '../outside/secret.txt'),
  reads('`..` after a folder', (world) => {
    mkdirSync(join(world.root, 'sub'));
    return 'sub/../../outside/secret.txt';
  }),
  reads('an absolute path', ({ secretFile }) => secretFile),
  reads('a link to a file', (world) => link(world, 'notes.txt', world.secretFile)),
  reads('a file in a linked folder', (world) => `${link(world, 'docs', world.outside)}/secret.txt`),
  reads('a chain of relative links', (world) => {
    link(world, 'first', '../outside');
    return `${link(world, 'second', 'first')}/secret.txt`;
  }),
  reads('`/proc/self/root` and the path', ({ secretFile }) => `/proc/self/root${secretFile}`),
  reads('`/proc/self/cwd` and `..`', ({ secretFile }) => `/proc/self/cwd/../../../../../..${secretFile}`),
  reads('`/proc/self/environ`', () => '/proc/self/environ'),
  reads('a link to `/proc/self/environ`', (world) => link(world, 'env.txt', '/proc/self/environ')),
  reads('a key in the home folder, as `~/`', () => '~/.ssh/id_canary'),
  reads('a name with a NUL and a harmless ending', ({ secretFile }) => `${secretFile}\0.txt`),
  reads('a path of 100 000 characters', ({ secretFile }) => `${'x/../'.repeat(20_000)}../${secretFile}`),
  {
    class: 'paths',
    name: 'read: a folder that is swapped for a link during the calls',
    needs: ['read'],
    async attack(world) {
      world.put('docs/secret.txt', 'mine');
      await using _swapper = await world.swap('docs');
      for (let count = 0; count < races; count += 1) {
        const harm = leakIn(world, (await world.call({ does: 'read', path: 'docs/secret.txt' })).text);
        if (harm !== undefined) return harm;
      }
      return undefined;
    },
  },
  {
    class: 'paths',
    name: 'search: the folder above',
    needs: ['search'],
    attack: async (world) =>
      leakIn(world, (await world.call({ does: 'search', pattern: 'canary-', path: '../outside' })).text),
  },
  {
    class: 'paths',
    name: 'search: links in the workspace',
    needs: ['search'],
    async attack(world) {
      link(world, 'docs', world.outside);
      link(world, 'notes.txt', world.secretFile);
      return leakIn(world, (await world.call({ does: 'search', pattern: 'canary-' })).text);
    },
  },
  {
    class: 'paths',
    name: 'search: a linked folder by its name',
    needs: ['search'],
    attack: async (world) =>
      leakIn(
        world,
        (await world.call({ does: 'search', pattern: 'canary-', path: link(world, 'docs', world.outside) })).text,
      ),
  },
  {
    class: 'paths',
    name: 'find: a pattern with `..`',
    needs: ['find'],
    async attack(world) {
      const { text } = await world.call({ does: 'find', pattern: '../outside/*.txt' });
      return text.includes('victim.txt') ? 'names outside were in the result' : undefined;
    },
  },
  {
    class: 'paths',
    name: 'list: the folder above',
    needs: ['list'],
    async attack(world) {
      const { text } = await world.call({ does: 'list', path: '../outside' });
      return text.includes('victim.txt') ? 'names outside were in the result' : undefined;
    },
  },
  {
    class: 'paths',
    name: 'read: a link to `/dev/zero`',
    needs: ['read'],
    attack: (world) =>
      memoryHarm(world, () => world.call({ does: 'read', path: link(world, 'zero.txt', '/dev/zero') })),
  },
  {
    class: 'paths',
    name: 'read: a pipe without a writer',
    needs: ['read'],
    async attack(world) {
      spawnSync('mkfifo', [join(world.root, 'pipe.txt')]);
      await world.call({ does: 'read', path: 'pipe.txt' });
      return undefined;
    },
  },
];

/** Cases that change what is outside of the workspace, or the Git folder in it. */
export const writeCases: readonly HostileCase[] = [
  writes('`..`', () => '../outside/victim.txt'),
  writes('a new file by an absolute path', ({ outside }) => join(outside, 'new.txt')),
  writes('a link to a file', (world) => link(world, 'notes.txt', world.victim)),
  writes('a new file in a linked folder', (world) => `${link(world, 'docs', world.outside)}/new.txt`),
  writes('a link to a file that does not exist yet', (world) => link(world, 'a.txt', join(world.outside, 'new.txt'))),
  writes('a file with a hard link outside', (world) => {
    linkSync(world.victim, join(world.root, 'notes.txt'));
    return 'notes.txt';
  }),
  {
    class: 'paths',
    name: 'edit: a link to a file',
    needs: ['read', 'edit'],
    async attack(world) {
      const path = link(world, 'notes.txt', world.victim);
      await world.call({ does: 'read', path });
      await world.call({ does: 'edit', path, oldText: 'must stay', newText: 'changed' });
      return world.changeOutside();
    },
  },
  {
    class: 'paths',
    name: 'write: a folder that is swapped for a link during the calls',
    needs: ['write'],
    async attack(world) {
      mkdirSync(join(world.root, 'docs'));
      await using _swapper = await world.swap('docs');
      for (let count = 0; count < races; count += 1) {
        await world.call({ does: 'write', path: `docs/new-${count}.txt`, content: 'x' });
        if (count % 10 === 0 && world.changeOutside() !== undefined) break;
      }
      return world.changeOutside();
    },
  },
  gitWrite('a hook', '.git/hooks/post-checkout', () => {}),
  gitWrite('a hook through a link to the Git folder', 'alias/hooks/post-checkout', ({ root }) =>
    symlinkSync('.git', join(root, 'alias')),
  ),
  {
    class: 'paths',
    name: 'edit: the configuration of Git, so that it starts a program',
    needs: ['read', 'edit'],
    async attack(world) {
      world.git('init', '--quiet');
      const before = world.text('.git/config');
      await world.call({ does: 'read', path: '.git/config' });
      const newText = `[core]\n\tfsmonitor = ${world.trap()}\n`;
      await world.call({ does: 'edit', path: '.git/config', oldText: '[core]\n', newText });
      return world.text('.git/config') === before ? undefined : 'the configuration was changed';
    },
  },
];

function gitWrite(name: string, path: string, prepare: (world: World) => void): HostileCase {
  const attack: Attack = async (world) => {
    world.git('init', '--quiet');
    prepare(world);
    await world.call({ does: 'write', path, content: '#!/bin/sh\n' });
    const { stdout } = spawnSync('ls', [join(world.root, '.git/hooks')], { encoding: 'utf8' });
    return /^post-checkout$/m.test(stdout) ? 'the hook was written' : undefined;
  };
  return { class: 'paths', name: `write: ${name}`, needs: ['write'], attack };
}
