import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { postgresForTests } from '@ravi/state-testing';
import { sampleOfDay } from '@ravi/testkit';
import pg from 'pg';
import { afterAll, test } from 'vitest';
import { readEvents } from './support/event-reader.ts';
import { startServer, stateStoreOf } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const calls = 400;
const postgres = await postgresForTests();
afterAll(() => postgres[Symbol.asyncDispose]());

const lookTool = `
export default {
  name: 'look', description: 'Looks up a record.', risk: 'safe',
  inputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
  async execute({ id }) { return { content: [{ type: 'text', text: 'Record ' + id + ' is ' + (id % 7 === 0 ? 'open' : 'closed') }], isError: false }; },
};`;

const oneByOne = `
let open = 0;
for (let id = 0; id < ${calls}; id++) if ((await tools.look({ id })).includes('open')) open++;
return open;`;

const inParallel = `
const ids = Array.from({ length: ${calls} }, (_, id) => id);
const states = await Promise.all(ids.map((id) => tools.look({ id })));
return states.filter((state) => state.includes('open')).length;`;

/** Source of a model that calls the tool as many times in each step as the task says. */
const model = `
async function* stream({ messages }) {
  const perStep = Number(/[0-9]+/.exec(messages.find(({ role }) => role === 'user').content[0].text)[0]);
  const from = messages.filter(({ role }) => role === 'assistant').length * perStep;
  const isDone = from === ${calls};
  if (isDone) {
    yield { type: 'block', block: { type: 'text', text: 'done' } };
  } else {
    for (let id = from; id < from + perStep; id++) {
      yield { type: 'block', block: { type: 'tool_use', id: 'call_' + id, name: 'look', arguments: { id } } };
    }
  }
  yield { type: 'finish', reason: isDone ? 'end' : 'tool-use', usage: { inputTokens: 1, outputTokens: 1 } };
}
export default { name: 'looking', port: 'modelProvider', configSchema: { type: 'object' }, create: () => ({ id: 'looking', stream }) };
`;

/** Executes one run with all calls and returns its id. */
type Execute = (server: TestServer) => Promise<string>;

function script(code: string): Execute {
  return async (server) => {
    const { status, body } = await server.chain(code, { maxScriptCalls: calls });
    assert.deepEqual([status, body.status], [200, 'ok'], JSON.stringify(body).slice(0, 500));
    return body.runId;
  };
}

function agent(perStep: number): Execute {
  return async (server) => {
    const { body: run } = await server.post('/v1/runs', {
      kind: 'agent',
      task: `Look at ${perStep} records per step.`,
    });
    for await (const _ of readEvents(await fetch(`${server.url}/v1/runs/${run.id}/events`)));
    return run.id;
  };
}

const maxBytes = 500;

const kinds = sampleOfDay<{ readonly name: string; readonly execute: Execute }>(
  [
    { name: 'a script with one call after the other', execute: script(oneByOne) },
    { name: 'a script with all calls at once', execute: script(inParallel) },
    { name: 'an agent with 20 calls per step', execute: agent(20) },
    { name: 'an agent with one call per step', execute: agent(1) },
  ],
  4,
);

/** Measures how many bytes the database grows per call of a run, once the run is packed. */
async function assertBytesPerCall(server: TestServer, measure: () => number | Promise<number>): Promise<void> {
  const { retention } = stateStoreOf(server.monolith);
  for (const { name, execute } of kinds) {
    const run = async (): Promise<string> => {
      const runId = await execute(server);
      while (await retention.packNext(Date.now() + 60_000));
      return runId;
    };
    await run();
    const before = await measure();
    const runId = await run();
    const found = ((await measure()) - before) / calls;
    const { body } = await server.get(`/v1/runs/${runId}`);
    const shown = body.trace.map(({ argsPreview }: { argsPreview: string }) => argsPreview);
    const expected = Array.from({ length: calls }, (_, id) => JSON.stringify({ id }));
    assert.deepEqual(shown.toSorted(), expected.toSorted(), name);
    if (process.env['RAVI_SHOW_FIGURES'] === '1') console.log(`${name}: ${found} bytes per call`);
    assert.ok(found > 0 && found <= maxBytes, `${name}: ${found} bytes per call`);
  }
}

const models = { modelProvider: [{ use: './model.mjs' }] };
const files = { 'tools/look.mjs': lookTool, 'model.mjs': model };
const policy = { maxScriptCalls: calls, maxToolCalls: calls, maxInFlight: calls };
const agentOptions = { maxSteps: calls + 1 };

test('a safe call takes at most 500 bytes of a SQLite database', { timeout: 120_000 }, async () => {
  await using server = await startServer({ policy, agent: agentOptions, plugins: models }, files, { isServer: true });
  await assertBytesPerCall(server, () => {
    const database = new DatabaseSync(join(server.installation.folder, 'data/state.db'));
    const numberOf = (pragma: string): number =>
      Number(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);
    const bytes = (numberOf('page_count') - numberOf('freelist_count')) * numberOf('page_size');
    database.close();
    return bytes;
  });
});

const { url } = postgres;
test.skipIf(url === undefined)(
  'a safe call takes at most 500 bytes of a PostgreSQL database',
  { timeout: 120_000 },
  async () => {
    assert.ok(url !== undefined);
    const schema = `bytes_${process.pid}`;
    const plugins = { ...models, stateStore: { use: '@ravi/state-postgres', url, schema } };
    await using server = await startServer({ policy, agent: agentOptions, plugins }, files, { isServer: true });
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await assertBytesPerCall(server, async () => {
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
    } finally {
      await client.end();
    }
  },
);
