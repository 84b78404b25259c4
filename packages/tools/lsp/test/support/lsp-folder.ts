import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isLocalTool, systemClock } from '@ravi/kernel';
import type { Clock, JsonObject, Tool } from '@ravi/kernel';
import { createMemoryLogger, createTestBlobs, runTool } from '@ravi/testkit';
import type { RunToolOptions, RunToolReport } from '@ravi/testkit';
import plugin from '../../src/index.ts';
import type { LspOptions } from '../../src/index.ts';

/** Workspace of a test with files, and the tools. */
export interface LspFolder extends AsyncDisposable {
  /** Folder that has the workspace and what is outside of it. */
  readonly base: string;
  readonly root: string;
  write(path: string, text: string): void;
  read(path: string): string;
  exists(path: string): boolean;
  tool(name: string): Tool;
  call(name: string, args?: JsonObject, options?: RunToolOptions): Promise<RunToolReport>;
  /** Calls a tool and returns its value. Fails if the call fails. */
  value(name: string, args?: JsonObject): Promise<JsonObject>;
  /** Calls a tool and returns the code of its error, and `ok` without one. */
  code(name: string, args?: JsonObject): Promise<string>;
}

const packages = createRequire(import.meta.url);

/** Command of TypeScript's own server, from the packages of this repository. */
export const typescriptCommand: readonly string[] = [
  process.execPath,
  join(dirname(packages.resolve('typescript/package.json')), 'bin/tsc'),
  '--lsp',
  '--stdio',
];

/** Command of pyright's server, from the packages of this repository. */
export const pyrightCommand: readonly string[] = [
  process.execPath,
  join(dirname(packages.resolve('pyright/package.json')), 'langserver.index.js'),
  '--stdio',
];

/** Command of the scripted server, whose script is the argument. */
export function scriptedCommand(script: string): readonly string[] {
  return [process.execPath, join(import.meta.dirname, 'scripted-server.ts'), script];
}

/** Opens a workspace with files. */
export async function createLspFolder(
  options: LspOptions,
  files: Readonly<Record<string, string>>,
  clock: Clock = systemClock,
): Promise<LspFolder> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'ravi-lsp-')));
  const root = join(base, 'work');
  mkdirSync(root);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const source = await plugin.create(options, { baseDir: root, clock, logger: createMemoryLogger() });
  const open = await source.open({ signal: AbortSignal.timeout(60_000), onChange: () => {} });
  const tool = (name: string): Tool => {
    const found = open.content().tools.find((each) => each.name === name);
    if (found === undefined || !isLocalTool(found)) throw new TypeError(`There is no tool ${name}`);
    return found;
  };
  const call: LspFolder['call'] = (name, args = {}, more = {}) =>
    runTool(tool(name), args, {
      cwd: root,
      artifactStore: createTestBlobs(),
      policy: { maxInlineResultBytes: 1_000_000 },
      ...more,
    });
  return {
    base,
    root,
    write,
    read: (path) => readFileSync(join(root, path), 'utf8'),
    exists: (path) => existsSync(join(root, path)),
    tool,
    call,
    async value(name, args) {
      const { result } = await call(name, args);
      if (result.status !== 'ok') throw new Error(`${name} failed: ${result.text}`);
      return result.structured as JsonObject;
    },
    async code(name, args) {
      const { result } = await call(name, args);
      return result.error?.code ?? 'ok';
    },
    async [Symbol.asyncDispose]() {
      await open[Symbol.asyncDispose]();
      rmSync(base, { recursive: true, force: true });
    },
  };
}
