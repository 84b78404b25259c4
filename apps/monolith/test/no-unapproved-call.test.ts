import assert from 'node:assert/strict';
import { tokens } from '@ravi/monolith';
import { test } from 'vitest';
import { startServer } from './support/server.ts';

const launch = `await tools.launch({ target: 'moon' })`;

test('without an approval a high tool never runs: direct, nested, chained, retried or posted again', async () => {
  await using server = await startServer();

  const direct = await server.post('/v1/tools/launch', { args: { target: 'moon' } });
  assert.equal(direct.status, 200);
  assert.equal(direct.body.status, 'denied');
  assert.equal(direct.body.error.code, 'E_APPROVAL_DENIED');

  const chained = await server.chain(launch);
  assert.equal(chained.body.status, 'error');
  assert.equal(chained.body.error.code, 'E_APPROVAL_DENIED');
  assert.deepEqual(statusesOf(chained.body), ['denied']);

  const again = await server.chain(launch);
  assert.deepEqual(statusesOf(again.body), ['denied']);

  const nested = await server.post('/v1/tools/tool_chain', { args: { code: launch } });
  assert.equal(nested.body.status, 'error');
  assert.match(nested.body.text, /launch/);

  const insistent = await server.chain(`
    const outcomes = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      try { ${launch}; outcomes.push('ran'); } catch (error) { outcomes.push(error.name); }
    }
    const parallel = await Promise.all(Array.from({ length: 20 }, () => tools.launch.safe({ target: 'moon' })));
    return [...outcomes, ...parallel.map((result) => result.status)];
  `);
  assert.deepEqual(insistent.body.value, [...Array(3).fill('ToolDeniedError'), ...Array(20).fill('denied')]);

  const aliases = await server.chain(`
    const names = ['launch', 'LAUNCH', ' launch', 'launch ', 'tool_chain', 'constructor', '__proto__'];
    const call = async (name) => (await tools[name].safe(name === 'tool_chain' ? { code: '' } : {})).status;
    return Promise.all(names.map((name) => call(name).catch(() => 'no such tool')));
  `);
  assert.equal(aliases.body.status, 'ok');
  assert.ok(!aliases.body.value.includes('ok'), JSON.stringify(aliases.body.value));

  assert.deepEqual(await server.installation.launches(), []);
});

test('with an approval the same call runs once per approval', async () => {
  const rules = [{ tool: 'launch', risk: 'high', decision: 'approved' }];
  await using server = await startServer({ plugins: { approvalHandler: { use: '@ravi/approval-auto', rules } } });

  const direct = await server.post('/v1/tools/launch', { args: { target: 'moon' } });
  assert.equal(direct.body.status, 'ok');
  const chained = await server.chain(launch);
  assert.equal(chained.body.callTrace[0].approval.decision, 'approved');
  assert.deepEqual(await server.installation.launches(), ['launch moon', 'launch moon']);
});

test('a request cannot raise maxRiskUnapproved, and a critical tool needs approval under every policy', async () => {
  await using server = await startServer();
  const loosened = await server.chain(launch, { maxRiskUnapproved: 'high' });
  assert.equal(loosened.status, 400);
  assert.match(loosened.body.error.message, /policy\.maxRiskUnapproved high is looser than the server's safe/);
  assert.deepEqual(await server.installation.launches(), []);

  await using lax = await startServer({ policy: { maxRiskUnapproved: 'high' } });
  assert.equal((await lax.post('/v1/tools/launch', {})).body.status, 'ok');
  assert.equal((await lax.post('/v1/tools/detonate', {})).body.status, 'denied');
  assert.equal((await lax.chain('return (await tools.detonate.safe({})).status')).body.value, 'denied');
  assert.deepEqual(await lax.installation.launches(), ['launch nowhere']);
});

// Approves the first request for the whole run and no later one.
const approveOnce = `
let isFirst = true;
export default {
  name: 'approve-once', port: 'approvalHandler', configSchema: { type: 'object', additionalProperties: false },
  create: () => ({
    async request() {
      const decision = isFirst ? 'approved' : 'denied';
      isFirst = false;
      return { decision, scope: 'run' };
    },
  }),
};`;

test('an approval for a run is valid in its session only, not in a second session of the same run', async () => {
  await using server = await startServer(
    { plugins: { approvalHandler: { use: './approve-once.mjs' } } },
    { 'approve-once.mjs': approveOnce },
  );
  const invoker = server.monolith.container.resolve(tokens.invoker);
  const call = { name: 'launch', args: {} };
  await using first = invoker.openSession({ runId: 'run-1', sessionId: 'session-1' });
  assert.equal((await invoker.invoke(call, { session: first })).status, 'ok');
  assert.equal((await invoker.invoke(call, { session: first })).status, 'ok');

  await using second = invoker.openSession({ runId: 'run-1', sessionId: 'session-1' });
  assert.equal((await invoker.invoke(call, { session: second })).status, 'denied');
  assert.equal((await server.chain(launch)).body.status, 'error');
  assert.equal((await server.installation.launches()).length, 2);

  const posted = await server.post('/v1/chains', { code: launch, runId: 'run-1' });
  assert.equal(posted.status, 400);
});

function statusesOf(run: { readonly callTrace: readonly { readonly status: string }[] }): readonly string[] {
  return run.callTrace.map(({ status }) => status);
}
