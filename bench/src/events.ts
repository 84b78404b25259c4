import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { CompleteStateStore, NewRunEvent } from '@ravi/kernel';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import type { Contender } from './interleave.ts';
import type { BenchGroup, BenchRow } from './row.ts';
import { rowsOf } from './rows-of.ts';

const events = 2_000;
const owner = 'bench';

/** Pattern in which events arrive: `runs` runs at once, each with `batch` events in one append. */
interface Arrival {
  readonly name: string;
  readonly runs: number;
  readonly batch: number;
}

const arrivals: readonly Arrival[] = [
  { name: 'one event of one run after the other', runs: 1, batch: 1 },
  { name: '20 events of one run together', runs: 1, batch: 20 },
  { name: 'one event of each of 100 runs together', runs: 100, batch: 1 },
];

/** Measures the processor time of storing an event, which other programs on the machine do not change. */
export const benchEvents: BenchGroup = async ({ rounds }) => {
  const folder = mkdtempSync(join(tmpdir(), 'ravi-bench-events-'));
  await using store = await createSqliteStateStore({ file: join(folder, 'state.db') });
  using bare = openBare(join(folder, 'bare.db'));
  try {
    const rows: BenchRow[] = [];
    for (const arrival of arrivals) {
      const together = arrival.runs * arrival.batch;
      const floor: Contender = {
        name: `${together === 1 ? 'an INSERT' : `${together} INSERTs`} in a transaction`,
        measure: async () => cpuUsOf(async () => insertAll(bare, together)),
      };
      const ours: Contender = {
        name: 'event store',
        measure: async () => {
          const runIds = await startRuns(store, arrival.runs);
          return cpuUsOf(() => appendAll(store, runIds, arrival.batch));
        },
      };
      const name = `SQLite, processor time per event: ${arrival.name}`;
      rows.push(...(await rowsOf({ group: 'events', name, unit: 'µs', ours, floor }, rounds)));
    }
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Returns the microseconds of processor time per event. */
async function cpuUsOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / events;
}

function eventOf(n: number): NewRunEvent {
  const data = {
    callId: `call_${n}`,
    tool: 'look',
    status: 'ok',
    durationMs: 1.5,
    bytes: 120,
    argsPreview: '{"id":17}',
  };
  return { n, at: 1_700_000_000_000 + n, type: 'tool-result', data };
}

async function startRuns({ runs }: CompleteStateStore, count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, () => `run_${crypto.randomUUID()}`);
  for (const id of ids) {
    const definition = { kind: 'chain' };
    await runs.create({ id, principal: 'ada', sessionId: 's', definition, createdAt: 1 }, { owner });
  }
  return ids;
}

async function appendAll(store: CompleteStateStore, runIds: readonly string[], batch: number): Promise<void> {
  for (let n = 1; n <= events / runIds.length; n += batch) {
    const added = Array.from({ length: batch }, (_, index) => eventOf(n + index));
    await Promise.all(runIds.map((id) => store.events.append(id, { owner, epoch: 1 }, added)));
  }
}

/** A database with the same rows, its settings, and nothing else. */
interface BareDatabase extends Disposable {
  readonly database: DatabaseSync;
  runs: number;
}

function openBare(file: string): BareDatabase {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  database.exec('CREATE TABLE events (run TEXT, n INTEGER, record TEXT, PRIMARY KEY (run, n)) WITHOUT ROWID');
  return { database, runs: 0, [Symbol.dispose]: () => database.close() };
}

function insertAll(bare: BareDatabase, together: number): void {
  const { database } = bare;
  const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?)');
  const run = `run_${(bare.runs += 1)}`;
  for (let n = 1; n <= events; n += together) {
    database.exec('BEGIN IMMEDIATE');
    for (let index = 0; index < together; index++) insert.run(run, n + index, JSON.stringify(eventOf(n + index)));
    database.exec('COMMIT');
  }
}
