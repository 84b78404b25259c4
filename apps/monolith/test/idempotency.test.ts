import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sha256OfJson } from '@ravi/invoker';
import { KernelError, requireStateStoreParts } from '@ravi/kernel';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { createFakeClock, createMemoryLogger } from '@ravi/testkit';
import { test, vi } from 'vitest';
import { startKeyRemoval } from '../src/maintenance/request-keys.ts';
import { createInstallation } from './support/installation.ts';
import { startServer, stateStoreOf } from './support/server.ts';
import { startBundled } from './support/server-process.ts';

const key = { 'idempotency-key': 'order-17' };
const launch = { kind: 'chain', code: `return await tools.launch({ target: 'moon' })` } as const;
const policy = { maxRiskUnapproved: 'high' } as const;

test('requests with one key start one run, one after the other and at once', async () => {
  await using server = await startServer({ policy }, {}, { isServer: true });
  const answers = await Promise.all([1, 2, 3].map(() => server.post('/v1/runs', launch, key)));
  answers.push(await server.post('/v1/runs', launch, key));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
  assert.equal((await server.get('/v1/runs')).body.items.length, 1);
  const other = await server.post('/v1/runs', launch, { 'idempotency-key': 'order-18' });
  assert.notEqual(other.body.id, answers[0]?.body.id);
});

test('a key that was used for another request is refused with 422', async () => {
  await using server = await startServer({ policy }, {}, { isServer: true });
  await server.post('/v1/runs', launch, key);
  for (const [path, body] of [
    ['/v1/runs', { ...launch, code: 'return 1' }],
    ['/v1/chains', { code: launch.code }],
  ] as const) {
    const refused = await server.post(path, body, key);
    assert.deepEqual([refused.status, refused.body.error.code], [422, 'E_KEY_REUSED']);
    assert.match(refused.body.error.message, /order-17/);
  }
  const invalid = await server.post('/v1/runs', launch, { 'idempotency-key': 'x'.repeat(201) });
  assert.deepEqual([invalid.status, invalid.body.error.code], [400, 'E_REQUEST_INVALID']);
});

test('a repeated call or script gets the same response or events, and the effect happens once', async () => {
  await using server = await startServer({ policy }, {}, { isServer: true });
  for (const [path, body, name] of [
    ['/v1/tools/launch', { args: { target: 'moon' } }, 'a'],
    ['/v1/chains', { code: launch.code }, 'b'],
    ['/v1/chains?stream=1', { code: launch.code }, 'c'],
  ] as const) {
    const post = async (): Promise<string> => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': name };
      const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      assert.equal(response.status, 200, await response.clone().text());
      return response.text();
    };
    const before = (await server.installation.launches()).length;
    const [first, second] = await Promise.all([post(), post()]);
    const third = await post();
    assert.deepEqual([second, third], [first, first], path);
    assert.equal((await server.installation.launches()).length, before + 1, path);
  }
});

/** Source of a state store that is unavailable when the first call is recorded. */
const storeWithOutage = `
import { createSqliteStateStore } from ${JSON.stringify(import.meta.resolve('@ravi/state-sqlite'))};
import { KernelError } from ${JSON.stringify(import.meta.resolve('@ravi/kernel'))};
import { resolve } from 'node:path';
const create = async ({ file }, { baseDir }) => {
  const store = await createSqliteStateStore({ file: resolve(baseDir, file) });
  let isOver = false;
  const started = async (entry) => {
    if (isOver) return store.journal.started(entry);
    isOver = true;
    throw new KernelError('E_STATE_UNAVAILABLE', 'The database does not respond');
  };
  return { ...store, journal: { ...store.journal, started } };
};
const configSchema = { type: 'object', properties: { file: { type: 'string' } } };
export default { name: 'unavailable-state', port: 'stateStore', configSchema, create };
`;

test('a call that did not start because the store was unavailable can be repeated with its key', async () => {
  const config = { policy, plugins: { stateStore: { use: './store.mjs', file: './data/state.db' } } };
  await using server = await startServer(config, { 'store.mjs': storeWithOutage }, { isServer: true });
  const launchMoon = { args: { target: 'moon' } };
  const refused = await server.post('/v1/tools/launch', launchMoon, key);
  assert.deepEqual([refused.status, refused.body.error.code], [503, 'E_STATE_UNAVAILABLE']);
  assert.match(refused.body.error.message, /not started/);
  const repeated = await server.post('/v1/tools/launch', launchMoon, key);
  assert.deepEqual([repeated.status, repeated.body.status], [200, 'ok'], JSON.stringify(repeated.body));
  assert.equal((await server.installation.launches()).length, 1);
});

test('a refused request does not use up its key', async () => {
  await using server = await startServer({ policy }, {}, { isServer: true });
  assert.equal((await server.post('/v1/runs', { kind: 'chain' }, key)).status, 400);
  assert.equal((await server.post('/v1/runs', launch, key)).status, 201);
  const unsupported = { code: 'print(1)', language: 'python' };
  for (let attempt = 1; attempt <= 2; attempt++) {
    const { status, body } = await server.post('/v1/chains', unsupported, { 'idempotency-key': 'order-18' });
    assert.deepEqual([status, body.error.code], [422, 'E_UNSUPPORTED'], `attempt ${attempt}`);
  }
});

test(
  'a request that is repeated after its server was killed gets the run of the first one',
  { timeout: 90_000 },
  async () => {
    await using installation = await createInstallation({ policy });
    const post = async (url: string): Promise<{ readonly id: string }> => {
      const headers = { 'content-type': 'application/json', ...key };
      const response = await fetch(`${url}/v1/runs`, { method: 'POST', headers, body: JSON.stringify(launch) });
      return (await response.json()) as { readonly id: string };
    };
    using first = startBundled(installation.folder);
    const { id } = await post(await first.url());
    first.signal('SIGKILL');
    await first.exit;
    using second = startBundled(installation.folder);
    assert.equal((await post(await second.url())).id, id);
  },
);

test(
  'a script that is requested again while another server runs it returns the result of the first request',
  { timeout: 90_000 },
  async () => {
    await using installation = await createInstallation(
      { policy },
      {
        'tools/hold.mjs': `
import { access } from 'node:fs/promises';
import { join } from 'node:path';
const mayGo = () => access(join(import.meta.dirname, '../go')).then(() => true, () => false);
export default {
  name: 'hold', description: 'Waits.', risk: 'safe', inputSchema: { type: 'object' },
  async execute() {
    while (!(await mayGo())) await new Promise((resolve) => setTimeout(resolve, 20));
    return { content: [{ type: 'text', text: 'held' }], isError: false };
  },
};`,
      },
    );
    const body = JSON.stringify({ code: `await tools.launch({ target: 'moon' }); return await tools.hold({})` });
    const post = async (url: string): Promise<readonly [status: number, value: unknown]> => {
      const headers = { 'content-type': 'application/json', ...key };
      const response = await fetch(`${url}/v1/chains`, { method: 'POST', headers, body });
      return [response.status, ((await response.json()) as { readonly value?: unknown }).value];
    };
    using first = startBundled(installation.folder);
    using second = startBundled(installation.folder);
    const [firstUrl, secondUrl] = await Promise.all([first.url(), second.url()]);
    const requested = post(firstUrl);
    while ((await installation.launches()).length === 0) await pause(20);
    const repeated = post(secondUrl);
    // By then the other server has seen that it cannot have the run.
    await Promise.race([repeated, pause(1_000)]);
    await writeFile(join(installation.folder, 'go'), '');
    assert.deepEqual(await Promise.all([requested, repeated]), [
      [200, 'held'],
      [200, 'held'],
    ]);
    assert.equal((await installation.launches()).length, 1);
  },
);

test('a script in Python that began in another process never runs again, however often its request is repeated', async () => {
  await using server = await startServer({ policy }, {}, { isServer: true });
  const body = { code: 'print(1)', language: 'python' };
  const fingerprint = sha256OfJson({ method: 'post', path: '/v1/chains', params: {}, query: {}, body });
  const begun = { principal: 'local', key: key['idempotency-key'], fingerprint, runId: 'run-1', now: Date.now() };
  await stateStoreOf(server.monolith).requests.begin(begun);
  for (let attempt = 1; attempt <= 3; attempt++) {
    const { status, body: refusal } = await server.post('/v1/chains', body, key);
    assert.deepEqual([status, refusal.error?.code], [409, 'E_CALL_UNKNOWN'], `attempt ${attempt}`);
  }
});

for (const [kind, work] of [
  ['chain', { code: launch.code }],
  ['agent', { task: 'go', sessionId: 'session-1' }],
] as const) {
  test(`a ${kind} that another server starts for the same request at the same moment is the run of both`, async () => {
    await using server = await startServer({ policy }, {}, { isServer: true });
    const { runs } = stateStoreOf(server.monolith);
    const { create } = runs;
    vi.spyOn(runs, 'create').mockImplementationOnce(async (row) => {
      await create.call(runs, row, { owner: 'other' });
      return create.call(runs, row, { owner: 'this' });
    });
    const { status, body } = await server.post('/v1/runs', { kind, ...work }, key);
    vi.restoreAllMocks();
    assert.equal(status, 201, JSON.stringify(body));
    assert.equal((await runs.get(body.id))?.owner, 'other');
    assert.deepEqual(await server.installation.launches(), []);
  });
}

test('a run whose store failed after its start is found by the repeated request', async () => {
  await using server = await startServer({ policy }, {}, { isServer: true });
  const { runs } = stateStoreOf(server.monolith);
  const { create, get } = runs;
  let isDown = false;
  vi.spyOn(runs, 'create').mockImplementation(async (...args) => {
    const run = await create.apply(runs, args);
    isDown = true;
    return run;
  });
  vi.spyOn(runs, 'get').mockImplementation(async (id) => {
    if (isDown) throw new KernelError('E_STATE_UNAVAILABLE', 'The test has cut the connection');
    return get.call(runs, id);
  });
  assert.equal((await server.post('/v1/runs', launch, key)).status, 503);
  vi.restoreAllMocks();
  const repeated = await server.post('/v1/runs', launch, key);
  assert.equal(repeated.status, 201);
  const { items } = (await server.get('/v1/runs')).body;
  assert.deepEqual([items.length, items[0].id], [1, repeated.body.id]);
});

test('a key is removed after two days although no further request has one', async () => {
  await using store = await createSqliteStateStore({ file: ':memory:' });
  const { requests } = requireStateStoreParts(store, ['requests']);
  const clock = createFakeClock();
  const logger = createMemoryLogger();
  const request = { principal: 'ada', key: 'order-17', fingerprint: 'f-1', runId: 'run-1' };
  await requests.begin({ ...request, now: clock.now() });
  await requests.finish(request, { status: 200 });
  await using removal = startKeyRemoval({ requests, clock, logger });
  clock.advance(60_000);
  await removal.first;
  assert.equal((await requests.begin({ ...request, now: clock.now() })).isNew, false);
  while (logger.records.length === 0) {
    clock.advance(3_600_000);
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  assert.match(JSON.stringify(logger.records), /old idempotency keys removed.*"removed":1/);
  assert.equal(await requests.removeOld(clock.now() + 864_000_000), 0);
});

test('requests that wait for their turn keep no place when their clients disconnect', async () => {
  await using server = await startServer({ server: { maxConcurrent: 4 } }, {}, { isServer: true });
  const leaving = new AbortController();
  const headers = { 'content-type': 'application/json', ...key };
  const init = { method: 'POST', headers, body: JSON.stringify({ code: 'return await tools.wait({})' }) } as const;
  const first = fetch(`${server.url}/v1/chains`, init);
  // One of the four places is kept for other callers, so the third request may have to be repeated.
  const wait = async (): Promise<void> => {
    while ((await fetch(`${server.url}/v1/chains`, { ...init, signal: leaving.signal })).status === 429);
  };
  const others = [wait(), wait()];
  while ((await server.chain('return 1')).status !== 429);
  leaving.abort();
  await Promise.allSettled(others);
  // The time limit of the test ends an endless wait.
  while ((await server.chain('return 1')).status === 429);
  const { items } = (await server.get('/v1/runs?status=running')).body;
  assert.equal(items.length, 1);
  await server.post(`/v1/runs/${items[0].id}/cancel`, {});
  assert.equal((await first).status, 200);
});
