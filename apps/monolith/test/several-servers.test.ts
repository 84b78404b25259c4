import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { postgresForTests } from '@ravi/state-testing';
import { noS3TestServer, s3TestServer } from '@ravi/testkit';
import type { S3TestServer } from '@ravi/testkit';
import pg from 'pg';
import { afterAll, test } from 'vitest';
import { missingBalancer, startBalancer } from './support/balancer.ts';
import { readEvents } from './support/event-reader.ts';
import { createInstallation } from './support/installation.ts';
import { sendRaw } from './support/mcp-requests.ts';
import { buildServer, startProcess } from './support/server-process.ts';
import type { ServerProcess } from './support/server-process.ts';

// The servers, the load balancer and the stores of deploy/several-servers, with the same configuration files, as processes here.
const s3 = s3TestServer();
const folder = join(import.meta.dirname, '../../../deploy/several-servers');
const config = JSON.parse(readFileSync(join(folder, 'ravi.config.json'), 'utf8'));
const preloads = [join(import.meta.dirname, '../bundle/use.mjs')];
const token = 'a'.repeat(64);
const timeout = 180_000;

/** Effect of a call of `step`. */
interface Step {
  readonly id: string;
  readonly key: string;
  readonly pid: number;
}

interface World extends AsyncDisposable {
  readonly url: string;
  readonly steps: readonly Step[];
}

async function startWorld(): Promise<World> {
  const steps: Step[] = [];
  const server = createServer((request, response) => {
    void json(request).then((step) => {
      steps.push(step as Step);
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    steps,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const stepTool = (worldUrl: string): string => `
export default {
  name: 'step', description: 'Has an effect on the world.', risk: 'safe', idempotent: true,
  inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  async execute({ id }, { idempotencyKey: key }) {
    await fetch(${JSON.stringify(worldUrl)}, { method: 'POST', body: JSON.stringify({ id, key, pid: process.pid }) });
    await new Promise((resolve) => setTimeout(resolve, 50));
    return { content: [{ type: 'text', text: 'done' }], isError: false };
  },
};`;

/** Two servers behind the load balancer. */
interface Deployment extends AsyncDisposable {
  readonly url: string;
  readonly world: World;
  readonly servers: readonly ServerProcess[];
  /** Starts the server with this number again, on its port, with its data folder. */
  restart(number: number): Promise<void>;
  /** Returns the executions of the tool `launch`, of all servers. */
  launches(): Promise<readonly string[]>;
}

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = servers.map(async (server) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  });
  const all = await Promise.all(ports);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return all;
}

/** Makes a database, and returns the variables with which a server finds it. */
async function createDatabase(url: string): Promise<Readonly<Record<string, string>>> {
  const name = `servers_${crypto.randomUUID().replaceAll('-', '_')}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const { hostname, port, username, password } = new URL(url);
  return { PGHOST: hostname, PGPORT: port, PGUSER: username, PGPASSWORD: password, PGDATABASE: name };
}

async function deploy({ endpoint, bucket, owner }: S3TestServer, databaseUrl: string): Promise<Deployment> {
  buildServer();
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await startWorld());
  const [balancerPort = 0, ...ports] = await freePorts(3);
  const env = {
    ...(await createDatabase(databaseUrl)),
    RAVI_TOKEN_ADA: token,
    RAVI_TOKEN_PROMETHEUS: 'p'.repeat(64),
    RAVI_BUCKET: bucket,
    AWS_REGION: 'us-east-1',
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_ACCESS_KEY_ID: owner.accessKeyId,
    AWS_SECRET_ACCESS_KEY: owner.secretAccessKey,
  };
  const installations = await Promise.all(
    ports.map(async () => stack.use(await createInstallation(config, { 'tools/step.mjs': stepTool(world.url) }))),
  );
  const servers: ServerProcess[] = [];
  const start = async (number: number, owner: AsyncDisposableStack): Promise<void> => {
    const args = ['--host', '127.0.0.1', '--port', String(ports[number])];
    const server = owner.use(startProcess(installations[number]?.folder ?? '', args, { preloads, env }));
    servers[number] = server;
    const url = await server.url();
    while (!(await fetch(`${url}/ready`)).ok) await pause(100);
  };
  await Promise.all(ports.map((_, number) => start(number, stack)));
  stack.use(await startBalancer(balancerPort, ports));
  const deployed = stack.move();
  return {
    url: `http://127.0.0.1:${balancerPort}`,
    world,
    servers,
    restart: (number) => start(number, deployed),
    launches: async () => (await Promise.all(installations.map((each) => each.launches()))).flat(),
    [Symbol.asyncDispose]: () => deployed.disposeAsync(),
  };
}

// oxlint-disable-next-line typescript/no-explicit-any -- the test asserts what it reads
type Body = any;

/** Sends a request as a client should: again with the same key after a lost connection, a bad gateway or an unavailable server. */
async function ask(url: string, path: string, body?: object, key: string = crypto.randomUUID()): Promise<Body> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const post = { method: 'POST', body: JSON.stringify(body), headers: { ...headers, 'idempotency-key': key } };
  for (;;) {
    const response = await fetch(`${url}${path}`, body === undefined ? { headers } : post).catch(() => undefined);
    if (response !== undefined && ![429, 502, 503].includes(response.status)) {
      const answer: Body = await response.json();
      assert.ok(response.ok || response.status === 409, `${path}: ${response.status} ${JSON.stringify(answer)}`);
      if (response.ok) return answer;
    }
    await pause(100);
  }
}

async function untilStatus(url: string, runId: string, status: string): Promise<Body> {
  for (;;) {
    const run = await ask(url, `/v1/runs/${runId}`);
    if (run.status === status) return run;
    assert.ok(!['completed', 'failed', 'cancelled'].includes(run.status), JSON.stringify(run));
    await pause(50);
  }
}

const startScript = async (url: string, code: string, key?: string): Promise<string> =>
  (await ask(url, '/v1/runs', { kind: 'chain', code }, key)).id;

/** Reads the events of a run to its end, over as many connections as it takes, and returns their ids and the last event. */
async function readToEnd(
  url: string,
  runId: string,
): Promise<{ readonly ids: readonly string[]; readonly last: Body }> {
  const ids: string[] = [];
  for (;;) {
    const headers = { authorization: `Bearer ${token}`, 'last-event-id': ids.at(-1) ?? '' };
    try {
      for await (const { id, event, data } of readEvents(await fetch(`${url}/v1/runs/${runId}/events`, { headers }))) {
        if (id !== undefined) ids.push(id);
        if (event === 'run-end') return { ids, last: JSON.parse(data).data };
      }
    } catch {
      // The server of this connection was killed.
    }
    await pause(50);
  }
}

/** A client that starts one run after the other until `stop`. */
function keepAsking(url: string, label: string): { stop(): Promise<readonly string[]> } {
  let isOver = false;
  const ids: string[] = [];
  const work = (async () => {
    for (let n = 0; !isOver; n++) {
      ids.push(await startScript(url, `return tools.step({ id: '${label}-${n}' })`, `${label}-${n}`));
    }
  })();
  return {
    async stop() {
      isOver = true;
      await work;
      for (const id of ids) await untilStatus(url, id, 'completed');
      return ids;
    },
  };
}

/** Fails if an effect was made under more than one key. */
function assertOnce(steps: readonly Step[], label: string, count: number): void {
  const ours = steps.filter(({ id }) => id.startsWith(`${label}-`));
  assert.equal(new Set(ours.map(({ id }) => id)).size, count, label);
  assert.equal(new Set(ours.map(({ key }) => key)).size, count, label);
}

/** Uses a session of an MCP client: several requests over connections of their own. Returns the status of each. */
async function statusesOfSession(url: string, others: readonly string[]): Promise<readonly number[]> {
  const headers = { authorization: `Bearer ${token}` };
  const clientInfo = { name: 'client', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const begun = await sendRaw(url, { jsonrpc: '2.0', id: 1, method: 'initialize', params }, headers);
  assert.equal(begun.status, 200, begun.text);
  const session = { ...headers, 'mcp-session-id': String(begun.headers['mcp-session-id']) };
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
  const answers = await Promise.all(others.map((other) => sendRaw(other, ping, session)));
  return answers.map(({ status }) => status);
}

function runAgainst(s3Server: S3TestServer, databaseUrl: string): void {
  test(
    'behind the load balancer of deploy/several-servers, clients lose nothing when a server is killed, and when one is replaced',
    { timeout },
    async () => {
      await using deployment = await deploy(s3Server, databaseUrl);
      const { url, world, servers } = deployment;
      // A session is known to one server, to which the load balancer sends all requests of its caller.
      const [first = '', second = ''] = await Promise.all(servers.map((server) => server.url()));
      assert.deepEqual(await statusesOfSession(first, [first, second]), [200, 404]);
      assert.deepEqual(await statusesOfSession(url, [url, url, url, url]), [200, 200, 200, 200]);
      const content = 'artifact '.repeat(20_000);
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/plain' };
      const stored = await fetch(`${url}/v1/artifacts`, { method: 'POST', headers, body: content });
      const { ref } = (await stored.json()) as { readonly ref: string };
      const waiting = await startScript(url, `return await tools.launch({ target: 'moon' })`);
      await untilStatus(url, waiting, 'paused');
      const working = await startScript(
        url,
        `for (let n = 0; n < 40; n++) await tools.step({ id: 'working-' + n }); return 'done'`,
      );
      const reading = readToEnd(url, working);
      const client = keepAsking(url, 'first');
      const isAtWork = (): Step | undefined => world.steps.find(({ id }) => id === 'working-8');
      while (isAtWork() === undefined) await pause(10);
      const owner = servers.findIndex(({ child }) => child.pid === isAtWork()?.pid);
      const killed = servers[owner] ?? assert.fail('the process of the effect is none of the servers');
      killed.signal('SIGKILL');
      await killed.exit;

      const [asked] = (await ask(url, `/v1/approvals?runId=${waiting}&status=pending`)).items;
      await ask(url, `/v1/approvals/${asked.id}/decision`, { decision: 'approved' });
      await untilStatus(url, waiting, 'completed');
      await untilStatus(url, working, 'completed');
      assert.deepEqual(await deployment.launches(), ['launch moon']);
      assertOnce(world.steps, 'working', 40);
      assert.equal(new Set(world.steps.filter(({ id }) => id.startsWith('working-')).map(({ pid }) => pid)).size, 2);
      const { ids, last } = await reading;
      assert.equal(last.status, 'ok');
      assert.equal(new Set(ids).size, ids.length);
      const made = await client.stop();
      assert.ok(made.length > 5);
      assert.equal(new Set(made).size, made.length);
      assertOnce(world.steps, 'first', made.length);

      // A rolling update: the killed server comes back, then the other one receives SIGTERM.
      await deployment.restart(owner);
      const next = keepAsking(url, 'next');
      while (world.steps.filter(({ id }) => id.startsWith('next-')).length < 5) await pause(10);
      const other = servers[1 - owner] ?? assert.fail();
      other.signal('SIGTERM');
      assert.equal(await other.exit, 0);
      const more = await next.stop();
      assertOnce(world.steps, 'next', more.length);
      const artifact = await fetch(`${url}/v1/artifacts/${ref}/content`, { headers });
      // Not `equal`, which would print it.
      assert.ok((await artifact.text()) === content);
    },
  );
}

const missing = s3 === undefined ? noS3TestServer : missingBalancer;
// Not before it is needed: nothing would stop it after tests that are all skipped.
const postgres = missing === undefined ? await postgresForTests() : undefined;
afterAll(() => postgres?.[Symbol.asyncDispose]());
if (s3 === undefined || postgres?.url === undefined) test.skip(`several servers (${missing ?? postgres?.reason})`);
else runAgainst(s3, postgres.url);
