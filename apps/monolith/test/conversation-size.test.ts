import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { RaviConfig } from '@ravi/host';
import { postgresForTests } from '@ravi/state-testing';
import pg from 'pg';
import { afterAll, test } from 'vitest';
import { readEvents } from './support/event-reader.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

/** Turns of the conversation. The requirement, at most 10 MB, is for 1 200: `RAVI_TURNS=1200 npm test -- conversation-size`. */
const turns = Number(process.env['RAVI_TURNS'] ?? 240);
const maxBytesPerTurn = 10_000_000 / 1_200;

/** Source of a model that calls a tool when it is asked to, and writes down each request that has the word "check". */
const model = `
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
async function* stream(request) {
  const text = JSON.stringify(request);
  const last = request.messages.at(-1).content;
  if (last.some((block) => block.type === 'text' && block.text.includes('check')) || last[0].type === 'tool_result') {
    appendFileSync(join(import.meta.dirname, 'requests.jsonl'), text + '\\n');
  }
  const isAsked = last.some((block) => block.type === 'text' && block.text.includes('tool'));
  yield { type: 'block', block: isAsked
    ? { type: 'tool_use', id: 'echo', name: 'echo', arguments: { value: last[0].text } }
    : { type: 'text', text: 'Noted, turn ' + request.messages.length + '.' } };
  yield { type: 'finish', reason: isAsked ? 'tool-use' : 'end', usage: { inputTokens: 10, outputTokens: 5 } };
}
const create = () => ({ id: 'noting', stream });
export default { name: 'noting', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

const postgres = await postgresForTests();
afterAll(() => postgres[Symbol.asyncDispose]());
const { url } = postgres;
const limits = { timeout: 600_000 };

test('a long conversation of small turns stays small in SQLite, and every prompt can be read', limits, () =>
  assertSize({}, databaseBytes),
);

test.skipIf(url === undefined)(
  'a long conversation of small turns stays small in PostgreSQL, and every prompt can be read',
  limits,
  async () => {
    assert.ok(url !== undefined);
    const schema = `conversation_${process.pid}`;
    await assertSize({ stateStore: { use: '@ravi/state-postgres', url, schema } }, () => schemaBytes(url, schema));
  },
);

async function assertSize(
  plugins: NonNullable<RaviConfig['plugins']>,
  measure: (server: TestServer) => number | Promise<number>,
): Promise<void> {
  const models = { modelProvider: [{ use: './model.mjs' }] };
  const config = { plugins: { ...plugins, ...models }, agent: { system: 'Be brief. '.repeat(100) } };
  await using server = await startServer(config, { 'model.mjs': model }, { isServer: true });
  // Empty tables and indexes are of the same size for any conversation.
  const emptyBytes = await measure(server);
  const runs: string[] = [];
  let session = {};
  for (let turn = 1; turn <= turns; turn++) {
    const isChecked = turn % 40 === 0;
    const task = isChecked ? `check, and call the tool in turn ${turn}` : `This is turn ${turn}.`;
    const { body: run } = await server.post('/v1/runs', { kind: 'agent', task, ...session });
    session = { sessionId: run.sessionId };
    for await (const _ of readEvents(await fetch(`${server.url}/v1/runs/${run.id}/events`)));
    if (isChecked) runs.push(run.id);
  }
  const bytes = (await measure(server)) - emptyBytes;
  const lines = (await readFile(join(server.installation.folder, 'requests.jsonl'), 'utf8')).trim().split('\n');
  const sent = lines.map((line) => JSON.parse(line) as unknown);
  const stored: unknown[] = [];
  for (const runId of runs) {
    const { body } = await server.get(`/v1/runs/${runId}/exchanges`);
    assert.deepEqual(
      body.items.map(({ step }: { step: number }) => step),
      [1, 2],
    );
    for (const { request } of body.items) stored.push(request);
  }
  assert.equal(stored.length, 2 * Math.floor(turns / 40));
  assert.deepEqual(stored, sent);
  if (process.env['RAVI_SHOW_FIGURES'] === '1') console.log(`${bytes} bytes for ${turns} turns`);
  assert.ok(bytes <= turns * maxBytesPerTurn, `${bytes} bytes for ${turns} turns`);
}

/** Returns the size of a schema with its indexes, without the space that a vacuum makes free. */
async function schemaBytes(connectionString: string, schema: string): Promise<number> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1',
      [schema],
    );
    for (const { name } of tables.rows) await client.query(`VACUUM FULL ${schema}.${name}`);
    const { rows } = await client.query<{ bytes: string }>(
      `SELECT sum(pg_total_relation_size(format('%I.%I', schemaname, tablename)::regclass)) AS bytes FROM pg_tables WHERE schemaname = $1`,
      [schema],
    );
    return Number(rows[0]?.bytes);
  } finally {
    await client.end();
  }
}

/** Returns the size of the state database after everything in its log is in the file. */
function databaseBytes({ installation }: TestServer): number {
  const database = new DatabaseSync(join(installation.folder, 'data/state.db'));
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const { pages } = database.prepare('SELECT page_count AS pages FROM pragma_page_count()').get() as { pages: number };
  const { size } = database.prepare('SELECT page_size AS size FROM pragma_page_size()').get() as { size: number };
  database.close();
  return pages * size;
}
