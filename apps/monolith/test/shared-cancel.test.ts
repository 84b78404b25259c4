import assert from 'node:assert/strict';
import { cancel, childOf, hang, hangingFiles, untilNoted } from './support/hanging-tool.ts';
import type { TestInstallation } from './support/installation.ts';
import { approve, pendingOf, send, start, until, untilStatus } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startBundled } from './support/server-process.ts';
import { shareStore } from './support/shared-store.ts';
import { storeCases } from './support/state-stores.ts';
import type { StoreCase } from './support/state-stores.ts';
import { delegate, installSubAgents, task } from './support/sub-agents.ts';
import type { Call } from './support/sub-agents.ts';

const timeout = 90_000;
const launch: Call = ['launch', { target: 'mars' }];

interface TestServer {
  readonly url: string;
  readonly installation: TestInstallation;
  signal(name: NodeJS.Signals): void;
}

interface Servers extends AsyncDisposable {
  /** Executes the runs of the test. */
  readonly owner: TestServer;
  readonly other: TestServer;
}

/** Starts two servers as processes of their own, with data folders of their own and one state. */
async function startTwo(store: StoreCase): Promise<Servers> {
  await using stack = new AsyncDisposableStack();
  const shared = stack.use(await shareStore(store));
  const open = async (): Promise<TestServer> => {
    const installation = stack.use(await installSubAgents({ plugins: shared.plugins }, hangingFiles));
    const server = stack.use(startBundled(installation.folder));
    return { url: await server.url(), installation, signal: server.signal };
  };
  const [owner, other] = [await open(), await open()];
  const opened = stack.move();
  return { owner, other, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

for (const store of storeCases) {
  store.test(
    `a run, a script and a job are cancelled through a server that does not execute them (${store.name})`,
    { timeout },
    async () => {
      await using servers = await startTwo(store);
      const { owner, other } = servers;
      const runId = await start(owner.url, task([hang]));
      await untilNoted(owner.installation, 'begun');
      const cancelled = await cancel(other.url, `runs/${runId}`);
      assert.deepEqual([cancelled.status, cancelled.body.id, cancelled.body.status], [202, runId, 'running']);
      await untilNoted(owner.installation, 'aborted');
      await untilStatus(other.url, runId, 'cancelled');
      assert.equal((await until(other.url, runId, 'run-end')).status, 'cancelled');
      const again = await cancel(other.url, `runs/${runId}`);
      assert.deepEqual(
        [again.status, again.body.error.message],
        [409, `Run ${runId} is cancelled, so it cannot be cancelled`],
      );

      const script = await send(owner.url, '/v1/runs', { kind: 'chain', code: 'await tools.crash({})' });
      while ((await owner.installation.launches()).length < 3) await untilNoted(owner.installation, 'begun');
      assert.equal((await cancel(other.url, `runs/${script.id}`)).status, 202);
      await untilStatus(other.url, script.id, 'cancelled');

      const withJob = await start(owner.url, task([delegate('dispatcher', [delegate('courier', [hang])])]));
      const { id: dispatcher } = await childOf(other.url, withJob);
      let jobs: readonly Body[] = [];
      while (jobs.length === 0) jobs = (await send(other.url, `/v1/jobs?runId=${dispatcher}`)).items;
      assert.equal((await cancel(other.url, `jobs/${jobs[0].id}`)).status, 202);
      assert.equal((await until(other.url, withJob, 'run-end')).status, 'completed');
      assert.equal((await send(other.url, `/v1/jobs/${jobs[0].id}`)).status, 'cancelled');
    },
  );

  store.test(
    `a sub-agent is cancelled through another server, and the run above it continues (${store.name})`,
    { timeout },
    async () => {
      await using servers = await startTwo(store);
      const { owner, other } = servers;
      const runId = await start(owner.url, task([delegate('helper', [hang])], [launch]));
      await untilNoted(owner.installation, 'begun');
      const helper = await childOf(other.url, runId);
      assert.equal((await cancel(other.url, `runs/${helper.id}`)).status, 202);
      const ended = await until(other.url, runId, 'run-end');
      assert.equal(ended.status, 'completed', JSON.stringify(ended));
      assert.match(ended.text, /ended without an answer \(cancelled\): The user cancelled the run/);
      await untilNoted(owner.installation, 'aborted', 'launch mars');
    },
  );

  store.test(
    `a run that waits for approval on one server is cancelled through another one (${store.name})`,
    { timeout },
    async () => {
      await using servers = await startTwo(store);
      const { owner, other } = servers;
      const runId = await start(owner.url, task([['detonate', {}]]));
      const [asked] = await pendingOf(owner.url, runId, 1);
      assert.equal((await cancel(other.url, `runs/${runId}`)).status, 202);
      await untilStatus(owner.url, runId, 'cancelled');
      await assert.rejects(approve(owner.url, asked), /E_APPROVAL_WITHDRAWN/);
      assert.deepEqual(await owner.installation.launches(), []);
    },
  );

  store.test(
    `a run whose server died before it saw the cancellation does no further work on another one (${store.name})`,
    { timeout },
    async () => {
      await using servers = await startTwo(store);
      const { owner, other } = servers;
      const runId = await start(owner.url, task([hang], [launch]));
      await untilNoted(owner.installation, 'begun');
      owner.signal('SIGSTOP');
      assert.equal((await cancel(other.url, `runs/${runId}`)).status, 202);
      owner.signal('SIGKILL');
      await untilStatus(other.url, runId, 'cancelled');
      assert.equal((await until(other.url, runId, 'run-end')).status, 'cancelled');
      assert.deepEqual(await other.installation.launches(), []);
    },
  );
}
