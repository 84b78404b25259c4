import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import { stoppablePostgresForTests } from '@ravi/state-testing';
import { afterAll, test } from 'vitest';
import { createPgBossRunEngine } from '../src/index.ts';
import { wake } from './support/database.ts';

// A separate server, because the test stops it.
const server = await stoppablePostgresForTests();
afterAll(async () => {
  if (typeof server !== 'string') await server[Symbol.asyncDispose]();
});

if (typeof server === 'string') {
  test.skip(`an outage (skipped: ${server})`);
} else {
  test('an outage refuses wakes, and afterwards runs that were being handled and waited are handled', async () => {
    await using engine = await createPgBossRunEngine({ url: server.url, heartbeatMs: 10_000 });
    const handled: string[] = [];
    let notify: () => void = () => {};
    const { promise: mayEnd, resolve: endFirst } = Promise.withResolvers<void>();
    const { promise: hasBegun, resolve: onBegun } = Promise.withResolvers<void>();
    await engine.work({
      versions: ['v1'],
      slots: 1,
      async handle({ runId }) {
        if (handled.length === 0) {
          onBegun();
          await mayEnd;
        }
        handled.push(runId);
        notify();
        return { status: 'done' };
      },
    });
    await engine.wake([wake('run-1')]);
    await hasBegun;
    await engine.wake([wake('run-2')]);
    await server.stop();
    for (const refused of [() => engine.wake([wake('run-3')]), () => engine.figures(), () => engine.listDead()]) {
      await assert.rejects(refused, (error) => isKernelError(error, 'E_ENGINE_UNAVAILABLE') && error.retryable);
    }
    // The end of this handler cannot be recorded.
    endFirst();
    while (handled.length === 0) await new Promise<void>((resolve) => (notify = resolve));
    await server.start();
    await engine.wake([wake('run-4')]);
    const expected = ['run-1', 'run-1', 'run-2', 'run-4'];
    while (handled.length < expected.length) await new Promise<void>((resolve) => (notify = resolve));
    assert.deepEqual(handled.toSorted(), expected);
  });
}
