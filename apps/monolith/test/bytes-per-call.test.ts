import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { postgresForTests } from '@ravi/state-testing';
import pg from 'pg';
import { afterAll, test } from 'vitest';
import { startServer, stateStoreOf } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const calls = 400;
const maxBytesPerCall = 500;
const postgres = await postgresForTests();
afterAll(() => postgres[Symbol.asyncDispose]());

const lookTool = `
export default {
  name: 'look', description: 'Looks up a record.', risk: 'safe',
  inputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
  async execute({ id }) { return { content: [{ type: 'text', text: 'Record ' + id + ' is ' + (id % 7 === 0 ? 'open' : 'closed') }], isError: false }; },
};`;

const script = `
let open = 0;
for (let id = 0; id < ${calls}; id++) if ((await tools.look({ id })).includes('open')) open++;
return open;`;

/** Returns how many bytes the database has grown per call of one run, once the run is packed. */
async function bytesPerCall(server: TestServer, measure: () => number | Promise<number>): Promise<number> {
  const run = async (): Promise<string> => {
    const { status, body } = await server.chain(script, { maxScriptCalls: calls });
    assert.deepEqual([status, body.status], [200, 'ok'], JSON.stringify(body).slice(0, 500));
    const { retention } = stateStoreOf(server.monolith);
    while (await retention.packNext(Date.now() + 60_000));
    return body.runId;
  };
  await run();
  const before = await measure();
  const runId = await run();
  const bytes = (await measure()) - before;
  const { body } = await server.get(`/v1/runs/${runId}`);
  assert.equal(body.trace.length, calls);
  assert.deepEqual(
    body.trace.map(({ argsPreview }: { argsPreview: string }) => argsPreview),
    Array.from({ length: calls }, (_, id) => JSON.stringify({ id })),
  );
  return bytes / calls;
}

const files = { 'tools/look.mjs': lookTool };
const policy = { maxScriptCalls: calls };

test('a safe call takes at most 500 bytes of a SQLite database', { timeout: 120_000 }, async () => {
  await using server = await startServer({ policy }, files, { isServer: true });
  const found = await bytesPerCall(server, () => {
    const database = new DatabaseSync(join(server.installation.folder, 'data/state.db'));
    const numberOf = (pragma: string): number =>
      Number(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);
    const bytes = (numberOf('page_count') - numberOf('freelist_count')) * numberOf('page_size');
    database.close();
    return bytes;
  });
  assert.ok(found > 0 && found <= maxBytesPerCall, `${found} bytes per call`);
});

const { url } = postgres;
test.skipIf(url === undefined)(
  'a safe call takes at most 500 bytes of a PostgreSQL database',
  { timeout: 120_000 },
  async () => {
    assert.ok(url !== undefined);
    const schema = `bytes_${process.pid}`;
    const plugins = { stateStore: { use: '@ravi/state-postgres', url, schema } };
    await using server = await startServer({ policy, plugins }, files, { isServer: true });
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const found = await bytesPerCall(server, async () => {
        const tables = await client.query<{ name: string }>(
          'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1',
          [schema],
        );
        // What autovacuum makes free is reused; a full vacuum leaves only what is in use.
        for (const { name } of tables.rows) await client.query(`VACUUM FULL ${schema}.${name}`);
        const sizes = await client.query<{ bytes: string }>(
          `SELECT sum(pg_total_relation_size(format('%I.%I', schemaname, tablename)::regclass)) AS bytes FROM pg_tables WHERE schemaname = $1`,
          [schema],
        );
        return Number(sizes.rows[0]?.bytes);
      });
      assert.ok(found > 0 && found <= maxBytesPerCall, `${found} bytes per call`);
    } finally {
      await client.end();
    }
  },
);
