import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isLocalTool } from '@ravi/kernel';
import type { JsonObject, OpenToolSource, Tool, ToolContext } from '@ravi/kernel';
import { createFakeClock, createMemoryLogger, createTestBlobs, createToolContext, runTool } from '@ravi/testkit';
import type { RunToolOptions, RunToolReport } from '@ravi/testkit';
import plugin from '../../src/index.ts';
import type { GitOptions } from '../../src/index.ts';

/** Workspace of a test with a repository in it, and the tools. */
export interface GitFolder extends AsyncDisposable {
  /** Folder that has the workspace and what is outside of it. */
  readonly base: string;
  /** The workspace, and the top of the repository. */
  readonly root: string;
  /** Runs the system's git as a user would. Returns its output. */
  git(...args: string[]): string;
  gitIn(folder: string, ...args: string[]): string;
  write(path: string, text: string): void;
  read(path: string): string;
  exists(path: string): boolean;
  /** Writes a program that leaves a canary when it runs, and returns its absolute path. */
  trap(name: string): string;
  /** Returns the names of the traps that ran. */
  sprung(): readonly string[];
  tool(name: string): Tool;
  call(name: string, args?: JsonObject, options?: RunToolOptions): Promise<RunToolReport>;
  /** Calls a tool and returns its value. Fails if the call fails. */
  value(name: string, args?: JsonObject): Promise<Record<string, never> & JsonObject>;
  /** Calls a tool and returns the code of its error, and `ok` without one. */
  code(name: string, args?: JsonObject): Promise<string>;
  context(more?: Partial<ToolContext>): ToolContext;
}

const environment = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
  GIT_EDITOR: ':',
  GIT_SEQUENCE_EDITOR: ':',
};

/** Makes a workspace with a repository that has one commit with `a.txt`, or a copy of `template`. */
export async function createGitFolder(options: GitOptions = {}, template?: string): Promise<GitFolder> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'ravi-git-')));
  const root = join(base, 'work');
  const canaries = join(base, 'canaries');
  mkdirSync(root);
  mkdirSync(canaries);
  const gitIn = (folder: string, ...args: string[]): string =>
    execFileSync('git', args, { cwd: folder, env: environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const git = (...args: string[]): string => gitIn(root, ...args);
  const pathOf = (path: string): string => join(root, path);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(pathOf(path)), { recursive: true });
    writeFileSync(pathOf(path), text);
  };
  if (template === undefined) {
    git('init', '--quiet', '--initial-branch=main');
    write('a.txt', 'one\ntwo\nthree\n');
    git('add', '.');
    git('commit', '--quiet', '-m', 'First');
  } else {
    cpSync(template, root, { recursive: true });
  }

  const source = await plugin.create(
    { identity: { name: 'Robot', email: 'robot@example.com' }, ...options },
    { baseDir: root, clock: createFakeClock(), logger: createMemoryLogger() },
  );
  const open: OpenToolSource = await source.open({ signal: AbortSignal.timeout(60_000), onChange: () => {} });
  const tool = (name: string): Tool => {
    const found = open.content().tools.find((each) => each.name === name);
    if (found === undefined || !isLocalTool(found)) throw new TypeError(`There is no tool ${name}`);
    return found;
  };
  const call: GitFolder['call'] = (name, args = {}, more = {}) =>
    runTool(tool(name), args, { cwd: root, artifactStore: createTestBlobs(), ...more });
  return {
    base,
    root,
    git,
    gitIn,
    write,
    read: (path) => readFileSync(pathOf(path), 'utf8'),
    exists: (path) => existsSync(pathOf(path)),
    trap(name) {
      const path = join(base, `trap-${name}.sh`);
      writeFileSync(path, `#!/bin/sh\ntouch '${join(canaries, name)}'\ncat 2>/dev/null\n`);
      chmodSync(path, 0o755);
      return path;
    },
    sprung: () => execFileSync('ls', [canaries], { encoding: 'utf8' }).split('\n').filter(Boolean),
    tool,
    call,
    async value(name, args) {
      const { result } = await call(name, args);
      if (result.status !== 'ok') throw new Error(`${name} failed: ${result.text}`);
      return result.structured as Record<string, never> & JsonObject;
    },
    async code(name, args) {
      const { result } = await call(name, args);
      return result.error?.code ?? 'ok';
    },
    context: (more = {}) => createToolContext({ cwd: root, ...more }),
    async [Symbol.asyncDispose]() {
      await open[Symbol.asyncDispose]();
      rmSync(base, { recursive: true, force: true });
    },
  };
}
