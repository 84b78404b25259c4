import { createMemoryBlobStore } from '@ravi/blob-memory';
import { createRecordingHooks } from '@ravi/testkit';
import { HookManager } from '@ravi/invoker';
import { expect, test } from 'vitest';
import { allow, call, createScene, refund, resultsOf, sessionOf } from './scene.ts';

test('the trace has the id of the session and of the prompt', async () => {
  const hooks = new HookManager();
  const recorded = createRecordingHooks();
  recorded.attach(hooks);
  const scene = await createScene([[refund(7)], 'done'], { answer: allow, hooks });

  const messages = await scene.run({}, { principal: 'ada' });

  const [event] = recorded.of('tool-result');
  expect(event).toMatchObject({ tool: 'refund_order', callId: 'toolu_7', sessionId: sessionOf(messages) });
  const { runId, sessionId } = event!;
  expect(runId.startsWith(`${sessionId}/`)).toBe(true);
  expect(scene.gateway.trace({ runId, sessionId, principal: 'ada' })).toMatchObject([{ status: 'ok' }]);
});

test('one prompt has one budget', async () => {
  const list = (id: string): ReturnType<typeof call> => call('list_orders', {}, id);
  const scene = await createScene([[list('toolu_a'), list('toolu_b')], [list('toolu_c')], 'done'], {
    policy: { maxToolCalls: 2 },
  });

  await scene.run();

  expect(scene.listed).toBe(2);
  expect(resultsOf(scene.model)).toContain('budget');
});

test('safe tools run at the same time', async () => {
  const scene = await createScene([[call('track_parcel'), call('list_orders')], 'done']);
  const controller = new AbortController();
  const run = scene.run({ abortController: controller }).catch((error: unknown) => error);
  await scene.tracking;
  while (scene.listed === 0) await new Promise((resolve) => setImmediate(resolve));

  controller.abort();

  await scene.cancelled;
  expect(await run).toBeInstanceOf(Error);
});

test('a large result is stored, and the model reads its beginning', async () => {
  const scene = await createScene([[call('write_report')], 'done'], { artifactStore: createMemoryBlobStore() });

  await scene.run();

  expect(resultsOf(scene.model).length).toBeLessThan(6_000);
});

test('the model reads an image of a result, and its reference', async () => {
  const scene = await createScene([[call('photo_parcel')], 'done'], { artifactStore: createMemoryBlobStore() });

  await scene.run();

  expect(resultsOf(scene.model)).toContain('"type":"image"');
  expect(resultsOf(scene.model)).toContain('$artifact');
});

test('cancelling the query cancels a call that waits for its person', async () => {
  const controller = new AbortController();
  const waiting = Promise.withResolvers<void>();
  const scene = await createScene([[refund(7)], 'done'], {
    answer: () => {
      waiting.resolve();
      return new Promise<never>(() => undefined);
    },
  });
  const run = scene.run({ abortController: controller }).catch((error: unknown) => error);
  await waiting.promise;

  controller.abort();

  expect(await run).toBeInstanceOf(Error);
  expect(scene.refunds).toEqual([]);
  expect(scene.asked[0]?.options.signal.aborted).toBe(true);
});
