import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HostProcess } from '../host/host-process.ts';
import type { Answer, Operation } from '../operation.ts';
import type { Lab } from './lab.ts';
import { endProcessesWith } from '../host/processes.ts';

/** Folders, canaries and tools of one case. */
export interface World extends AsyncDisposable {
  readonly lab: Lab;
  readonly host: HostProcess;
  /** The workspace. */
  readonly root: string;
  /** Folder next to the workspace. */
  readonly outside: string;
  /** File outside with the secret. */
  readonly secretFile: string;
  /** File outside that must not change. */
  readonly victim: string;
  /** True if a person was asked about one of the calls. */
  readonly isAsked: boolean;
  /** Makes a call. */
  call(operation: Operation): Promise<Answer>;
  /** Writes a file of the workspace, with the folders above it, and returns its path. */
  put(path: string, content: string | Uint8Array): string;
  /** Returns the content of a file of the workspace. */
  text(path: string): string;
  /** Returns what was changed, created or removed outside; `undefined` if nothing was. */
  changeOutside(): string | undefined;
  /** Runs the system's git in the workspace as its user would. */
  git(...args: readonly string[]): void;
  /** Writes a program that leaves a canary when it runs, and returns its path. It passes its input on. */
  trap(): string;
  /** True if a program of {@link World.trap} ran. */
  isSprung(): boolean;
  /** Swaps a folder of the workspace for a link to the folder outside and back, in another process, until it is disposed. */
  swap(path: string): Promise<AsyncDisposable>;
}

const gitEnvironment = {
  HOME: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
};

/** Opens a {@link World} in a new folder, with the tools of the contender over its workspace. */
export async function openWorld(lab: Lab): Promise<World> {
  const base = mkdtempSync(join(lab.base, 'case-'));
  const root = join(base, 'work');
  const outside = join(base, 'outside');
  const secretFile = join(outside, 'secret.txt');
  const victim = join(outside, 'victim.txt');
  const canary = join(base, 'canary');
  mkdirSync(root);
  mkdirSync(outside);
  writeFileSync(secretFile, `${lab.secret}\n`);
  writeFileSync(victim, 'must stay\n');
  lab.site.requests.length = 0;
  lab.site.programs.clear();
  const host = await lab.host();
  await host.open(root);
  host.connections.length = 0;
  const before = contentOf(outside);
  return {
    lab,
    host,
    root,
    outside,
    secretFile,
    victim,
    get isAsked() {
      return host.asked > 0;
    },
    call: (operation) => host.call(operation),
    put(path, content) {
      const file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      return file;
    },
    text: (path) => readFileSync(join(root, path), 'utf8'),
    changeOutside: () => (contentOf(outside) === before ? undefined : 'a file outside was changed or created'),
    git(...args) {
      const env = { ...gitEnvironment, PATH: process.env['PATH'] ?? '' };
      execFileSync('git', args, { cwd: root, env, stdio: ['ignore', 'ignore', 'pipe'] });
    },
    trap() {
      const program = join(base, 'trap.sh');
      writeFileSync(program, `#!/bin/sh\ntouch '${canary}'\ncat 2>/dev/null\n`);
      chmodSync(program, 0o755);
      return program;
    },
    isSprung: () => readdirSync(base).includes('canary'),
    async swap(path) {
      const swapper = fork(join(import.meta.dirname, 'swapper.ts'), [join(root, path), outside], {
        execArgv: [],
      });
      await once(swapper, 'message');
      return {
        async [Symbol.asyncDispose]() {
          const ended = once(swapper, 'exit');
          swapper.kill('SIGKILL');
          await ended;
        },
      };
    },
    async [Symbol.asyncDispose]() {
      endProcessesWith(lab.token);
      // Not `rmSync`, which does not remove folders whose path is too long.
      execFileSync('rm', ['-rf', base]);
    },
  };
}

function contentOf(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true });
  const files = names.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return `${path} ${entry.isFile() ? readFileSync(path, 'utf8') : ''}`;
  });
  return files.toSorted((left, right) => (left < right ? -1 : 1)).join('\n');
}
