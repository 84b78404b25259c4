import { createPgBossRunEngine } from '../../packages/engines/pg-boss/src/index.ts';
import type { RunEngine } from '../../packages/kernel/src/index.ts';
import { connectToPostgres } from '../lib/postgres.ts';
import { startDatabase } from './database.ts';
import type { Database } from './database.ts';
import type { ScaleOptions, ScaleResult } from './figures.ts';

/** Wakes of some time. */
interface Phase {
  /** Wakes per second in the last part of the time, when the most dead rows exist. */
  readonly perSecond: number;
  /** Processor time of PostgreSQL for each wake. */
  readonly processorMs: number;
  /** Rows of the engine that a vacuum at the end had to leave, because a transaction may still see them. */
  readonly keptRows: number;
}

const lanes = 16;
const slots = 40;
const lastPart = 0.2;
const leastShare = 80;

/**
 * Measures how many wakes a second go through pg-boss, sent, taken and done, without and with a transaction that is idle and holds a
 * snapshot. Until it ends, PostgreSQL keeps each row that was removed since.
 */
export async function measureSnapshot({ heldSeconds, rounds }: ScaleOptions): Promise<readonly ScaleResult[]> {
  await using database = await startDatabase();
  await using engine = await createPgBossRunEngine({ url: database.url });
  const wake = await startHandling(engine);
  // Queues are made, and code is compiled.
  await measurePhase(database, wake, 1);
  const free: Phase[] = [];
  const held: Phase[] = [];
  for (let round = 0; round < rounds; round++) {
    free.push(await measurePhase(database, wake, heldSeconds));
    await using holder = await connectToPostgres(database.url);
    await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await holder.query('SELECT count(*) FROM ravi_engine.job');
    held.push(await measurePhase(database, wake, heldSeconds));
    await holder.query('COMMIT');
    await database.all('VACUUM');
  }
  const { ready, taken, dead } = await untilIdle(engine);
  const [without, during] = [meanOf(free), meanOf(held)];
  const share = (during.perSecond / without.perSecond) * 100;
  const left = ready + taken + dead;
  return [
    { name: 'wakes per second', value: without.perSecond },
    { name: `the same, a snapshot held for ${heldSeconds} s`, value: during.perSecond },
    {
      name: 'wakes with a held snapshot, % of those without',
      value: share,
      isReached: share >= leastShare,
      goal: `${leastShare} %`,
    },
    { name: 'processor time of PostgreSQL for a wake, ms', value: without.processorMs },
    { name: 'the same, a snapshot held, ms', value: during.processorMs },
    { name: 'rows that a vacuum had to keep', value: without.keptRows },
    {
      name: 'the same, a snapshot held',
      value: during.keptRows,
      isReached: during.keptRows > without.keptRows,
      goal: 'more',
    },
    { name: 'wakes that were not done', value: left, isReached: left === 0, goal: '0' },
  ];
}

/** Handles wakes, and returns a function that sends one and resolves when it is handled. */
async function startHandling(engine: RunEngine): Promise<(group: string) => Promise<void>> {
  const handlers = new Map<string, () => void>();
  let sent = 0;
  await engine.work({
    versions: ['v1'],
    slots,
    async handle({ runId }) {
      handlers.get(runId)?.();
      handlers.delete(runId);
      return { status: 'done' };
    },
  });
  return async (group) => {
    const runId = `run-${(sent += 1)}`;
    const { promise, resolve } = Promise.withResolvers<void>();
    handlers.set(runId, resolve);
    await engine.wake([{ runId, group, version: 'v1', reason: 'begun' }]);
    await promise;
  };
}

async function measurePhase(
  database: Database,
  wake: (group: string) => Promise<void>,
  seconds: number,
): Promise<Phase> {
  const times: number[] = [];
  const processorMs = database.processorMs();
  const begun = performance.now();
  const endAt = begun + seconds * 1_000;
  const lane = async (_: unknown, index: number): Promise<void> => {
    while (performance.now() < endAt) {
      await wake(`group-${index}`);
      times.push(performance.now());
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const spentMs = database.processorMs() - processorMs;
  const lastMs = seconds * 1_000 * lastPart;
  const last = times.filter((time) => time >= endAt - lastMs && time < endAt).length;
  await database.all('VACUUM');
  return {
    perSecond: last / (lastMs / 1_000),
    processorMs: spentMs / times.length,
    keptRows: await deadRows(database),
  };
}

async function deadRows(database: Database): Promise<number> {
  const [row] = await database.all(
    `SELECT sum(n_dead_tup)::int AS dead FROM pg_stat_all_tables WHERE schemaname = 'ravi_engine'`,
  );
  return Number(row?.['dead']);
}

/** Waits until the engine has recorded the ends of all handlers, and returns its figures. */
async function untilIdle(engine: RunEngine): Promise<Awaited<ReturnType<RunEngine['figures']>>> {
  const giveUpAt = performance.now() + 10_000;
  let figures = await engine.figures();
  while (figures.taken > 0 && performance.now() < giveUpAt) figures = await engine.figures();
  return figures;
}

function meanOf(phases: readonly Phase[]): Phase {
  const mean = (field: keyof Phase): number => phases.reduce((sum, phase) => sum + phase[field], 0) / phases.length;
  return { perSecond: mean('perSecond'), processorMs: mean('processorMs'), keptRows: mean('keptRows') };
}
