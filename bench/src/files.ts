import { equal } from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import { runChain } from '@ravi/capabilities';
import { HookManager, Toolbox, ToolInvoker } from '@ravi/invoker';
import type { InvokerSession } from '@ravi/invoker';
import { silentLogger, systemClock } from '@ravi/kernel';
import type { JsonObject } from '@ravi/kernel';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import filesPlugin from '@ravi/tools-files';
import type { BenchGroup } from './row.ts';
import { rowsOf } from './rows-of.ts';

const group = 'files';
const fileCount = 1_000;
const largeBytes = 5_242_880;
const policy = {
  maxToolCalls: 1_000_000,
  maxScriptCalls: 10_000,
  maxRiskUnapproved: 'high',
  maxScriptResultBytes: 8_388_608,
} as const;

/** Measures the tools for files through every gate, compared with those of the official MCP server for files over its transport. */
export const benchFiles: BenchGroup = async ({ rounds }) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ravi-bench-files-')));
  try {
    for (let index = 0; index < fileCount; index += 1) writeFileSync(join(folder, `${index}.txt`), `file ${index}\n`);
    for (const name of ['ours.txt', 'peer.txt'])
      writeFileSync(join(folder, name), `begin\n${'a line of a large file\n'.repeat(largeBytes / 23)}`);
    await using ours = await openOurs(folder);
    await using peer = await openPeer(folder);
    const peers = (
      measure: () => Promise<number>,
    ): readonly [{ readonly name: string; readonly measure: () => Promise<number> }] => [
      { name: 'server-filesystem', measure },
    ];
    const script = {
      group,
      name: '1 000 small files read in one script',
      unit: 'ms',
      goal: '≤ 150 ms',
      floor: { name: 'readFileSync', measure: async () => timed(async () => readAll(folder)) },
      ours: { name: 'script', measure: ours.script },
      peers: peers(() =>
        timed(() => Promise.all(names().map((path) => peer.call('read_text_file', { path: join(folder, path) })))),
      ),
    };
    const edit = {
      group,
      name: 'edit in a file of 5 MB',
      unit: 'ms',
      goal: '≤ 50 ms',
      ours: { name: 'edit', measure: alternate((args) => ours.call('edit', { path: 'ours.txt', ...args })) },
      peers: peers(alternate((edited) => peer.call('edit_file', { path: join(folder, 'peer.txt'), edits: [edited] }))),
    };
    const read = {
      group,
      name: 'read of a small file through the invoker',
      unit: 'µs',
      ours: { name: 'read', measure: () => perCall((path) => ours.call('read', { path })) },
      peers: peers(() => perCall((path) => peer.call('read_text_file', { path: join(folder, path) }))),
    };
    const rows = [];
    for (const measurement of [script, edit, read]) rows.push(...(await rowsOf(measurement, rounds)));
    return rows;
  } finally {
    rmSync(folder, { recursive: true });
  }
};

function names(): readonly string[] {
  return Array.from({ length: fileCount }, (_, index) => `${index}.txt`);
}

function readAll(folder: string): void {
  for (const name of names()) readFileSync(join(folder, name), 'utf8');
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function perCall(call: (path: string) => Promise<unknown>): Promise<number> {
  const paths = names();
  return (
    ((await timed(async () => {
      for (const path of paths) await call(path);
    })) *
      1_000) /
    paths.length
  );
}

// Back and forth, so that each edit finds the text that it replaces.
function alternate(
  edit: (args: { readonly oldText: string; readonly newText: string }) => Promise<unknown>,
): () => Promise<number> {
  return async () => {
    const forth = await timed(() => edit({ oldText: 'begin\n', newText: 'start\n' }));
    const back = await timed(() => edit({ oldText: 'start\n', newText: 'begin\n' }));
    return (forth + back) / 2;
  };
}

interface Ours extends AsyncDisposable {
  call(name: string, args: JsonObject): Promise<void>;
  script(): Promise<number>;
}

async function openOurs(folder: string): Promise<Ours> {
  const options = { root: folder, maxFileBytes: 67_108_864, maxReadBytes: 8_388_608, requireRead: true };
  const source = await filesPlugin.create(options, { baseDir: folder, clock: systemClock, logger: silentLogger });
  const open = await source.open({ signal: new AbortController().signal, onChange: () => undefined });
  const toolbox = new Toolbox();
  toolbox.setSource('files', open.content().tools);
  const invoker = new ToolInvoker({
    registry: toolbox,
    hooks: new HookManager(),
    policy,
    artifactStore: createMemoryBlobStore(),
  });
  const sandbox = createIsolatedVmSandbox();
  const session: InvokerSession = invoker.openSession();
  const code = `
    const names = Array.from({ length: ${fileCount} }, (_, index) => index + '.txt');
    const read = await Promise.all(names.map((path) => tools.read({ path })));
    return read.reduce((sum, { bytes }) => sum + bytes, 0);`;
  const call: Ours['call'] = async (name, args) => {
    const { status, error } = await invoker.invoke({ name, args }, { session });
    if (status !== 'ok') throw new TypeError(`${name} ended with ${status}: ${error?.message}`);
  };
  // An edit needs the file to be read.
  await call('read', { path: 'ours.txt', endLine: 1 });
  return {
    call,
    script: () =>
      timed(async () => {
        const result = await runChain({ code, invoker, sandbox, policy });
        equal(result.value, 8_890, JSON.stringify(result).slice(0, 300));
      }),
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await open[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]?.();
    },
  };
}

interface Peer extends AsyncDisposable {
  call(name: string, args: JsonObject): Promise<void>;
}

async function openPeer(folder: string): Promise<Peer> {
  const root = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/package.json'));
  const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } });
  const server = { command: process.execPath, args: [join(root, 'dist/index.js'), folder], stderr: 'ignore' as const };
  await client.connect(new StdioClientTransport(server));
  return {
    async call(name, args) {
      const { isError, content } = await client.callTool({ name, arguments: args });
      if (isError === true) throw new TypeError(`${name} failed: ${JSON.stringify(content).slice(0, 200)}`);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
