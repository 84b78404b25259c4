import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSeededRandom } from '../../packages/testkit/src/index.ts';
import type { EngineName } from '../lib/postgres.ts';
import { startAnswerer } from './answerer.ts';
import { startApprover } from './approver.ts';
import { startCaller } from './caller.ts';
import { startKillDatabase } from './database.ts';
import { causeFaults } from './faults.ts';
import type { Fault, FaultKind } from './faults.ts';
import { idempotentTools, writeInstallation } from './installation.ts';
import { startWorkloadModel } from './model.ts';
import { checkEvidence } from './oracles.ts';
import type { Evidence, Violations } from './oracles.ts';
import { readFinalState, untilQuiet } from './outcome.ts';
import { createKilledServers } from './servers.ts';
import { startRuns } from './starter.ts';
import { lostUploads } from './uploads.ts';
import type { WorkloadName } from './workloads.ts';
import { startWorld } from './world.ts';

/** Options of {@link runKillTest}. */
export interface KillTestOptions {
  readonly store: 'sqlite' | 'postgres';
  /** Engine of the servers; `pg-boss` needs PostgreSQL. */
  readonly engine: EngineName;
  readonly faults: number;
  readonly seed: number;
  /** Servers over the store. */
  readonly servers: number;
  /** Runs that are kept going. */
  readonly liveRuns: number;
  /** Lease of runs in milliseconds. */
  readonly leaseMs: number;
  /** Kinds of faults to choose from; by default all that the store knows. */
  readonly kinds?: readonly FaultKind[];
  /** Longest wait for the end of all runs after the last fault, in milliseconds. */
  readonly settleMs: number;
  onProgress?(line: string): void;
  /** Called with the folder of the installation once it exists. */
  onFolder?(folder: string): void;
}

/** Result of {@link runKillTest}. */
export interface KillTestResult {
  readonly violations: Violations;
  readonly evidence: Evidence;
  readonly faults: readonly Fault[];
  /** Problems of the test, which make its result worthless. */
  readonly mistakes: readonly string[];
  readonly failedStarts: number;
  readonly slowEnds: number;
  readonly seconds: number;
  /** Folder of the installation, with the logs of its servers and the database; kept if something was violated. */
  readonly folder: string;
}

/** Starts servers and runs, causes faults, waits until all is quiet, and checks every guarantee from outside. */
export async function runKillTest(options: KillTestOptions): Promise<KillTestResult> {
  const { store, engine, seed, servers: count, liveRuns, leaseMs, settleMs, onProgress = () => {} } = options;
  const begun = performance.now();
  // Each part has choices of its own, so that the timing of one does not change those of another.
  const randomOf = (part: number): ReturnType<typeof createSeededRandom> => createSeededRandom(seed * 16 + part);
  await using stack = new AsyncDisposableStack();
  const model = stack.use(await startWorkloadModel());
  const database = store === 'postgres' ? stack.use(await startKillDatabase(count)) : undefined;
  const folder = await mkdtemp(join(tmpdir(), 'ravi-kill-test-'));
  options.onFolder?.(folder);
  const file = join(folder, 'effects.jsonl');
  const world = stack.use(await startWorld({ file, random: randomOf(1), idempotentKinds: idempotentTools }));
  await writeInstallation(folder, {
    worldUrl: world.url,
    modelUrl: model.url,
    leaseMs,
    databaseUrls: Array.from({ length: count }, (_, server) => database?.urls[server]),
    engine,
  });
  const servers = stack.use(createKilledServers(folder, count));
  await Promise.all(servers.all.map((server) => server.start()));
  onProgress(`${count} servers run in ${folder}`);

  const approver = startApprover(servers, randomOf(2));
  const starter = startRuns(servers, randomOf(3), liveRuns);
  const answerer = startAnswerer(servers, randomOf(5), starter);
  const caller = startCaller(servers, randomOf(6));
  const faults = await causeFaults({
    servers,
    database,
    count: options.faults,
    random: randomOf(4),
    leaseMs,
    effectsOf: (process) => world.effects.filter(({ pid }) => pid === process).length,
    kinds: options.kinds,
    onFault: ({ kind, server, at }, number) => onProgress(`fault ${number} at ${at} ms: ${kind}, server ${server}`),
  });
  await Promise.all([starter.stop(), caller.stop()]);
  onProgress(`${starter.requested.size} runs requested; waiting for their ends`);
  await untilQuiet(servers, settleMs);
  await Promise.all([approver.stop(), answerer.stop()]);
  const state = await readFinalState(servers);
  // A reader of a run that has ended is at its end in a moment, unless the machine is overloaded.
  const giveUp = setTimeout(() => starter.readers.forEach((reader) => reader.stop()), 60_000);
  const readings = await Promise.all(starter.readers.map(({ done }) => done));
  clearTimeout(giveUp);

  const { runs: started, uploads } = starter;
  const scripts = caller.requests.filter(({ kind }) => kind === 'script');
  const evidence: Evidence = {
    ...state,
    effects: world.effects,
    started,
    requested: new Map([
      ...starter.requested,
      ...scripts.map(({ label }): [string, WorkloadName] => [label, 'script']),
    ]),
    decisions: approver.decisions,
    readings,
    uploads,
    lostUploads: await lostUploads(servers, uploads),
    answers: answerer.answers,
    keyedRequests: caller.requests,
    told: model.told,
  };
  const violations = checkEvidence(evidence);
  const isClean = Object.values(violations).every(({ length }) => length === 0);
  await servers[Symbol.asyncDispose]();
  if (isClean) await rm(folder, { recursive: true, force: true });
  else {
    await writeFile(join(folder, 'evidence.json'), JSON.stringify({ violations, faults, ...evidence }, replaceMaps));
    await database?.save(join(folder, 'database'));
  }
  return {
    violations,
    evidence,
    faults,
    mistakes: [...model.problems.map((problem) => `the model: ${problem}`), ...starter.refusals],
    ...servers.figures,
    seconds: Math.round((performance.now() - begun) / 1_000),
    folder,
  };
}

function replaceMaps(_key: string, value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value) : value;
}
