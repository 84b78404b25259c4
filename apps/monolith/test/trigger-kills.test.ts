import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openMonolith, serve } from '@ravi/monolith';
import { test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import type { TestInstallation } from './support/installation.ts';
import { send } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startBundled } from './support/server-process.ts';
import { storeCases } from './support/state-stores.ts';
import { callingModel, withTriggers } from './support/triggers.ts';

const sqlite = join(import.meta.dirname, '../../../packages/state/sqlite/src/index.ts');

/** A store whose process is killed after a step of a trigger that a file names; the file is gone then. */
const killingStore = `
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import plugin from ${JSON.stringify(sqlite)};
function killAfter(step) {
  const marker = join(import.meta.dirname, 'kill-after-' + step);
  if (!existsSync(marker)) return;
  rmSync(marker);
  process.kill(process.pid, 'SIGKILL');
}
export default {
  ...plugin,
  async create(options, context) {
    const store = await plugin.create(options, context);
    const triggers = {
      ...store.triggers,
      async claim(...args) {
        const isMine = await store.triggers.claim(...args);
        if (isMine) killAfter('claim');
        return isMine;
      },
      async settle(...args) {
        killAfter('start');
        return store.triggers.settle(...args);
      },
    };
    return { ...store, triggers };
  },
};
`;

function install(): Promise<TestInstallation> {
  const config = withTriggers({
    policy: { maxRiskUnapproved: 'high' },
    runs: { leaseMs: 1_000 },
    plugins: { stateStore: { use: './killing-store.mjs', file: './data/state.db' } },
  });
  return createInstallation(config, { 'model.mjs': callingModel, 'killing-store.mjs': killingStore });
}

async function untilRunEnded(url: string, triggerId: string): Promise<Body> {
  for (;;) {
    const { firings } = await send(url, `/v1/triggers/${triggerId}`);
    const started = firings.find(({ status }: Body) => status === 'started');
    const run = started === undefined ? undefined : await send(url, `/v1/runs/${started.runId}`);
    if (run !== undefined && run.status !== 'running') return run;
    await pause(20);
  }
}

for (const { step, name } of [
  { step: 'claim', name: 'between the claim of a due time and the start of its run' },
  { step: 'start', name: 'after the start of a run, before that is noted' },
] as const) {
  test(`a server that is killed ${name} neither loses nor doubles the run`, async () => {
    await using installation = await install();
    const { folder } = installation;
    {
      using first = startBundled(folder);
      const url = await first.url();
      await writeFile(join(folder, `kill-after-${step}`), '');
      const spec = { kind: 'timer', inMs: 0 };
      const sent = send(url, '/v1/triggers', { spec, task: 'launch|{"target":"moon"}' });
      // It may be killed before it answers.
      await Promise.allSettled([sent]);
      await first.exit;
    }
    using second = startBundled(folder);
    const url = await second.url();
    const { items } = await send(url, '/v1/triggers');
    assert.equal(items.length, 1);
    const triggerId: string = items[0].id;
    const run = await untilRunEnded(url, triggerId);
    assert.equal(run.status, 'completed');
    const { items: runs } = await send(url, '/v1/runs');
    assert.deepEqual(
      runs.map(({ id }: Body) => id),
      [run.id],
    );
    const launches = await installation.launches();
    if (step === 'claim') assert.deepEqual(launches, ['launch moon']);
    // A call that was cut by the kill is not made again.
    else assert.ok(launches.length <= 1);
    assert.equal((await send(url, `/v1/triggers/${triggerId}`)).status, 'ended');
  });
}

for (const { name, plugin, test: testOfStore } of storeCases) {
  testOfStore(`two servers on one database of ${name} start one run for each due time`, async () => {
    const config = withTriggers({ plugins: plugin() });
    await using installation = await createInstallation(config, { 'model.mjs': callingModel });
    const { folder: cwd, configPath } = installation;
    await using stack = new AsyncDisposableStack();
    const urls: string[] = [];
    for (let index = 0; index < 2; index++) {
      const monolith = stack.use(await openMonolith({ cwd, configPath, env: {}, isServer: true }));
      urls.push(stack.use(await serve(monolith, { port: 0, graceMs: 0 })).url);
    }
    const [one = '', two = ''] = urls;
    const ids: string[] = [];
    for (let index = 0; index < 10; index++) {
      const spec = { kind: 'timer', inMs: 500, everyMs: 1_000 };
      const created: Body = await send(index % 2 === 0 ? one : two, '/v1/triggers', { spec, task: 'echo|{}' });
      assert.ok(created.id, JSON.stringify(created));
      ids.push(created.id);
    }
    const firingsOf = async (id: string): Promise<readonly Body[]> => (await send(two, `/v1/triggers/${id}`)).firings;
    for (const id of ids) while ((await firingsOf(id)).length < 3) await pause(50);
    for (const id of ids) await send(one, `/v1/triggers/${id}/cancel`, {});
    // A run that was being started is noted after its trigger was cancelled.
    for (;;) {
      const firings = (await Promise.all(ids.map(firingsOf))).flat();
      const started = firings.filter(({ status }) => status === 'started');
      const { items } = await send(one, '/v1/runs?limit=200');
      const runs = items.map(({ id }: Body) => String(id)).toSorted();
      const noted = started.map(({ runId }) => String(runId)).toSorted();
      if (runs.length > 0 && JSON.stringify(runs) === JSON.stringify(noted)) {
        const slots = new Set(started.map(({ triggerId, dueAt }) => `${triggerId} ${dueAt}`));
        assert.equal(slots.size, runs.length);
        return;
      }
      await pause(50);
    }
  });
}
