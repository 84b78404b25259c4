import assert from 'node:assert/strict';
import { postgresForTests } from '@ravi/state-testing';
import pg from 'pg';
import { afterAll, test } from 'vitest';
import { createPostgresStateStore } from '../src/index.ts';

const server = await postgresForTests();
afterAll(() => server[Symbol.asyncDispose]());
const { url = '' } = server;
const withServer = server.url === undefined ? test.skip : test;

async function connect(schema: string): Promise<Pick<pg.Client, 'query'> & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

async function waitsForRow(client: Pick<pg.Client, 'query'>): Promise<void> {
  for (;;) {
    const { rows } = await client.query("SELECT 1 FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted");
    if (rows.length > 0) return;
  }
}

withServer('a run that is removed while it is packed leaves no packed rows', async () => {
  const schema = `packing_${process.pid}`;
  await using store = await createPostgresStateStore({ url, schema });
  await using remover = await connect(schema);
  const { runs, events, retention } = store;
  const row = { id: 'run-1', principal: 'ada', sessionId: 's', definition: { kind: 'chain' }, createdAt: 1 };
  await runs.create(row, { owner: 'one' });
  await events.append('run-1', { owner: 'one', epoch: 1 }, [{ n: 1, at: 1, type: 'console', data: {} }]);
  await runs.transition('run-1', { from: ['running'], to: 'completed', now: 2 });

  // As another server removes it, up to its packed rows.
  await remover.query("BEGIN; DELETE FROM ravi_runs WHERE id = 'run-1'");
  await remover.query("DELETE FROM ravi_run_events WHERE run_id = 'run-1'");
  const packing = retention.packNext(10);
  await waitsForRow(remover);
  await remover.query("DELETE FROM ravi_packed_rows WHERE run_id = 'run-1'");
  await remover.query('COMMIT');
  await packing;
  assert.deepEqual((await remover.query('SELECT * FROM ravi_packed_rows')).rows, []);
});
