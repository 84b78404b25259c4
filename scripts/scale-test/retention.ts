import { setTimeout as pause } from 'node:timers/promises';
import type { CompleteStateStore, JournalEntry } from '../../packages/kernel/src/index.ts';
import { createPostgresStateStore } from '../../packages/state/postgres/src/index.ts';
import { percentile } from '../load-test/figures.ts';
import { startDatabase } from './database.ts';
import type { Database } from './database.ts';
import type { ScaleOptions, ScaleResult } from './figures.ts';
import { copyRows } from './parked-runs.ts';

/** Runs that are written call by call, and packed. The others are copies of a packed one. */
const writtenRuns = 200;
const writersAtOnce = 16;
const askEveryMs = 5;
const maxGrowth = 1.1;

/** Work of some time. */
interface Phase {
  readonly perSecond: number;
  /** Processor time of PostgreSQL for each run, in milliseconds. */
  readonly processorMs: number;
  /** Bytes of the write-ahead log for each run. */
  readonly logBytes: number;
}

/**
 * Measures the cost of old runs: of packing their journals, of removing them one by one, and for the calls of others meanwhile; and if the
 * space of removed runs is used again.
 */
export async function measureRetention({ oldRuns, calls }: ScaleOptions): Promise<readonly ScaleResult[]> {
  await using database = await startDatabase();
  await using store = await createPostgresStateStore({ url: database.url, schema: 'ravi' });
  for (let begun = 0; begun < writtenRuns; begun += writersAtOnce) {
    const count = Math.min(writersAtOnce, writtenRuns - begun);
    await Promise.all(Array.from({ length: count }, (_, index) => writeRun(store, `run-${begun + index}`, calls)));
  }
  const quiet = await delayOfCalls(store, async (isOver) => {
    while (!isOver()) await pause(askEveryMs);
  });
  const packing = await phaseOf(database, writtenRuns, async () => {
    while (await store.retention.packNext(Date.now()));
  });

  const fill = (from: number): Promise<void> => copyPacked(database, from, from + oldRuns - 1);
  await fill(1);
  const filled = await sizeOf(database);
  let removing: Phase | undefined;
  const busy = await delayOfCalls(store, async () => {
    removing = await phaseOf(database, oldRuns, () => removeCopies(store, 1, oldRuns));
  });
  await database.all('VACUUM');
  await fill(oldRuns + 1);
  const growth = (await sizeOf(database)) / filled;
  if (removing === undefined) throw new Error('Nothing was removed');
  return [
    ...resultsOf(`packed, ${calls} calls each`, packing),
    ...resultsOf(`removed of ${oldRuns}`, removing),
    { name: 'begin of a call, p99 ms', value: quiet },
    { name: 'begin of a call while runs are removed, p99 ms', value: busy },
    {
      name: 'size after removing and adding as many runs, divided by that before',
      value: growth,
      isReached: growth <= maxGrowth,
      goal: `at most ${maxGrowth}`,
    },
  ];
}

function resultsOf(work: string, { perSecond, processorMs, logBytes }: Phase): readonly ScaleResult[] {
  return [
    { name: `runs ${work}, per second`, value: perSecond },
    { name: 'processor time of PostgreSQL for each, ms', value: processorMs },
    { name: 'bytes of the write-ahead log for each', value: logBytes },
  ];
}

function entryOf(runId: string, position: number): JournalEntry {
  return {
    runId,
    sessionId: 'session',
    idempotencyKey: `${runId}:${position}`,
    position,
    toolDigest: 'digest-of-tool',
    record: {
      callId: `call-${position}`,
      tool: 'write',
      caller: 'chain',
      argsDigest: `digest-${position}`,
      argsPreview: JSON.stringify({ path: `notes/${position}.md`, text: 'Nothing is certain yet. '.repeat(4) }),
      status: 'started',
      startedAt: Date.now(),
      durationMs: 0,
    },
  };
}

async function writeRun({ runs, journal }: CompleteStateStore, id: string, calls: number): Promise<void> {
  const createdAt = Date.now();
  await runs.create({ id, principal: 'ada', sessionId: 'session', definition: { kind: 'chain' }, createdAt });
  for (let position = 1; position <= calls; position += 1) {
    const entry = entryOf(id, position);
    await journal.started(entry);
    const record = { ...entry.record, status: 'ok' as const, durationMs: 1 };
    const text = `Wrote ${(position * 7_919).toString(36)}. `.repeat(20);
    await journal.finished({ ...entry, record }, { status: 'ok', text, files: [] });
  }
  await runs.transition(id, { from: ['running'], to: 'completed', now: Date.now(), outcome: { result: 'done' } });
}

/** Copies a packed run, the copies `from` to `to`. */
async function copyPacked(database: Database, from: number, to: number): Promise<void> {
  const tables = [
    ['ravi_runs', 'id'],
    ['ravi_packed_rows', 'run_id'],
  ] as const;
  await copyRows(database, ['run-0'], tables, from, to);
}

async function removeCopies({ retention }: CompleteStateStore, from: number, to: number): Promise<void> {
  for (let copy = from; copy <= to; copy += 1) {
    if (!(await retention.removeRun(`run-0.${copy}`))) throw new Error(`Run run-0.${copy} could not be removed`);
  }
}

async function phaseOf(database: Database, count: number, work: () => Promise<void>): Promise<Phase> {
  const position = async (): Promise<number> => {
    const [row] = await database.all("SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes");
    return Number(row?.['bytes']);
  };
  const [logBytes, processorMs, begun] = [await position(), database.processorMs(), performance.now()];
  await work();
  return {
    perSecond: (count / (performance.now() - begun)) * 1_000,
    processorMs: (database.processorMs() - processorMs) / count,
    logBytes: ((await position()) - logBytes) / count,
  };
}

/** Begins one call after the other during the work. Returns the 99th percentile of their times. */
async function delayOfCalls(
  { runs, journal }: CompleteStateStore,
  work: (isOver: () => boolean) => Promise<void>,
): Promise<number> {
  const id = `asking-${crypto.randomUUID()}`;
  await runs.create({
    id,
    principal: 'bea',
    sessionId: 'session',
    definition: { kind: 'chain' },
    createdAt: Date.now(),
  });
  const leastUntil = performance.now() + 5_000;
  let isWorking = true;
  const working = work(() => performance.now() >= leastUntil).finally(() => (isWorking = false));
  const times: number[] = [];
  for (let position = 1; isWorking; position += 1) {
    const begun = performance.now();
    await journal.started(entryOf(id, position));
    times.push(performance.now() - begun);
    await pause(askEveryMs);
  }
  await working;
  return percentile(Float64Array.from(times).sort(), 0.99);
}

async function sizeOf(database: Database): Promise<number> {
  const [row] = await database.all(
    `SELECT sum(pg_total_relation_size(oid))::bigint AS bytes FROM pg_class
     WHERE relname IN ('ravi_runs', 'ravi_packed_rows') AND relnamespace = 'ravi'::regnamespace`,
  );
  return Number(row?.['bytes']);
}
