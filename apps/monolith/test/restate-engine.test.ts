import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, test } from 'vitest';
import { continueAfterKill, hangingFiles } from './support/hanging-tool.ts';
import { createInstallation } from './support/installation.ts';
import type { TestInstallation } from './support/installation.ts';
import { startRecordedRestate } from './support/restate-engine.ts';
import { approve, pendingOf, start, untilStatus } from './support/run-requests.ts';
import { startBundled } from './support/server-process.ts';
import { shareStore } from './support/shared-store.ts';
import { installSubAgents, task } from './support/sub-agents.ts';
import type { Call } from './support/sub-agents.ts';

const recorded = await startRecordedRestate();
afterAll(() => recorded[Symbol.asyncDispose]());

const timeout = 120_000;
const launch: Call = ['launch', { target: 'mars' }];
const secret = 'a7c1-argument-of-a-call';

interface Server {
  readonly url: string;
  readonly installation: TestInstallation;
  signal(name: NodeJS.Signals): void;
}

interface Servers extends AsyncDisposable {
  /** The first one executes the requests of Restate. */
  readonly servers: readonly [Server, Server];
  readonly folder: string;
}

/** Starts two servers as processes of their own, on one database and one Restate. */
async function startTwo(): Promise<Servers> {
  await using stack = new AsyncDisposableStack();
  const shared = stack.use(await shareStore(recorded.store));
  const startOne = async (): Promise<Server> => {
    const installation = stack.use(await installSubAgents({ plugins: shared.plugins }, hangingFiles));
    const server = stack.use(startBundled(installation.folder));
    return { url: await server.url(), installation, signal: server.signal };
  };
  const servers = [await startOne(), await startOne()] as const;
  const opened = stack.move();
  return { servers, folder: shared.folder, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

test(
  'a run that is paused on one server and answered through another continues, by one claim, and Restate sees no content',
  { timeout },
  async () => {
    await using world = await startTwo();
    const [one, other] = world.servers;
    const runId = await start(one.url, task([['launch', { target: secret }]], [['detonate', {}]], [launch]));
    await untilStatus(one.url, runId, 'paused');
    using database = new DatabaseSync(join(world.folder, 'state.db'), { readOnly: true });
    const claims = (): number =>
      Number(database.prepare('SELECT epoch FROM ravi_runs WHERE id = ?').get(runId)?.['epoch']);
    const before = claims();
    const [asked] = await pendingOf(other.url, runId, 1);
    await approve(other.url, asked);
    await untilStatus(other.url, runId, 'completed');
    assert.equal(claims(), before + 1);
    const requests = recorded.sent;
    assert.ok(requests.some((request) => request.includes(runId) && request.includes('answered')));
    const isContent = (text: string): boolean => [secret, 'mars', 'detonate'].some((word) => text.includes(word));
    assert.deepEqual(requests.filter(isContent), []);
    assert.equal(isContent(await recorded.restate.content()), false);
  },
);

test(
  'the runs of a killed server continue on another one, which executes the requests of Restate then',
  { timeout },
  async () => {
    await using world = await startTwo();
    const [one, other] = world.servers;
    await continueAfterKill(one, other);
  },
);

test('a server whose Restate cannot be reached listens and waits for it', { timeout }, async () => {
  const { runEngine } = recorded.store.plugin();
  const closed = { ...runEngine, use: '@ravi/engine-restate', adminUrl: 'http://127.0.0.1:9' };
  await using installation = await createInstallation({ plugins: { runEngine: closed } });
  using server = startBundled(installation.folder);
  const { status } = await fetch(`${await server.url()}/ready`);
  assert.equal(status, 503);
  server.signal('SIGTERM');
  assert.equal(await server.exit, 0);
  assert.match(await server.errors, /waiting for the engine of runs/);
});
