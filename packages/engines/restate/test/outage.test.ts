import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isKernelError } from '@ravi/kernel';
import { startRestate } from '@ravi/engine-testing';
import { createMemoryLogger } from '@ravi/testkit';
import { afterAll, test } from 'vitest';
import { createRestateRunEngine } from '../src/index.ts';
import { startNoting, wake } from './support/workers.ts';

// A separate server, because a test stops it. By its configuration it gives up requests after two attempts.
const server = await startRestate({ RESTATE_DEFAULT_RETRY_POLICY__MAX_ATTEMPTS: '2' });
afterAll(() => server[Symbol.asyncDispose]());

test('an outage refuses wakes, and afterwards runs that were being handled and waited are handled', async () => {
  const { ingressUrl, adminUrl } = server;
  const logger = createMemoryLogger();
  await using engine = await createRestateRunEngine({ ingressUrl, adminUrl, heartbeatMs: 3_000, logger });
  const { promise: mayEnd, resolve: endFirst } = Promise.withResolvers<void>();
  await using worker = await startNoting(engine, 1, async ({ runId }) => {
    if (runId === 'run-1') await mayEnd;
    return { status: 'done' };
  });
  await engine.wake([wake('run-1')]);
  await worker.until(() => worker.runIds.length === 1);
  await engine.wake([wake('run-2'), wake('later', { notBefore: Date.now() + 1_000 })]);
  await server.stop();
  for (const refused of [
    () => engine.wake([wake('run-3')]),
    () => engine.signal({ type: 'cancel', runId: 'run-1' }),
    () => engine.figures(),
    () => engine.listDead(),
  ]) {
    await assert.rejects(
      refused,
      (error) => isKernelError(error, 'E_ENGINE_UNAVAILABLE') && error.retryable && /ECONNREFUSED/.test(error.message),
    );
  }
  // The end of this handler is reported after the outage.
  endFirst();
  await server.start();
  await engine.wake([wake('run-4')]);
  await worker.until(() => ['run-2', 'later', 'run-4'].every((runId) => worker.runIds.includes(runId)));
  assert.equal(worker.runIds.filter((runId) => runId === 'run-1').length, 1);
  assert.ok(logger.messages('warn').some((message) => /cannot take runs/.test(message)));
});

test('a run that became due while there was no process is handled by the next one', async () => {
  const { ingressUrl, adminUrl } = server;
  const options = { ingressUrl, adminUrl, service: 'no-process', heartbeatMs: 3_000, timeoutMs: 60_000 };
  const first = await createRestateRunEngine(options);
  const worker = await startNoting(first, 1);
  await first.wake([wake('run-1', { notBefore: Date.now() + 500 })]);
  await worker[Symbol.asyncDispose]();
  await first[Symbol.asyncDispose]();
  // Restate tries to deliver the timer several times.
  await sleep(3_000);
  await using second = await createRestateRunEngine(options);
  await using next = await startNoting(second, 1);
  await next.until(() => next.runIds.length === 1);
});
