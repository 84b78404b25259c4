import assert from 'node:assert/strict';
import { startRestate } from '@ravi/engine-testing';
import { afterAll, test } from 'vitest';
import { createRestateRunEngine } from '../src/index.ts';
import type { RestateRunEngineOptions } from '../src/index.ts';
import { startEngineProcess, startNoting, wake } from './support/workers.ts';

const server = await startRestate();
afterAll(() => server[Symbol.asyncDispose]());
const { ingressUrl, adminUrl } = server;

/** A patient caller: another process takes over from the one that is gone meanwhile. */
function optionsFor(service: string): RestateRunEngineOptions {
  return { ingressUrl, adminUrl, service, heartbeatMs: 3_000, timeoutMs: 60_000 };
}

for (const [what, name] of [
  ['killed', 'SIGKILL'],
  ['paused', 'SIGSTOP'],
] as const) {
  test(`another process executes the requests of Restate and gets the runs of the first one, which was ${what}`, async () => {
    const options = optionsFor(`host-${what}`);
    await using first = await startEngineProcess(options);
    await using engine = await createRestateRunEngine(options);
    first.work();
    await engine.wake([wake('held')]);
    await first.report('began', 'held');
    first.signal(name);
    await engine.wake([wake('new')]);
    await using worker = await startNoting(engine, 5);
    await worker.until(() => worker.runIds.includes('held') && worker.runIds.includes('new'));
    assert.equal((await engine.figures()).dead, 0);
    if (name === 'SIGKILL') return;
    first.signal('SIGCONT');
    await first.report('aborted', 'held');
    await first.report('signal', 'missed');
  });
}

test('when the first engine is disposed, another one executes the requests of Restate', async () => {
  const options = optionsFor('host-disposed');
  const first = await createRestateRunEngine(options);
  await using second = await createRestateRunEngine(options);
  await using worker = await startNoting(second, 1);
  await first[Symbol.asyncDispose]();
  await second.wake([wake('run-1')]);
  await worker.until(() => worker.runIds.length === 1);
});
