import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { JsonObject, JsonValue, PluginContext, Tool } from '@ravi/kernel';
import { createFakeClock, createMemoryLogger, createTestBlobs, runTool } from '@ravi/testkit';
import type { RunToolReport, TestBlobs } from '@ravi/testkit';
import { openWorkspace } from '@ravi/tools-kit';
import { createEnvironment } from '../src/process/environment.ts';
import { findIsolation } from '../src/process/isolation.ts';
import type { Isolation } from '../src/process/isolation.ts';
import { createBashBackgroundTool } from '../src/tools/bash-background.ts';
import { createBashTool } from '../src/tools/bash.ts';
import { createCodeExecTool, createPythonAliasTool } from '../src/tools/code-exec.ts';
import type { ShellParts } from '../src/tools/shell-parts.ts';
import { createTestRunnerTool } from '../src/tools/test-runner.ts';

const mark: Isolation = { kind: 'mark', argv: [] };
/** Ways in which commands are kept together on this machine. `mark` works everywhere. */
export const isolations: readonly Isolation[] = [mark, await findIsolation()].filter(
  ({ kind }, index, all) => all.findIndex((other) => other.kind === kind) === index,
);

/** A workspace with tools of this package over it. */
export interface ShellWorkspace extends Disposable {
  readonly root: string;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly blobs: TestBlobs;
  write(files: Readonly<Record<string, string>>): void;
  link(target: string, path: string): void;
  run(name: string, args: JsonObject, signal?: AbortSignal): Promise<RunToolReport>;
  /** Runs a tool that has to succeed, and returns its value. */
  value(name: string, args: JsonObject): Promise<Readonly<Record<string, JsonValue>>>;
}

export function createShellWorkspace(
  parts: Partial<ShellParts> & { readonly isolation?: Isolation } = {},
): ShellWorkspace {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'ravi-shell-')));
  const root = join(base, 'inside');
  mkdirSync(root);
  writeFileSync(join(base, 'secret.txt'), 'outside');
  const workspace = openWorkspace(root);
  const { isolation = mark, ...rest } = parts;
  const all: ShellParts = {
    settings: {
      isolation,
      wrapper: [],
      environment: createEnvironment({ own: process.env }),
      limits: { textBytes: 32_768, artifactBytes: 1_048_576 },
    },
    reportParent: tmpdir(),
    workspaceOf: () => workspace,
    maxTimeoutMs: 60_000,
    safeCommands: false,
    python: '/usr/bin/python3',
    ...rest,
  };
  const factories = [
    createBashTool,
    createBashBackgroundTool,
    createCodeExecTool,
    createPythonAliasTool,
    createTestRunnerTool,
  ];
  const tools = new Map(factories.map((create) => create(all)).map((tool) => [tool.name, tool]));
  const blobs = createTestBlobs();
  const run: ShellWorkspace['run'] = (name, args, signal) =>
    runTool(tools.get(name) as Tool, args, { artifactStore: blobs, ...(signal === undefined ? {} : { signal }) });
  return {
    root,
    tools,
    blobs,
    write(files) {
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), content);
      }
    },
    link: (target, path) => symlinkSync(target, join(root, path)),
    run,
    async value(name, args) {
      const { result } = await run(name, args);
      if (result.status !== 'ok') throw new Error(`${result.error?.code}: ${result.error?.message}`);
      // A large value is stored.
      if (result.artifactRef === undefined) return result.structured as Readonly<Record<string, JsonValue>>;
      return JSON.parse(Buffer.from(await blobs.resolve(result.artifactRef)).toString()) as Readonly<
        Record<string, JsonValue>
      >;
    },
    [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** Context of a plugin. */
export const pluginParts: Pick<PluginContext, 'clock' | 'logger'> = {
  clock: createFakeClock(),
  logger: createMemoryLogger(),
};
