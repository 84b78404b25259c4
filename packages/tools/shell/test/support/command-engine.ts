import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isLocalTool, systemClock } from '@ravi/kernel';
import type { JsonObject, OpenToolSource, PluginContext, Tool } from '@ravi/kernel';
import { createMemoryLogger, createTestBlobs, createToolContext, runTool } from '@ravi/testkit';
import type { MemoryLogger, RunToolReport } from '@ravi/testkit';
import plugin from '../../src/index.ts';
import type { ShellToolsOptions } from '../../src/index.ts';

/** Image with a shell, Node and Python that `scripts/sandbox-images.ts` builds. */
export const commandImage = 'ravi-commands:test';

/** Reason why tests that need the engine cannot run here; `undefined` when they can. */
export const whyNot: string | undefined = findObstacle();

function findObstacle(): string | undefined {
  const { status, stderr, error } = spawnSync('docker', ['image', 'inspect', commandImage], { encoding: 'utf8' });
  if (status === 0) return undefined;
  if (error !== undefined) return error.message;
  if (!/no such image/iu.test(stderr)) return stderr.trim();
  return `the image ${commandImage} is missing; run node scripts/sandbox-images.ts`;
}

/** Folder with a workspace `inside` and a file next to it, and tools whose commands run in containers. */
export interface ContainedTools extends AsyncDisposable {
  readonly base: string;
  readonly root: string;
  readonly logger: MemoryLogger;
  write(files: Readonly<Record<string, string>>): void;
  tool(name: string): Tool;
  run(name: string, args: JsonObject, signal?: AbortSignal): Promise<RunToolReport>;
  /** Runs `bash` without an invoker, which would not wait for the end of a cancelled call. */
  execute(args: JsonObject, signal: AbortSignal): Promise<unknown>;
  /** Runs a tool that has to succeed, and returns its value. */
  value(name: string, args: JsonObject): Promise<JsonObject>;
  /** Runs a Bash script that has to succeed as a call, and returns its output. */
  output(command: string): Promise<string>;
  /** Ids of the processes of this machine that have the workspace mounted as a container has it. */
  processes(): readonly number[];
  /** Names of the containers on the engine, in any state, that mount the workspace. */
  containers(): Promise<readonly string[]>;
}

/** Opens the tools as a configuration does. */
export async function openContainedTools(
  {
    container,
    ...options
  }: Omit<ShellToolsOptions, 'container'> & {
    readonly container?: Partial<ShellToolsOptions['container']>;
  } = {},
  name = 'inside',
): Promise<ContainedTools> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'ravi-contained-')));
  const root = join(base, name);
  mkdirSync(root);
  writeFileSync(join(base, 'secret.txt'), 'value-of-the-file-outside');
  const logger = createMemoryLogger();
  const context = { baseDir: base, clock: systemClock, logger };
  const configured = { root, container: { image: commandImage, ...container }, ...options };
  const open = await openSource(configured, context).catch((error: unknown) => {
    rmSync(base, { recursive: true });
    throw error;
  });
  const tool = (wanted: string): Tool => {
    const found = open.content().tools.find((each) => each.name === wanted);
    if (found === undefined || !isLocalTool(found)) throw new TypeError(`There is no tool ${wanted}`);
    return found;
  };
  const blobs = createTestBlobs();
  const run: ContainedTools['run'] = (wanted, args, signal) =>
    runTool(tool(wanted), args, {
      artifactStore: blobs,
      policy: { maxInlineResultBytes: 1_000_000 },
      ...(signal === undefined ? {} : { signal }),
    });
  const value: ContainedTools['value'] = async (wanted, args) => {
    const { result } = await run(wanted, args);
    if (result.status !== 'ok') throw new Error(`${result.error?.code}: ${result.error?.message}`);
    return result.structured as JsonObject;
  };
  return {
    base,
    root,
    logger,
    write(files) {
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), content);
      }
    },
    tool,
    run,
    execute: async (args, signal) => tool('bash').execute(args, createToolContext({ signal })),
    value,
    output: async (command) => (await value('bash', { command }))['output'] as string,
    processes: () =>
      readdirSync('/proc')
        .filter((id) => sees(id, root))
        .map(Number),
    async containers() {
      const args = ['ps', '--all', `--filter=volume=${root}`, '--format={{.Names}}'];
      const { stdout } = await promisify(execFile)('docker', args);
      return stdout.split('\n').filter(Boolean);
    },
    async [Symbol.asyncDispose]() {
      await open[Symbol.asyncDispose]();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

async function openSource(options: ShellToolsOptions, context: PluginContext): Promise<OpenToolSource> {
  const source = await plugin.create(options, context);
  return source.open({ signal: new AbortController().signal, onChange: () => {} });
}

// A process that has ended and was not collected yet has no mounts.
function sees(id: string, root: string): boolean {
  if (!/^\d+$/u.test(id)) return false;
  try {
    return readFileSync(`/proc/${id}/mountinfo`, 'utf8').includes(` ${root} `);
  } catch {
    return false;
  }
}
