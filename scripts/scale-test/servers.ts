import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { createInstallation } from '../../apps/monolith/test/support/installation.ts';
import { buildServer, startProcess } from '../../apps/monolith/test/support/server-process.ts';
import type { RaviConfig } from '../../packages/host/src/index.ts';
import { databasePlugins } from '../lib/postgres.ts';
import type { EngineName } from '../lib/postgres.ts';
import { processorMs } from '../load-test/figures.ts';

/** A server in a process of its own. */
export interface ScaleServer {
  readonly url: string;
  readonly pid: number;
  /** Milliseconds from the start of its process to the first time that it was ready. */
  readonly readyMs: number;
  /** Processor time that this took. */
  readonly readyProcessorMs: number;
  /** Ends it with SIGKILL, or as a supervisor would, and resolves with its exit code when it has ended. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
}

/** Servers that share a database and artifacts. Each has a data folder of its own and takes itself for one of another machine. */
export interface ScaleServers extends AsyncDisposable {
  /** Starts one more. Its configuration and files are added to those of all servers; it may reach the database at a URL of its own. */
  start(config?: RaviConfig, files?: Readonly<Record<string, string>>, ownDatabaseUrl?: string): Promise<ScaleServer>;
}

const bundle = join(import.meta.dirname, '../../apps/monolith/bundle/use.mjs');

/** Makes a server take itself for one in a container of its own: no other one recognizes at once that it has ended. */
const ownMachine = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import ${JSON.stringify(pathToFileURL(bundle).href)};
const { readlinkSync } = fs;
fs.readlinkSync = (path, ...rest) =>
  path === '/proc/self/ns/pid' ? 'pid:[' + (process.pid + 1) + ']' : readlinkSync(path, ...rest);
syncBuiltinESMExports();
`;

/** Prepares servers over a database. Nothing is started yet. */
export async function createScaleServers(
  databaseUrl: string,
  engine: EngineName,
  files: Readonly<Record<string, string>>,
): Promise<ScaleServers> {
  buildServer();
  await using stack = new AsyncDisposableStack();
  const blobs = await mkdtemp(join(tmpdir(), 'ravi-scale-'));
  stack.defer(() => rm(blobs, { recursive: true, force: true, maxRetries: 5 }));
  const prepared = stack.move();
  const blobStore = { use: '@ravi/blob-fs', root: blobs };
  return {
    async start({ plugins, ...config } = {}, more = {}, ownDatabaseUrl = databaseUrl) {
      const installation = await createInstallation(
        { ...config, plugins: { ...plugins, ...databasePlugins(ownDatabaseUrl, engine), blobStore } },
        { 'own-machine.mjs': ownMachine, ...files, ...more },
      );
      prepared.use(installation);
      const startedAt = performance.now();
      const preload = join(installation.folder, 'own-machine.mjs');
      const server = prepared.use(startProcess(installation.folder, ['--port', '0'], { preloads: [preload] }));
      const url = await server.url().catch(async (cause: unknown) => {
        throw new Error(`A server did not start: ${await server.errors}`, { cause });
      });
      while (!(await fetch(`${url}/ready`)).ok) await pause(20);
      return {
        url,
        pid: server.child.pid ?? 0,
        readyMs: performance.now() - startedAt,
        readyProcessorMs: processorMs(server.child.pid ?? 0),
        end(signal) {
          server.signal(signal);
          return server.exit;
        },
      };
    },
    [Symbol.asyncDispose]: () => prepared.disposeAsync(),
  };
}

/** Starts a script and returns the id of its run. @throws Error with the response if it is refused */
export async function startScript({ url }: ScaleServer, code: string): Promise<string> {
  return startRun(url, { kind: 'chain', code });
}

/** Starts a run and returns its id. @throws Error with the response if it is refused */
export async function startRun(url: string, body: object): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/v1/runs`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.status !== 201) throw new Error(`POST /v1/runs returned ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { readonly id: string }).id;
}

/** A run, as far as the scale test looks at it. */
export interface ShownRun {
  readonly status: string;
  readonly outcome?: { readonly result?: { readonly value?: unknown } };
}

/** Statuses of runs that have ended. */
export const endedStatuses: readonly string[] = ['completed', 'failed', 'cancelled'];

const giveUpMs = 300_000;

/** Reads each run, through one server after the other, once it has one of the statuses, or as it is if that takes too long. */
export async function untilStatus(
  urls: readonly string[],
  ids: readonly string[],
  statuses: readonly string[],
): Promise<readonly ShownRun[]> {
  const giveUpAt = Date.now() + giveUpMs;
  const shown: ShownRun[] = [];
  for (const [index, id] of ids.entries()) {
    const url = urls[index % urls.length] ?? '';
    let run = await readRun(url, id);
    while (!statuses.includes(run.status) && Date.now() < giveUpAt) {
      await pause(100);
      run = await readRun(url, id);
    }
    shown.push(run);
  }
  return shown;
}

/** Reads a run through a server. */
export async function readRun(url: string, id: string): Promise<ShownRun> {
  return (await (await fetch(`${url}/v1/runs/${id}`)).json()) as ShownRun;
}

/** Does work for each number below an amount, some at once. Returns its results in the order in which they came. */
export async function inLanes<Result>(
  lanes: number,
  amount: number,
  work: (number: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const done: Result[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let number = next++; number < amount; number = next++) done.push(await work(number));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return done;
}
