import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { RaviConfig } from '@ravi/host';
import { createTestCertificates, startTestNode } from '@ravi/sandbox-testing';
import type { TestNode } from '@ravi/sandbox-testing';
import { afterAll, test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';
import { startProcess } from './support/server-process.ts';

const certificates = createTestCertificates();
const nodeFiles = certificates.node();
const serverFiles = certificates.server();

afterAll(() => certificates[Symbol.dispose]());

const token = 'the-token-of-grace-0123456789-abcdef';
const asGrace = { authorization: `Bearer ${token}` };
/** People decide in this configuration. */
const withPeople = {
  approvalHandler: { use: '@ravi/approval-web', tokens: [{ token, principal: 'grace', roles: ['approve'] }] },
} as const;

const startNode = (port = 0): Promise<TestNode> =>
  startTestNode({ certificates, files: nodeFiles, port, config: { health: { port: 0 }, logLevel: 'debug' } });

function configOf(nodes: readonly TestNode[], config: RaviConfig = {}): RaviConfig {
  const addresses = nodes.map(({ address }) => address);
  return {
    ...config,
    plugins: {
      sandbox: { use: '@ravi/sandbox-remote', nodes: addresses, ...serverFiles },
      stateStore: { use: '@ravi/state-sqlite', file: './data/state.db' },
      ...config.plugins,
    },
  };
}

async function runsOf(node: TestNode): Promise<number> {
  const { health } = node.log.find(({ message }) => message === 'the node is ready') ?? {};
  const { runs } = (await (await fetch(String(health))).json()) as { readonly runs: number };
  return runs;
}

/** Waits until one of the nodes runs a script, and returns it. */
async function busyNode(nodes: readonly TestNode[]): Promise<TestNode> {
  for (;;) {
    for (const node of nodes) if ((await runsOf(node)) > 0) return node;
    await pause(10);
  }
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await pause(20);
}

/** Approves what waits, and returns the ids. */
async function approveAll(server: TestServer): Promise<readonly string[]> {
  const { body } = await server.get('/v1/approvals?status=pending', asGrace);
  const ids = (body.items as { readonly id: string }[]).map(({ id }) => id);
  for (const id of ids) await server.post(`/v1/approvals/${id}/decision`, { decision: 'approved' }, asGrace);
  return ids;
}

test('scripts of a server run on a node, with their tools, console and limits', { timeout: 60_000 }, async () => {
  await using node = await startNode();
  await using server = await startServer(configOf([node]));
  const { body } = await server.chain(`
    const rows = await Promise.all([1, 2, 3].map((n) => tools.echo({ n })));
    console.log('seen', rows.length);
    return rows.reduce((sum, { n }) => sum + n, 0)`);
  assert.deepEqual([body.status, body.value, body.logs?.[0]?.text ?? body.logs?.[0]], ['ok', 6, 'seen 3']);
  const { body: late } = await server.chain('for (;;);', { cpuTimeMs: 200 });
  assert.equal(late.error.code, 'E_LIMIT_CPU');
  const health = await server.get('/health');
  assert.equal(health.status, 200);
});

test(
  'a node that is killed fails its script as a crashed sandbox does, and the other node takes over',
  { timeout: 90_000 },
  async () => {
    await using one = await startNode();
    await using two = await startNode();
    await using server = await startServer(configOf([one, two]));
    const chain = server.chain('await tools.echo({ n: 1 }); await tools.wait({})');
    const lost = await busyNode([one, two]);
    lost.kill('SIGKILL');
    const { status, body } = await chain;
    assert.deepEqual([status, body.status, body.error.code], [200, 'error', 'E_SANDBOX_CRASHED']);
    const { body: next } = await server.chain('return (await tools.echo({ n: 7 })).n');
    assert.deepEqual([next.status, next.value], ['ok', 7]);
    // It comes back on its port, and serves again.
    await using back = await startNode(lost.port);
    await until(async () => back.log.some(({ message }) => message === 'a server has connected'));
    assert.equal((await server.chain('return 1')).body.value, 1);
  },
);

test('a script asks for approval while it runs on a node', { timeout: 60_000 }, async () => {
  await using node = await startNode();
  await using server = await startServer(configOf([node], { approvals: { mode: 'wait' }, plugins: withPeople }));
  const chain = server.post(
    '/v1/chains',
    { code: "return tools.launch({ target: 'moon' })", policy: { totalTimeoutMs: 5_000 } },
    asGrace,
  );
  await until(async () => (await approveAll(server)).length > 0);
  const { body } = await chain;
  assert.deepEqual([body.status, body.value], ['ok', 'launched']);
  assert.deepEqual(await server.installation.launches(), ['launch moon']);
});

test(
  'a paused script is replayed on another node, turn by turn, with calls of a megabyte',
  { timeout: 90_000 },
  async () => {
    await using one = await startNode();
    await using two = await startNode();
    await using server = await startServer(configOf([one, two], { approvals: { mode: 'pause' }, plugins: withPeople }));
    // A turn of 8 MB takes many frames of the connection.
    const code = `
    const texts = await Promise.all(Array.from({ length: 8 }, (_, n) => tools.echo({ n, text: 'x'.repeat(900_000) })));
    const order = [];
    await Promise.all([3, 1, 2].map(async (n) => { await tools.echo({ n }); order.push(n); await tools.echo({ n }) }));
    const done = await tools.launch({ target: 'moon' });
    return [texts.length, order, done]`;
    const { body: paused } = await server.post('/v1/chains', { code }, asGrace);
    assert.equal(paused.status, 'paused', JSON.stringify(paused.error));
    const first = one.log.some(({ message }) => message === 'run ended') ? one : two;
    first.kill('SIGKILL');
    await first.exited;
    await approveAll(server);
    let ended: { status?: string; outcome?: { result: { status: string; value: unknown } } } = {};
    await until(async () => {
      ended = (await server.get(`/v1/runs/${paused.runId}`, asGrace)).body;
      return ended.status === 'completed' || ended.status === 'failed';
    });
    assert.deepEqual(ended.outcome?.result.value, [8, [3, 1, 2], 'launched'], JSON.stringify(ended));
    assert.deepEqual(await server.installation.launches(), ['launch moon']);
  },
);

test(
  'a client whose script no node takes learns the run, which continues once a node is back',
  { timeout: 90_000 },
  async () => {
    const gone = await startNode();
    const config = configOf([gone]);
    const sandbox = { ...(config.plugins?.sandbox as object), connectTimeoutMs: 300 } as unknown as { use: string };
    const options = { isServer: true };
    await using server = await startServer({ ...config, plugins: { ...config.plugins, sandbox } }, {}, options);
    await gone[Symbol.asyncDispose]();
    const { status, body } = await server.chain('return (await tools.echo({ n: 7 })).n');
    assert.deepEqual([status, body.error.code], [503, 'E_SANDBOX_UNAVAILABLE'], JSON.stringify(body));
    assert.match(body.error.message, /No sandbox node can run the script: 127\.0\.0\.1/);
    await using _back = await startNode(gone.port);
    const run = async () => (await server.get(`/v1/runs/${body.runId}`)).body;
    await until(async () => (await run()).status === 'completed');
    assert.equal((await run()).outcome.result.value, 7);
  },
);

test(
  'a server starts without its nodes, says that it is not ready, and serves once there is one',
  { timeout: 90_000 },
  async () => {
    const gone = await startNode();
    await gone[Symbol.asyncDispose]();
    const config = configOf([gone]);
    const sandbox = { ...(config.plugins?.sandbox as object), connectTimeoutMs: 300 } as unknown as { use: string };
    await using installation = await createInstallation({ ...config, plugins: { ...config.plugins, sandbox } });
    using started = startProcess(installation.folder, ['--port', '0']);
    const url = await started.url();
    const ready = await fetch(`${url}/ready`);
    assert.equal(ready.status, 503);
    assert.match(((await ready.json()) as { reason: string }).reason, /sandbox is not available yet/);
    await using back = await startNode(gone.port);
    await until(async () => (await fetch(`${url}/ready`).catch(() => undefined))?.ok === true);
    const response = await fetch(`${url}/v1/chains`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: 'return 1' }),
    });
    assert.equal(((await response.json()) as { value: unknown }).value, 1);
    assert.ok(back.log.some(({ message }) => message === 'a server has connected'));
    started.signal('SIGTERM');
    assert.equal(await started.exit, 0);
    assert.match(await started.errors, /waiting for the sandbox/);
  },
);
