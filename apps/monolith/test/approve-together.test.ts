import assert from 'node:assert/strict';
import type { RaviConfig } from '@ravi/host';
import { test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import { pendingOf, send, start, untilStatus } from './support/run-requests.ts';
import { as, startSecuredServer } from './support/callers.ts';
import { startServer } from './support/server.ts';
import { startBundled } from './support/server-process.ts';
import { callingModel, task } from './support/sub-agents.ts';

const config: RaviConfig = {
  approvals: { mode: 'pause' },
  plugins: { stateStore: { use: '@ravi/state-sqlite', file: './data/state.db' } },
};
const planets = ['mercury', 'venus', 'mars'];
const loop = `const done = [];
  for (const target of ${JSON.stringify(planets)}) done.push(await tools.launch({ target }));
  return done`;

test(
  'a loop is approved once over HTTP, over kills before and after the decision, and launches each thing once',
  { timeout: 120_000 },
  async () => {
    await using installation = await createInstallation(config);
    using first = startBundled(installation.folder);
    const paused = await send(await first.url(), '/v1/chains', { code: loop, approve: 'set' });
    assert.equal(paused.status, 'paused', JSON.stringify(paused));
    first.signal('SIGKILL');
    await first.exit;
    assert.deepEqual(await installation.launches(), []);

    using second = startBundled(installation.folder);
    const url = await second.url();
    const [asked, ...others] = await pendingOf(url, paused.runId, 1);
    assert.deepEqual(others, []);
    assert.equal(asked.tool, 'approve_calls');
    // Every surface shows what the API shows.
    const detail = JSON.stringify(await send(url, `/v1/approvals/${asked.id}`));
    for (const planet of planets) assert.ok(detail.includes(planet), detail);
    // An approver cannot change a set.
    const other = { calls: [{ tool: 'launch', risk: 'high', arguments: { target: 'sun' } }] };
    const edit = { decision: 'modified', modifiedArgs: other };
    const refused = await send(url, `/v1/approvals/${asked.id}/decision`, edit);
    assert.match(refused.error.message, /A set of calls is approved or denied as it is, once/);
    const forRun = { decision: 'approved', scope: 'run' };
    assert.deepEqual(await send(url, `/v1/approvals/${asked.id}/decision`, forRun), refused);
    await send(url, `/v1/approvals/${asked.id}/decision`, { decision: 'approved' });
    second.signal('SIGKILL');
    await second.exit;

    using third = startBundled(installation.folder);
    const run = await untilStatus(await third.url(), paused.runId, 'completed');
    assert.deepEqual(run.outcome.result.value, ['launched', 'launched', 'launched']);
    assert.deepEqual(
      await installation.launches(),
      planets.map((planet) => `launch ${planet}`),
    );
  },
);

test('a model asks for the approval of a loop once; without a state store the request is refused', async () => {
  await using server = await startServer(
    { ...config, plugins: { ...config.plugins, modelProvider: [{ use: './model.mjs' }] } },
    { 'model.mjs': callingModel },
    { isServer: true },
  );
  const prompt = task([['tool_chain', { code: loop, approve: 'set' }]]);
  const id = await start(server.url, prompt);
  const [asked] = await pendingOf(server.url, id, 1);
  assert.equal(asked.args.calls.length, 3);
  await send(server.url, `/v1/approvals/${asked.id}/decision`, { decision: 'approved' });
  const run = await untilStatus(server.url, id, 'completed');
  assert.equal(run.outcome.result.text, '["launched","launched","launched"]');
  assert.equal((await server.installation.launches()).length, 3);

  await using bare = await startServer();
  const refused = await send(bare.url, '/v1/chains', { code: loop, approve: 'set' });
  assert.equal(refused.error?.code, 'E_UNSUPPORTED', JSON.stringify(refused));
});

test('four eyes hold for a set, and a caller without the role does not decide it', async () => {
  await using server = await startSecuredServer({ fourEyes: true });
  const { body: paused } = await server.post('/v1/chains', { code: loop, approve: 'set' }, as('root'));
  assert.equal(paused.status, 'paused', JSON.stringify(paused));
  const { body } = await server.get(`/v1/approvals?runId=${paused.runId}`, as('eve'));
  const path = `/v1/approvals/${body.items[0].id}/decision`;
  const own = await server.post(path, { decision: 'approved' }, as('root'));
  assert.equal(own.body.error?.code, 'E_APPROVAL_FOUR_EYES', JSON.stringify(own));
  const runner = await server.post(path, { decision: 'approved' }, as('ada'));
  assert.ok(runner.body.error, JSON.stringify(runner));
  assert.deepEqual(await server.installation.launches(), []);
});

/** `relay` flies twice, in calls of its own. */
const relayTools = `
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
const done = { content: [{ type: 'text', text: 'done' }], isError: false };
export default [
  {
    name: 'fly', description: 'Flies.', risk: 'high', inputSchema: { type: 'object' },
    async execute({ target }) {
      await appendFile(join(import.meta.dirname, '../launches.txt'), 'fly ' + target + '\\n');
      return done;
    },
  },
  {
    name: 'relay', description: 'Flies twice.', risk: 'safe', runAfterResponse: true, inputSchema: { type: 'object' },
    async execute(_, { run }) {
      for (const target of ['one', 'two']) await run.tool('fly', { target });
      return done;
    },
  },
];`;

test('rules against a tool hold for a set, and a tool that makes calls of its own makes none in the dry run', async () => {
  const rules = [{ tool: 'launch', decision: 'denied', reason: 'not today' }, { decision: 'approved' }];
  const approvalHandler = { use: '@ravi/approval-auto', rules };
  await using server = await startServer(
    { ...config, plugins: { ...config.plugins, approvalHandler } },
    { 'tools/relay.mjs': relayTools },
    { isServer: true },
  );
  const denied = await send(server.url, '/v1/chains', { code: loop, approve: 'set' });
  assert.equal(denied.error?.code, 'E_APPROVAL_DENIED', JSON.stringify(denied));
  assert.match(denied.error.message, /not today/);
  assert.deepEqual(await server.installation.launches(), []);

  const failing = `await tools.relay({}); await tools.fly({ target: 'no' }); throw new Error('no more');`;
  const failed = await send(server.url, '/v1/chains', { code: failing, approve: 'set' });
  assert.equal(failed.error?.code, 'E_SCRIPT_FAILED', JSON.stringify(failed));
  assert.deepEqual(await server.installation.launches(), []);
  const code = `await tools.relay({}); return await tools.fly({ target: 'three' });`;
  const whole = await send(server.url, '/v1/chains', { code, approve: 'set' });
  assert.equal(whole.value, 'done', JSON.stringify(whole));
  assert.deepEqual(await server.installation.launches(), ['fly one', 'fly two', 'fly three']);
});
