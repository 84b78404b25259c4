import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openMonolith, serve } from '@ravi/monolith';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import { readingConfig, readingFiles } from './support/reading-agent.ts';
import { send, until } from './support/run-requests.ts';

const restarts = 50;

test(
  'a run survives fifty shutdowns in a row during the same call, none of which is a crash',
  { timeout: 240_000 },
  async () => {
    await using installation = await createInstallation(readingConfig, readingFiles);
    const { folder: cwd, configPath, launches } = installation;
    let runId = '';
    for (let number = 1; number <= restarts; number++) {
      {
        await using monolith = await openMonolith({ cwd, configPath, env: {}, isServer: true });
        await using server = await serve(monolith, { port: 0, graceMs: 0 });
        if (number === 1) runId = (await send(server.url, '/v1/runs', { kind: 'agent', task: 'read it' })).id;
        while ((await launches()).length < number) await pause(5);
      }
      await using store = await createSqliteStateStore({ file: join(cwd, 'data/state.db') });
      const run = await store.runs.get(runId);
      assert.deepEqual([run?.status, run?.owner, run?.epoch], ['running', undefined, number]);
      assert.deepEqual((await store.processes.list()).items, [], 'the process that ended has no record');
    }
    await writeFile(join(cwd, 'go'), '');
    await using monolith = await openMonolith({ cwd, configPath, env: {}, isServer: true });
    await using server = await serve(monolith, { port: 0, graceMs: 0 });
    assert.equal((await until(server.url, runId, 'run-end')).text, 'read at last');
    const { attempts } = await send(server.url, `/v1/runs/${runId}`);
    assert.deepEqual(
      attempts.map(({ end }: { readonly end: string }) => end),
      [...Array<string>(restarts).fill('suspended'), 'ended'],
    );
  },
);
