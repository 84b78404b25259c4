import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isKernelError, textOf } from '@ravi/kernel';
import type { JsonObject, KernelError, Tool, ToolContext, ToolExecutionResult } from '@ravi/kernel';
import { createFakeClock, createMemoryLogger, createToolContext } from '@ravi/testkit';
import plugin from '../../src/index.ts';
import type { FilesOptions } from '../../src/index.ts';

/** Folder with the tools for files, and one run that calls them. */
export interface OpenFiles extends Disposable {
  /** Folder of the workspace; `outside` is next to it and has a file `secret.txt`. */
  readonly root: string;
  readonly outside: string;
  readonly tools: Readonly<Record<string, Tool>>;
  readonly artifacts: ReadonlyMap<string, Uint8Array>;
  /** Calls a tool and returns its result. */
  run(name: string, args: JsonObject, context?: Partial<ToolContext>): Promise<ToolExecutionResult>;
  /** Calls a tool and returns its value for scripts. */
  call(name: string, args: JsonObject, context?: Partial<ToolContext>): Promise<JsonObject>;
  /** Calls a tool that fails with a `KernelError`, whose message has no path of the host, and returns it. */
  failure(name: string, args: JsonObject, context?: Partial<ToolContext>): Promise<KernelError>;
  /** Begins another run, which knows nothing of the first. */
  nextRun(): void;
  put(path: string, content: string | Uint8Array): void;
  text(path: string): string;
  /** Names in the folder of the workspace, and below it, sorted. */
  names(): readonly string[];
}

const defaults = { maxFileBytes: 67_108_864, maxReadBytes: 8_388_608, requireRead: true };

/** Opens the tools in a new folder. Dispose it after the test. */
export async function openFiles(options: FilesOptions = {}): Promise<OpenFiles> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'ravi-files-')));
  const root = join(base, 'inside');
  const outside = join(base, 'outside');
  mkdirSync(root);
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret.txt'), 'secret');
  const context = { baseDir: base, clock: createFakeClock(), logger: createMemoryLogger() };
  const source = await plugin.create({ ...defaults, root: 'inside', ...options }, context);
  const open = await source.open({ signal: new AbortController().signal, onChange: () => {} });
  const tools = Object.fromEntries(open.content().tools.map((tool) => [tool.name, tool as Tool]));
  const artifacts = new Map<string, Uint8Array>();
  let { scratchpad } = createToolContext();
  let calls = 0;
  const run = async (name: string, args: JsonObject, more: Partial<ToolContext> = {}): Promise<ToolExecutionResult> => {
    calls += 1;
    const called = createToolContext({
      callId: `call-${calls}`,
      idempotencyKey: `run/call-${calls}`,
      scratchpad,
      blobs: {
        resolve: async (ref) => artifacts.get(ref) ?? assert.fail(`no artifact ${ref}`),
        open: async () => assert.fail('not used'),
        stat: async () => undefined,
      },
      async storeArtifact(data) {
        const ref = `blob_${artifacts.size}`;
        artifacts.set(ref, Buffer.from(data as Uint8Array));
        return ref;
      },
      ...more,
    });
    return (tools[name] as Tool).execute(args, called);
  };
  return {
    root,
    outside,
    tools,
    artifacts,
    run,
    async call(name, args, more) {
      const result = await run(name, args, more);
      assert.equal(result.isError, false, textOf(result.content));
      return result.structuredContent as JsonObject;
    },
    async failure(name, args, more) {
      try {
        await run(name, args, more);
      } catch (error) {
        if (!isKernelError(error)) throw error;
        // A path that the caller itself wrote is not a secret.
        const isOwn = JSON.stringify(args).includes(base);
        assert.ok(isOwn || !error.message.includes(base), `the message has a path of the host: ${error.message}`);
        return error;
      }
      assert.fail(`${name} did not fail`);
    },
    nextRun() {
      ({ scratchpad } = createToolContext());
    },
    put(path, content) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    },
    text: (path) => readFileSync(join(root, path), 'utf8'),
    names: () => readdirSync(root, { recursive: true }).map(String).toSorted(),
    [Symbol.dispose]() {
      rmSync(base, { recursive: true, force: true });
    },
  };
}
