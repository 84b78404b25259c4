import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEvents } from './support/event-reader.ts';
import type { SentEvent } from './support/event-reader.ts';
import type { TestInstallation } from './support/installation.ts';
import { start } from './support/run-requests.ts';
import { startBundled } from './support/server-process.ts';
import type { ServerProcess } from './support/server-process.ts';
import { shareStore } from './support/shared-store.ts';
import { storeCases } from './support/state-stores.ts';
import { installSubAgents, task } from './support/sub-agents.ts';
import type { Call } from './support/sub-agents.ts';

const timeout = 120_000;
const steps = 28;
/** Steps in whose call the server that executes the run is killed. */
const kills = [8, 20] as const;

/** Returns a tool that waits until a file exists, if its call names one. */
function workTool(folder: string): string {
  return `
import { existsSync } from 'node:fs';
import { join } from 'node:path';
export default {
  name: 'work', description: 'Works.', risk: 'safe',
  inputSchema: { type: 'object', properties: { until: { type: 'string' } } },
  async execute({ until }) {
    const mayEnd = () => until === undefined || existsSync(join(${JSON.stringify(folder)}, until));
    do await new Promise((resolve) => setTimeout(resolve, 20)); while (!mayEnd());
    return { content: [{ type: 'text', text: 'done' }], isError: false };
  },
};`;
}

/** Returns the calls of a step: the one in which the owner is killed for the nth time waits for a file. */
function callOf(step: number): Call {
  const kill = kills.findIndex((each) => each === step);
  return ['work', kill === -1 ? {} : { until: `killed-${kill + 1}` }];
}

for (const store of storeCases) {
  store.test(
    `a reader on a server that cannot execute the run sees each event once, over two kills of its owner (${store.name})`,
    { timeout },
    async () => {
      await using stack = new AsyncDisposableStack();
      const { plugins } = stack.use(await shareStore(store));
      const folder = await mkdtemp(join(tmpdir(), 'ravi-kills-'));
      stack.defer(() => rm(folder, { recursive: true, force: true }));
      const install = async (agents: object): Promise<TestInstallation> =>
        stack.use(await installSubAgents({ plugins, ...agents }, { 'tools/work.mjs': workTool(folder) }));
      const worker = { agents: { worker: { description: 'Works.' } }, defaultAgent: 'worker' };
      const startOne = async (agents: object): Promise<ServerProcess> => {
        const server = stack.use(startBundled((await install(agents)).folder));
        await server.url();
        return server;
      };
      const reader = await startOne({});
      let owner = await startOne(worker);
      const runId = await start(await owner.url(), task(...Array.from({ length: steps }, (_, step) => [callOf(step)])));

      const seen: SentEvent[] = [];
      let killed = 0;
      // The next owner is up before the old one is killed: no other server can continue the run.
      async function replaceOwner(): Promise<void> {
        const next = await startOne(worker);
        owner.signal('SIGKILL');
        await owner.exit;
        owner = next;
        killed += 1;
        await writeFile(join(folder, `killed-${killed}`), '');
      }
      let replacing = Promise.resolve();
      const response = await fetch(`${await reader.url()}/v1/runs/${runId}/events`);
      for await (const event of readEvents(response)) {
        if (event.id === undefined) continue;
        seen.push(event);
        const isCall = event.event === 'tool-call' && event.data.includes(`killed-${killed + 1}`);
        if (isCall) replacing = replaceOwner();
      }
      await replacing;

      const ids = seen.map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length);
      const places = ids.map((id) => (id ?? '').split('.').map(Number) as [epoch: number, n: number]);
      for (const [index, [epoch, n]] of places.entries()) {
        const [lastEpoch, lastN] = places[index - 1] ?? [epoch, 0];
        assert.ok(epoch > lastEpoch || n > lastN, `${String(ids[index - 1])} before ${String(ids[index])}`);
        // Within an epoch without a gap.
        assert.equal(n, epoch === lastEpoch ? lastN + 1 : 1);
      }
      assert.equal(killed, kills.length);
      assert.equal(new Set(places.map(([epoch]) => epoch)).size, kills.length + 1);
      const { event, data } = seen.at(-1) ?? assert.fail();
      assert.equal(event, 'run-end');
      assert.equal(JSON.parse(data).data.status, 'completed', data);

      // A second reader, from the beginning, sees the same.
      const again: (string | undefined)[] = [];
      for await (const { id } of readEvents(await fetch(`${await owner.url()}/v1/runs/${runId}/events`))) {
        if (id !== undefined) again.push(id);
      }
      assert.deepEqual(again, ids);
    },
  );
}
