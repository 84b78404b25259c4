import assert from 'node:assert/strict';
import { openMonolith, serve } from '@ravi/monolith';
import { createMemoryLogger } from '@ravi/testkit';
import { test } from 'vitest';
import { installAgents } from './support/agents.ts';
import { approve, pendingOf, send, start, until, untilStatus } from './support/run-requests.ts';
import { delegate, task } from './support/sub-agents.ts';
import type { Call } from './support/sub-agents.ts';

const detonate = (target: string): readonly Call[] => [['detonate', { target }]];

test(
  'a call that delegates is counted once in the budgets of the day, however often its run pauses, and leaves no warning',
  { timeout: 60_000 },
  async () => {
    const logger = createMemoryLogger();
    await using installation = await installAgents({ budgets: { server: { maxToolCallsPerDay: 100 } } });
    const { folder: cwd, configPath } = installation;
    await using monolith = await openMonolith({ cwd, configPath, env: {}, isServer: true, logger });
    await using server = await serve(monolith, { port: 0, graceMs: 0 });
    const { url } = server;
    const usedBy = async (work: string, pauses: number): Promise<number> => {
      const used = async (): Promise<number> => (await send(url, '/v1/budgets')).items.find(isCalls).used;
      const before = await used();
      const runId = await start(url, work);
      for (let pause = 0; pause < pauses; pause++) {
        const [asked] = await pendingOf(url, runId, 1);
        await untilStatus(url, runId, 'paused');
        await approve(url, asked);
      }
      const ended = await until(url, runId, 'run-end');
      assert.equal(ended.status, 'completed', JSON.stringify(ended));
      return (await used()) - before;
    };

    const work = delegate('pilot', detonate('first'), detonate('second'));
    // The delegation, and both calls of the delegate.
    assert.equal(await usedBy(task([work]), 2), 3);
    // The same, and the call of the script.
    const [, args] = work;
    const script: Call = ['tool_chain', { code: `return await tools.pilot(${JSON.stringify(args)});` }];
    assert.equal(await usedBy(task([script]), 2), 4);
    assert.equal((await installation.launches()).length, 4);
    assert.ok(!logger.messages('warn').includes('late result of a tool was dropped'));
  },
);

function isCalls({ name }: { readonly name: string }): boolean {
  return name.includes('server.maxToolCallsPerDay');
}
