import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PluginEntry } from '@ravi/host';
import { openMonolith } from '@ravi/monolith';
import pg from 'pg';
import { as, secrets, sha256 } from './support/callers.ts';
import { continueAfterKill, hangingFiles } from './support/hanging-tool.ts';
import { createInstallation } from './support/installation.ts';
import type { TestInstallation } from './support/installation.ts';
import { approve, pendingOf, start, untilStatus } from './support/run-requests.ts';
import { startBundled, startProcess } from './support/server-process.ts';
import { shareStore } from './support/shared-store.ts';
import { pgBossCase } from './support/state-stores.ts';
import { installSubAgents, task } from './support/sub-agents.ts';
import type { Call } from './support/sub-agents.ts';

const timeout = 120_000;
const launch: Call = ['launch', { target: 'mars' }];
const turn = (): Promise<void> => sleep(20);
const secret = 'a7c1-argument-of-a-call';

interface Server {
  readonly url: string;
  readonly installation: TestInstallation;
  signal(name: NodeJS.Signals): void;
}

interface Servers extends Connection {
  readonly servers: readonly Server[];
  /** Names of the schemas of the state store and of the engine. */
  readonly schemas: { readonly state: string; readonly engine: string };
}

interface Connection extends AsyncDisposable {
  query(statement: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
}

async function connect(): Promise<Connection> {
  const client = new pg.Client({ connectionString: pgBossCase.url });
  await client.connect();
  return {
    query: async (statement, values = []) => (await client.query(statement, [...values])).rows,
    [Symbol.asyncDispose]: () => client.end(),
  };
}

/** Starts two servers as processes of their own, on one database that has the state and the engine. */
async function startTwo(): Promise<Servers> {
  await using stack = new AsyncDisposableStack();
  const shared = stack.use(await shareStore(pgBossCase));
  const { stateStore, runEngine } = shared.plugins as Readonly<Record<string, PluginEntry>>;
  const servers: Server[] = [];
  for (let count = 0; count < 2; count += 1) {
    const installation = stack.use(await installSubAgents({ plugins: shared.plugins }, hangingFiles));
    const server = stack.use(startBundled(installation.folder));
    servers.push({ url: await server.url(), installation, signal: server.signal });
  }
  const client = stack.use(await connect());
  const opened = stack.move();
  return {
    servers,
    schemas: { state: String(stateStore?.['schema']), engine: String(runEngine?.['schema']) },
    query: client.query,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

pgBossCase.test(
  'a run that is paused on one server and answered through another continues, by one claim, and the engine sees no content',
  { timeout },
  async () => {
    await using world = await startTwo();
    const { servers, schemas, query } = world;
    const [one, other] = servers as readonly [Server, Server];
    // Jobs are deleted when they are done, so everything that was ever stored is copied.
    await query(`CREATE TABLE ${schemas.engine}.seen (line text)`);
    await query(`CREATE FUNCTION ${schemas.engine}.note() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO ${schemas.engine}.seen VALUES (NEW::text); RETURN NEW; END $$`);
    await query(`CREATE TRIGGER note AFTER INSERT OR UPDATE ON ${schemas.engine}.job_common
      FOR EACH ROW EXECUTE FUNCTION ${schemas.engine}.note()`);
    const runId = await start(one.url, task([['launch', { target: secret }]], [['detonate', {}]], [launch]));
    await untilStatus(one.url, runId, 'paused');
    const claims = async (): Promise<unknown> =>
      (await query(`SELECT epoch FROM ${schemas.state}.ravi_runs WHERE id = $1`, [runId]))[0]?.['epoch'];
    const before = Number(await claims());
    const [asked] = await pendingOf(other.url, runId, 1);
    await approve(other.url, asked);
    await untilStatus(other.url, runId, 'completed');
    assert.equal(Number(await claims()), before + 1);
    const lines = (await query(`SELECT line FROM ${schemas.engine}.seen`)).map(({ line }) => String(line));
    assert.ok(
      lines.some((line) => line.includes(runId) && line.includes('answered')),
      lines.join('\n'),
    );
    assert.deepEqual(
      lines.filter((line) => line.includes(secret) || line.includes('mars') || line.includes('detonate')),
      [],
    );
  },
);

pgBossCase.test('a server whose engine is in another database than its state does not start', { timeout }, async () => {
  const { runEngine } = pgBossCase.plugin();
  await using folder = await createInstallation({ plugins: { runEngine: runEngine as PluginEntry } });
  const { folder: cwd, configPath } = folder;
  await assert.rejects(openMonolith({ cwd, configPath, env: {}, isServer: true }), {
    code: 'E_CONFIG_INVALID',
    message:
      /^plugins\.runEngine: .*transaction in "sqlite"\. The url of plugins\.runEngine must name the database of plugins\.stateStore\.$/,
  });
});

pgBossCase.test(
  'a server does not start with an engine in another database, also if an earlier start left its schema in that of the state',
  { timeout },
  async () => {
    const other = new URL(pgBossCase.url ?? '');
    const name = `other_${process.pid}`;
    other.pathname = name;
    await using client = await connect();
    await client.query(`CREATE DATABASE ${name}`);
    await using shared = await shareStore(pgBossCase);
    await (await shared.start())[Symbol.asyncDispose]();
    const runEngine = { ...(shared.plugins.runEngine as PluginEntry), url: other.href };
    await using folder = await createInstallation({ plugins: { ...shared.plugins, runEngine } });
    using started = startProcess(folder.folder, ['--port', '0']);
    assert.equal(await started.exit, 2);
    const [line, ...rest] = (await started.errors).match(/plugins\.runEngine: .*/g) ?? [];
    assert.match(
      line ?? '',
      /^plugins\.runEngine: The engine is in the database "other_\d+"[^,]*, but the transaction in "\w+"[^,]*\. The url of plugins\.runEngine must name the database of plugins\.stateStore\.$/,
    );
    assert.deepEqual(rest, []);
  },
);

pgBossCase.test('the runs of a killed server continue on another one', { timeout }, async () => {
  await using world = await startTwo();
  const [one, other] = world.servers as readonly [Server, Server];
  await continueAfterKill(one, other);
});

pgBossCase.test('answered runs of one principal do not keep those of another one waiting', { timeout }, async () => {
  await using stack = new AsyncDisposableStack();
  const shared = stack.use(await shareStore(pgBossCase));
  const tool = `
import { existsSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
const gate = ${JSON.stringify(join(shared.folder, 'open.txt'))};
export default {
  name: 'note', description: 'Notes a run once the gate is open.', risk: 'high', inputSchema: { type: 'object' },
  async execute({ name }) {
    while (!existsSync(gate)) await setTimeout(20);
    await appendFile(${JSON.stringify(join(shared.folder, 'order.txt'))}, name + '\\n');
    return { content: [], isError: false };
  },
};`;
  const config = {
    approvals: { mode: 'pause' as const },
    runs: { slots: { scripts: 1 } },
    server: {
      tokens: [
        { principal: 'ada', tokenSha256: sha256(secrets.ada), roles: ['run' as const, 'approve' as const] },
        { principal: 'bob', tokenSha256: sha256(secrets.bob), roles: ['run' as const, 'approve' as const] },
      ],
    },
  };
  const files = { 'tools/note.mjs': tool };
  const [one, other] = [stack.use(await shared.start(config, files)), stack.use(await shared.start(config, files))];
  const pause = async (name: 'ada' | 'bob', count: number): Promise<readonly string[]> => {
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const code = `return await tools.note({ name: '${name}' })`;
      const { body } = await one.post('/v1/runs', { kind: 'chain', code }, as(name));
      ids.push(body.id);
    }
    for (const id of ids) {
      while ((await one.get(`/v1/runs/${id}`, as(name))).body.status !== 'paused') await turn();
    }
    // Approvers see the requests of everyone.
    const { body } = await one.get('/v1/approvals?status=pending&limit=100', as(name));
    const asked: readonly { readonly id: string; readonly runId: string }[] = body.items;
    return asked.filter(({ runId }) => ids.includes(runId)).map(({ id }) => id);
  };
  const ofAda = await pause('ada', 20);
  const ofBob = await pause('bob', 2);
  const decide = async (name: 'ada' | 'bob', id: string): Promise<void> => {
    const { status, body } = await other.post(`/v1/approvals/${id}/decision`, { decision: 'approved' }, as(name));
    assert.equal(status, 200, JSON.stringify(body));
  };
  // All wakes of one principal exist before those of the other. Its first two runs have the slots of both servers.
  await Promise.all(ofAda.map((id) => decide('ada', id)));
  await Promise.all(ofBob.map((id) => decide('bob', id)));
  await writeFile(join(shared.folder, 'open.txt'), '');
  const order = async (): Promise<readonly string[]> =>
    (await readFile(join(shared.folder, 'order.txt'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
  while ((await order()).length < 22) await turn();
  assert.ok((await order()).lastIndexOf('bob') < 10, (await order()).join(' '));
});

pgBossCase.test('a server whose engine cannot be reached listens and waits for it', { timeout }, async () => {
  const { stateStore } = pgBossCase.plugin();
  const closed = 'postgres://postgres@127.0.0.1:1/none';
  const runEngine = { use: '@ravi/engine-pg-boss', url: closed, timeoutMs: 500 };
  await using installation = await createInstallation({
    plugins: { stateStore: stateStore as PluginEntry, runEngine },
  });
  using server = startBundled(installation.folder);
  const { status } = await fetch(`${await server.url()}/ready`);
  assert.equal(status, 503);
  server.signal('SIGTERM');
  assert.equal(await server.exit, 0);
  assert.match(await server.errors, /waiting for the engine of runs/);
});
