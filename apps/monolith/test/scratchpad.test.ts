import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll } from 'vitest';
import { installAgents } from './support/agents.ts';
import { approve, pendingOf, send, start, until, untilStatus } from './support/run-requests.ts';
import { buildServer, startBundled } from './support/server-process.ts';
import { storeCases } from './support/state-stores.ts';
import { delegate, task } from './support/sub-agents.ts';
import type { Call } from './support/sub-agents.ts';

/** `gate` says that it waits, and waits until the file `open` exists. */
const pad = `
import { access, appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
const file = (name) => join(import.meta.dirname, '..', name);
const text = (value) => ({ content: [{ type: 'text', text: String(value) }], isError: false });
const safe = (name, execute) => ({ name, description: name, risk: 'safe', inputSchema: { type: 'object' }, execute });
export default [
  safe('note', async ({ value }, { scratchpad }) => { scratchpad.set('note', value); return text('noted'); }),
  safe('recall', async (_args, { scratchpad }) => text(scratchpad.get('note'))),
  safe('gate', async (_args, { signal }) => {
    await appendFile(file('waiting.txt'), 'x');
    for (;;) {
      if (await access(file('open')).then(() => true, () => false)) return text('open');
      await setTimeout(20, undefined, { signal });
    }
  }),
];`;

// Its time belongs to no test.
beforeAll(buildServer, 300_000);

const note = (value: string): Call => ['note', { value }];
const gate: Call = ['gate', {}];
const recall: Call = ['recall', {}];
const detonate: Call = ['detonate', { target: 'moon' }];
const tools = { allow: ['note', 'recall', 'gate', 'detonate'] };

for (const { name, plugin, test } of storeCases) {
  test(
    `what tools keep in the scratchpad of a run on ${name} is there after its pauses and after its server was killed`,
    { timeout: 240_000 },
    async () => {
      const pilot = { description: 'Notes things.', model: 'calling', tools };
      await using installation = await installAgents(
        {
          agent: { tools, delegates: ['pilot'] },
          agents: { pilot },
          approvals: { mode: 'pause' },
          runs: { leaseMs: 6_000 },
          plugins: plugin(),
        },
        { 'tools/pad.mjs': pad },
      );
      const { folder } = installation;
      using first = startBundled(folder);
      const url = await first.url();
      const chain = async (held: string): Promise<string> => {
        const code = `await tools.note({ value: '${held}' }); await tools.${held}({}); return await tools.recall({})`;
        return (await send(url, '/v1/runs', { kind: 'chain', code })).id;
      };
      const continueAfterPause = async (at: string, runId: string): Promise<void> => {
        const [asked] = await pendingOf(at, runId, 1);
        await untilStatus(at, runId, 'paused');
        await approve(at, asked);
      };
      const valueOf = async (at: string, runId: string): Promise<unknown> =>
        (await untilStatus(at, runId, 'completed')).outcome.result.value;
      const textOf = async (at: string, runId: string): Promise<string> => (await until(at, runId, 'run-end')).text;

      const paused = [await start(url, task([note('agent')], [detonate], [recall])), await chain('detonate')] as const;
      for (const runId of paused) await continueAfterPause(url, runId);
      assert.equal(await textOf(url, paused[0]), 'noted | launched | agent');
      assert.equal(await valueOf(url, paused[1]), 'detonate');

      const parked = await start(url, task([note('parked')], [detonate], [recall]));
      await pendingOf(url, parked, 1);
      await untilStatus(url, parked, 'paused');
      const agent = await start(url, task([note('agent')], [gate], [recall]));
      const boss = await start(
        url,
        task([note('boss')], [delegate('pilot', [note('pilot')], [gate], [recall])], [recall]),
      );
      const script = await chain('gate');
      const waiting = (): Promise<string> => readFile(join(folder, 'waiting.txt'), 'utf8').catch(() => '');
      while ((await waiting()).length < 3) await pause(20);
      first.signal('SIGKILL');
      await first.exit;

      await writeFile(join(folder, 'open'), '');
      using second = startBundled(folder);
      const next = await second.url();
      await continueAfterPause(next, parked);
      assert.equal(await textOf(next, parked), 'noted | launched | parked');
      assert.equal(await textOf(next, agent), 'noted | open | agent');
      assert.equal(await valueOf(next, script), 'gate');
      // A delegate has a scratchpad of its own.
      assert.equal(await textOf(next, boss), 'noted | noted | open | pilot | boss');
    },
  );
}
