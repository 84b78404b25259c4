import { setTimeout as pause } from 'node:timers/promises';
import type { SeededRandom } from '../../packages/testkit/src/index.ts';
import type { KillDatabase } from './database.ts';
import type { KilledServer, KilledServers } from './servers.ts';

const kindsOfProcess = ['SIGKILL', 'SIGTERM', 'SIGSTOP', 'clock step'] as const;
const kindsOfDatabase = ['cut', 'black hole', 'restart'] as const;

/** Kind of a fault. */
export type FaultKind = (typeof kindsOfProcess)[number] | (typeof kindsOfDatabase)[number];

/** Returns the kinds of faults that a test over a store can cause: a file of SQLite has no server that could be disconnected. */
export function faultKindsOf(store: 'sqlite' | 'postgres'): readonly FaultKind[] {
  return store === 'sqlite' ? kindsOfProcess : [...kindsOfProcess, ...kindsOfDatabase];
}

/** Returns the kinds in a list with commas. @throws Error that names a kind that the store does not have, and all that it has */
export function readFaultKinds(list: string, store: 'sqlite' | 'postgres'): readonly FaultKind[] {
  const known = faultKindsOf(store);
  return list.split(',').map((name) => {
    const kind = known.find((each) => each === name.trim());
    if (kind !== undefined) return kind;
    throw new Error(`--kinds: "${name}" is not a fault of a test on ${store}. Choose from: ${known.join(', ')}`);
  });
}

/** A fault that happened. */
export interface Fault {
  readonly kind: FaultKind;
  readonly server: number;
  /** Milliseconds since the start of the test. */
  readonly at: number;
}

/** Options of {@link causeFaults}. */
export interface FaultOptions {
  readonly servers: KilledServers;
  readonly database?: KillDatabase | undefined;
  readonly count: number;
  readonly random: SeededRandom;
  /** Lease of runs in milliseconds; freezes last longer. */
  readonly leaseMs: number;
  /** Number of effects that a process has had. Before the next fault a server has one, unless it has no run for long. */
  effectsOf(pid: number | undefined): number;
  /** Kinds to choose from; by default all that the store knows. */
  readonly kinds?: readonly FaultKind[] | undefined;
  onFault?(fault: Fault, number: number): void;
}

const longestClockStepMs = 30_000;
const longestPauseMs = 1_000;
const longestWaitMs = 5_000;
const checkMs = 20;

// A kill leaves the most to recover; a freeze takes the longest.
const processFaults: readonly FaultKind[] = [
  ...Array.from({ length: 6 }, () => 'SIGKILL' as const),
  ...Array.from({ length: 3 }, () => 'SIGTERM' as const),
  'SIGSTOP',
  'clock step',
];
const databaseFaults: readonly FaultKind[] = ['cut', 'cut', 'black hole', 'restart'];

/** Causes faults at each server, one after the other, until `count` have happened. Resolves when all servers run again. */
export async function causeFaults(options: FaultOptions): Promise<readonly Fault[]> {
  const { servers, database, count, random, onFault } = options;
  const kinds = options.kinds ?? [...processFaults, ...(database === undefined ? [] : databaseFaults)];
  const faults: Fault[] = [];
  const started = performance.now();

  async function untilProgress({ pid }: KilledServer): Promise<void> {
    const before = options.effectsOf(pid);
    const end = performance.now() + longestWaitMs;
    while (options.effectsOf(pid) === before && performance.now() < end) await pause(checkMs);
    await pause(random.below(longestPauseMs));
  }

  async function haunt(server: KilledServer): Promise<void> {
    for (;;) {
      await untilProgress(server);
      if (faults.length >= count) break;
      const fault = { kind: random.pick(kinds), server: server.number, at: Math.round(performance.now() - started) };
      faults.push(fault);
      onFault?.(fault, faults.length);
      await cause(fault.kind, server, options);
    }
  }

  await Promise.all(servers.all.map(haunt));
  for (const server of servers.all) server.setClock(0);
  return faults;
}

async function cause(
  kind: FaultKind,
  server: KilledServer,
  { servers, database, random, leaseMs }: FaultOptions,
): Promise<void> {
  switch (kind) {
    case 'SIGKILL':
    case 'SIGTERM':
      await server.end(kind);
      await pause(random.below(1_000));
      return server.start();
    case 'SIGSTOP':
      return server.freeze(leaseMs * 1.1 + random.below(leaseMs / 2));
    case 'clock step': {
      const offsetMs = random.below(2 * longestClockStepMs) - longestClockStepMs;
      // Without a database all servers share one host, and so its clock.
      for (const one of database === undefined ? servers.all : [server]) one.setClock(offsetMs);
      return;
    }
    case 'cut':
      return database?.cut(server.number, 100 + random.below(leaseMs * 1.5));
    case 'black hole':
      return database?.blackHole(server.number, 100 + random.below(leaseMs * 2));
    case 'restart':
      return database?.restart(random.below(4_000));
  }
}
