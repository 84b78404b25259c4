import { setTimeout as pause } from 'node:timers/promises';
import type { RaviConfig } from '../../packages/host/src/index.ts';
import { startDatabase } from './database.ts';
import { sameStatements } from './figures.ts';
import type { ScaleOptions, ScaleResult, ScaleSizes } from './figures.ts';
import { copyParkedRun } from './parked-runs.ts';
import { createScaleServers, readRun, startScript } from './servers.ts';
import type { ScaleServers } from './servers.ts';
import type { Database } from './database.ts';

/** Cost of servers that have nothing to do. */
export interface IdleCost {
  readonly readyMs: number;
  readonly readyProcessorMs: number;
  readonly statementsPerSecond: number;
  /** Time after which they had nothing to do. */
  readonly settledSeconds: number;
}

/** Servers that read no slice for so long have read all of them. */
const quietMs = 3_000;
const maxReadyMs = 2_000;
const maxStatements = 20;

/**
 * Measures servers that have nothing to do while runs wait for approval: how long each takes to be ready, and how many statements it
 * sends in a second, with few and with many such runs.
 */
export async function measureIdle(options: ScaleOptions): Promise<readonly ScaleResult[]> {
  const { parkedRuns, fewParkedRuns, engine } = options;
  await using database = await startDatabase();
  await using servers = await createScaleServers(database.url, engine, {});
  const first = await servers.start();
  const runId = await startScript(first, `return await tools.launch({ target: 'moon' })`);
  while ((await readRun(first.url, runId)).status !== 'paused') await pause(20);
  await first.end('SIGTERM');

  await copyParkedRun(database, runId, 2, fewParkedRuns);
  const few = await costOf(servers, database, options);
  await copyParkedRun(database, runId, fewParkedRuns + 1, parkedRuns);
  const many = await costOf(servers, database, options);
  const [counted] = await database.all(`SELECT count(*)::int AS paused FROM ravi_runs WHERE status = 'paused'`);
  const paused = Number(counted?.['paused']);
  return [
    { name: 'parked runs', value: paused, isReached: paused === parkedRuns, goal: `all ${parkedRuns}` },
    { name: `ready with ${fewParkedRuns} parked runs, slowest server, ms`, value: few.readyMs },
    {
      name: `ready with ${parkedRuns} parked runs, slowest server, ms`,
      value: many.readyMs,
      isReached: many.readyMs <= maxReadyMs,
      goal: `${maxReadyMs} ms`,
    },
    { name: `its processor time until then, ${fewParkedRuns} parked runs, ms`, value: few.readyProcessorMs },
    { name: `the same, ${parkedRuns} parked runs, ms`, value: many.readyProcessorMs },
    { name: `statements per second and idle server, ${fewParkedRuns} parked runs`, value: few.statementsPerSecond },
    {
      name: `statements per second and idle server, ${parkedRuns} parked runs`,
      value: many.statementsPerSecond,
      isReached: many.statementsPerSecond <= maxStatements,
      goal: String(maxStatements),
    },
    sameStatements('more statements with many than with few, %', few.statementsPerSecond, many.statementsPerSecond),
  ];
}

/** Starts servers and lets them rest, then returns what they cost. At last `work` uses one of them. */
export async function costOf(
  servers: ScaleServers,
  database: Database,
  { servers: count, settleSeconds, idleSeconds }: Pick<ScaleSizes, 'servers' | 'settleSeconds' | 'idleSeconds'>,
  { config = {}, work }: { readonly config?: RaviConfig; readonly work?: (url: string) => Promise<void> } = {},
): Promise<IdleCost> {
  const started = await Promise.all(Array.from({ length: count }, () => servers.start(config)));
  await pause(settleSeconds * 1_000);
  const settledSeconds = settleSeconds + (await untilPausedAreRead(database));
  await database.forgetStatements();
  const begun = performance.now();
  await pause(idleSeconds * 1_000);
  const statements = await database.statements();
  const seconds = (performance.now() - begun) / 1_000;
  await work?.(started[0]?.url ?? '');
  await Promise.all(started.map((server) => server.end('SIGTERM')));
  return {
    readyMs: Math.max(...started.map(({ readyMs }) => readyMs)),
    readyProcessorMs: Math.max(...started.map(({ readyProcessorMs }) => readyProcessorMs)),
    statementsPerSecond: statements / seconds / count,
    settledSeconds,
  };
}

/** Waits until no server reads paused runs any more: each reads all of them after its start, in slices between which it rests. Returns the seconds. */
async function untilPausedAreRead(database: Database): Promise<number> {
  const slices = async (): Promise<number> => {
    const [row] = await database.all(
      `SELECT coalesce(sum(calls), 0)::int AS calls FROM pg_stat_statements WHERE query LIKE '%slice (id, sequence, kind%'`,
    );
    return Number(row?.['calls']);
  };
  const begun = performance.now();
  for (let [before, now] = [-1, await slices()]; before !== now; [before, now] = [now, await slices()]) {
    await pause(quietMs);
  }
  return (performance.now() - begun - quietMs) / 1_000;
}
