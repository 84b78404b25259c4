import { KernelError } from '@ravi/kernel';
import type { CompleteStateStore } from '@ravi/kernel';
import { createPostgresStateStore } from '@ravi/state-postgres';
import { postgresForTests } from '@ravi/state-testing';
import pg from 'pg';
import type { Contender } from './interleave.ts';
import type { BenchGroup, BenchRow } from './row.ts';
import { rowsOf } from './rows-of.ts';

const owner = 'bench';
const beats = 20;
const beatsPerSecond = 0.3;
const deadAfterMs = 10_000;
const schema = 'ravi_processes_bench';

/**
 * Measures the write-ahead log with which a process keeps its runs, per run and second: one heartbeat for all of them every third of ten
 * seconds. The peer renews each run, as the lease of a run would. Without PostgreSQL there are no rows.
 */
export const benchProcesses: BenchGroup = async ({ rounds }) => {
  await using server = await postgresForTests();
  if (server.url === undefined) return [];
  const client = new pg.Client({ connectionString: server.url, options: `-c search_path=${schema}` });
  await client.connect();
  try {
    const rows: BenchRow[] = [];
    for (const runs of [1, 100, 10_000]) rows.push(...(await rowsOfRuns(server.url, client, { runs, rounds })));
    return rows;
  } finally {
    await client.end();
  }
};

async function rowsOfRuns(
  url: string,
  client: pg.Client,
  { runs, rounds }: { readonly runs: number; readonly rounds: number },
): Promise<readonly BenchRow[]> {
  await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await using store = await createPostgresStateStore({ url, schema });
  await prepare(store, client, runs);
  // A page is written whole at its first change after a checkpoint, and that is not compared here.
  await client.query('CHECKPOINT');
  const perRunAndSecond = async (work: () => Promise<void>): Promise<number> =>
    ((await bytesOf(client, work)) * beatsPerSecond) / runs;
  const ours: Contender = {
    name: 'heartbeat of the process',
    measure: () =>
      perRunAndSecond(async () => {
        const held = await store.runs.listHeld(owner);
        if (held.length !== runs) throw new KernelError('E_INTERNAL', `${held.length} runs are held, not ${runs}`);
        for (let beat = 0; beat < beats; beat++) await store.processes.beat(owner);
      }).then((bytes) => bytes / beats),
  };
  const renewal: Contender = {
    name: 'renewal of each run',
    measure: () =>
      perRunAndSecond(async () => {
        for (let run = 0; run < runs; run++) {
          await client.query('UPDATE ravi_runs SET lease_expires_at = $2 WHERE id = $1', [`run-${run}`, Date.now()]);
        }
      }),
  };
  const name = `PostgreSQL, write-ahead log per run and second with ${runs} runs`;
  return await rowsOf({ group: 'processes', name, unit: 'B', ours, peers: [renewal] }, rounds);
}

async function prepare({ processes, runs }: CompleteStateStore, client: pg.Client, count: number): Promise<void> {
  await processes.register({ id: owner, deadAfterMs });
  await runs.create(
    { id: 'run-0', principal: 'ada', sessionId: 's', definition: { kind: 'chain' }, createdAt: 1 },
    { owner },
  );
  // Copies of the first, because creating each takes a transaction.
  await client.query(
    `INSERT INTO ravi_runs (id, principal_key, session_id, status, updated_at, lease_owner, record, epoch, kind)
     SELECT 'run-' || n, principal_key, session_id, status, updated_at, lease_owner, record, epoch, kind
     FROM ravi_runs, generate_series(1, $1::int) n`,
    [count - 1],
  );
}

async function bytesOf(client: pg.Client, work: () => Promise<void>): Promise<number> {
  const before = await position(client);
  await work();
  return (await position(client)) - before;
}

async function position(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>("SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes");
  return Number(rows[0]?.bytes);
}
