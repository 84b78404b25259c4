import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { postgresForTests, startTcpProxy } from '@ravi/state-testing';
import { afterAll, test } from 'vitest';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';
import { send, untilStatus } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';

const postgres = await postgresForTests();
afterAll(() => postgres[Symbol.asyncDispose]());
const onPostgres = postgres.url === undefined ? test.skip : test;

const model = `
async function* stream() {
  yield { type: 'block', block: { type: 'text', text: 'done' } };
  yield { type: 'finish', reason: 'end', usage: { inputTokens: 1, outputTokens: 1 } };
}
const create = () => ({ id: 'done', stream });
export default { name: 'done', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

function startWith(stateStore: object): Promise<TestServer> {
  const config = {
    runs: { startTimeoutMs: 1_000 },
    plugins: { stateStore: stateStore as never, modelProvider: [{ use: './model.mjs' }] },
  };
  return startServer(config, { 'model.mjs': model });
}

const code = `return await tools.launch.safe({ target: 'moon' })`;
const requests = {
  'a script whose result is awaited': ['/v1/chains', { code }],
  'a script whose events are read': ['/v1/chains?stream=1', { code }],
  'a script in the background': ['/v1/runs', { kind: 'chain', code }],
  'a task of the agent': ['/v1/runs', { kind: 'agent', task: 'work' }],
} as const;

interface Refusal {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly code: string;
}

async function refusalOf(url: string, [path, body]: readonly [string, object], headers = {}): Promise<Refusal> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  assert.ok(text.startsWith('{'), text);
  const { error }: Body = JSON.parse(text);
  return { status: response.status, retryAfter: response.headers.get('retry-after'), code: error?.code };
}

async function runIds(url: string): Promise<readonly string[]> {
  return (await send(url, '/v1/runs')).items.map(({ id }: Body) => id);
}

/** Starts one run of each kind, so that the limits of the principal are known to the process, and returns their ids. */
async function warmUp(url: string): Promise<readonly string[]> {
  for (const kind of [
    { kind: 'chain', code: 'return 1' },
    { kind: 'agent', task: 'work' },
  ]) {
    const { id } = await send(url, '/v1/runs', kind);
    await untilStatus(url, id, 'completed');
  }
  return runIds(url);
}

test('while another process locks the SQLite file, a start ends with E_NOT_STARTED, and nothing runs later', async () => {
  await using server = await startWith({ use: '@ravi/state-sqlite', file: './state.db', busyTimeoutMs: 50 });
  const { url } = server;
  const before = await warmUp(url);
  const other = new DatabaseSync(join(server.installation.folder, 'state.db'));
  other.exec('BEGIN IMMEDIATE');
  const refusals = await Promise.all(Object.values(requests).map((request) => refusalOf(url, request)));
  for (const refusal of refusals) assert.deepEqual(refusal, { status: 503, retryAfter: '5', code: 'E_NOT_STARTED' });
  // A key cannot be stored either, so it stays free.
  const keyed = [requests['a script in the background'], { 'idempotency-key': 'one' }] as const;
  assert.deepEqual((await refusalOf(url, ...keyed)).status, 503);
  other.exec('ROLLBACK');
  other.close();
  assert.deepEqual(await runIds(url), before);

  const started = await Promise.all([1, 2].map(() => refusalOf(url, ...keyed)));
  assert.deepEqual(
    started.map(({ status }) => status),
    [201, 201],
  );
  const after = await runIds(url);
  assert.equal(after.length, before.length + 1);
  for (const id of after) await untilStatus(url, id, 'completed');
}, 60_000);

for (const fault of ['cut', 'blackHole'] as const) {
  onPostgres(
    `while the network to PostgreSQL is down (${fault}), a start ends with 503, and nothing runs later`,
    async () => {
      const direct = new URL(postgres.url as string);
      await using proxy = await startTcpProxy(Number(direct.port));
      direct.port = String(proxy.port);
      const schema = `starts_${fault.toLowerCase()}_${process.pid}`;
      const stateStore = { use: '@ravi/state-postgres', url: direct.href, schema, timeoutMs: 500 };
      await using server = await startWith(stateStore);
      const { url } = server;
      const before = await warmUp(url);
      proxy[fault]();
      const refusals = await Promise.all(
        Object.entries(requests).map(async ([name, request]) => ({ name, ...(await refusalOf(url, request)) })),
      );
      for (const { name, status, code: refused, retryAfter } of refusals) {
        const isAgent = name === 'a task of the agent';
        // The agent reads the runs of its session first, and does not wait for that.
        assert.deepEqual([name, status, refused], [name, 503, isAgent ? 'E_STATE_UNAVAILABLE' : 'E_NOT_STARTED']);
        if (!isAgent) assert.equal(retryAfter, '5');
      }
      proxy.heal();
      let after: readonly string[] | undefined;
      while (after === undefined) after = await runIds(url).catch(() => undefined);
      assert.deepEqual(after, before);
      const { id } = await send(url, ...requests['a script in the background']);
      await untilStatus(url, id, 'completed');
      assert.deepEqual(await runIds(url), [id, ...before]);
    },
    60_000,
  );
}
