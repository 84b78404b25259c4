import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { tokens } from '@ravi/monolith';
import { test } from 'vitest';
import { as, startSecuredServer } from './support/callers.ts';
import { cancel, childOf, hang, hangingFiles } from './support/hanging-tool.ts';
import { send, start, untilStatus } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startBundled } from './support/server-process.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';
import { shareStore } from './support/shared-store.ts';
import { pgBossCase } from './support/state-stores.ts';
import { callingModel, installSubAgents, task } from './support/sub-agents.ts';

const timeout = 120_000;
const slots = { agents: 2, scripts: 1 };
const holdTool = `export default {
  name: 'hold', description: 'Works until its call is cancelled.', risk: 'safe', inputSchema: { type: 'object' },
  execute: (_args, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
};`;

const queueOf = async (server: TestServer): Promise<Body> => (await server.get('/v1/queue', as('root'))).body;

test('the queue counts waiting runs by principal, and the runs of this server by kind', { timeout }, async () => {
  await using server = await startSecuredServer({}, { 'tools/hold.mjs': holdTool }, { runs: { slots } });
  const idle = { ready: 0, delayed: 0, taken: 0, dead: 0 };
  const none = { slots, executing: { agents: 0, scripts: 0 } };
  const before = { engine: 'engine-memory', isShared: false, runs: idle, principals: [], server: none };
  assert.deepEqual(await queueOf(server), before);
  const body = { kind: 'chain', code: 'await tools.hold({})' };
  const ids: string[] = [];
  // The first begins at once, and the engine gives this server one more.
  for (const name of ['ada', 'ada', 'ada', 'ada', 'bob'] as const) {
    ids.push((await server.post('/v1/runs', body, as(name))).body.id);
  }
  const untilExecuting = async (scripts: number): Promise<Body> => {
    for (;;) {
      const queue = await queueOf(server);
      if (queue.server.executing.scripts === scripts) return queue;
      await pause(20);
    }
  };
  const full = await untilExecuting(2);
  const { oldestReadyMs, ...runs } = full.runs;
  assert.deepEqual(runs, { ready: 3, delayed: 0, taken: 1, dead: 0 });
  assert.ok(oldestReadyMs >= 0);
  assert.deepEqual(full.principals, [
    { principal: 'ada', ready: 2, taken: 1 },
    { principal: 'bob', ready: 1, taken: 0 },
  ]);
  assert.deepEqual(full.server, { slots, executing: { agents: 0, scripts: 2 } });
  for (const id of ids) assert.equal((await server.post(`/v1/runs/${id}/cancel`, {}, as('root'))).status, 202);
  await untilExecuting(0);
});

test('an agent counts once while a script of it works, and a paused script does not count', { timeout }, async () => {
  const files = { 'model.mjs': callingModel, 'tools/hold.mjs': holdTool };
  const plugins = { modelProvider: [{ use: './model.mjs' }] };
  await using server = await startServer({ plugins, approvals: { mode: 'pause' } }, files, { isServer: true });
  const { url } = server;
  const paused = (await send(url, '/v1/runs', { kind: 'chain', code: 'await tools.launch({})' })).id;
  await untilStatus(url, paused, 'paused');
  const agent = await start(url, task([['tool_chain', { code: 'await tools.hold({})' }]]));
  assert.equal((await childOf(url, agent)).kind, 'chain');
  assert.deepEqual((await send(url, '/v1/queue')).server.executing, { agents: 1, scripts: 0 });
  await cancel(url, `runs/${agent}`);
});

test('only admins read the queue', async () => {
  await using server = await startSecuredServer();
  for (const name of ['ada', 'eve'] as const) {
    const { status, body } = await server.get('/v1/queue', as(name));
    assert.deepEqual([status, body.error.code], [403, 'E_FORBIDDEN']);
  }
  assert.equal((await server.get('/v1/queue', as('root'))).status, 200);
  const { status, body } = await server.get('/v1/queue?principal=ada', as('root'));
  assert.equal(status, 400);
  assert.equal(body.error.message, '"principal" is not a known key; there are no keys');
});

test('while the engine cannot be reached, the queue is refused with 503', async () => {
  await using server = await startSecuredServer();
  await server.monolith.container.resolve(tokens.runEngine)?.[Symbol.asyncDispose]();
  const { status, body } = await server.get('/v1/queue', as('root'));
  assert.deepEqual([status, body.error.code], [503, 'E_ENGINE_UNAVAILABLE']);
  assert.match(body.error.message, /engine-memory/);
});

pgBossCase.test('every server of a shared engine shows the same waiting runs', { timeout }, async () => {
  await using stack = new AsyncDisposableStack();
  const shared = stack.use(await shareStore(pgBossCase));
  const config = { plugins: shared.plugins, runs: { slots: { agents: 1, scripts: 1 } } };
  const installation = stack.use(await installSubAgents(config, hangingFiles));
  const one = await stack.use(startBundled(installation.folder)).url();
  const begun = [await start(one, task([hang])), await start(one, task([hang]))];
  const untilAgents = async (count: number): Promise<void> => {
    while ((await send(one, '/v1/queue')).server.executing.agents < count) await pause(20);
  };
  await untilAgents(2);
  for (let count = 0; count < 3; count += 1) await start(one, task([hang]));
  // The second server takes one of them.
  const second = stack.use(await installSubAgents(config, hangingFiles));
  const other = await stack.use(startBundled(second.folder)).url();
  while ((await send(other, '/v1/queue')).server.executing.agents < 1) await pause(20);
  const [shown, same] = await Promise.all([one, other].map((url) => send(url, '/v1/queue')));
  assert.deepEqual([shown.engine, shown.isShared, shown.runs.taken], ['engine-pg-boss', true, 2]);
  // A look at the store may have woken the one that was taken again.
  const { ready } = shown.runs;
  assert.ok(ready === 2 || ready === 3, String(ready));
  assert.deepEqual(shown.principals, [{ principal: 'local', ready, taken: 2 }]);
  assert.deepEqual(
    [same.runs.ready, same.runs.taken, same.principals],
    [ready, 2, [{ principal: 'local', ready, taken: 2 }]],
  );
  for (const id of begun) await cancel(one, `runs/${id}`);
});
