import { createMemoryBlobStore } from '@ravi/blob-memory';
import { expect, test } from 'vitest';
import { runOf } from '../src/index.ts';
import type { CallContext } from '../src/index.ts';
import type { ModelCall } from './model.ts';
import { refund } from './model.ts';
import { createScene } from './scene.ts';

const list = (id: string): ModelCall => ({ id, name: 'list_orders', args: {} });

test('a run has one budget, and a suspended call counts once', async () => {
  await using scene = createScene([[refund(7)], [list('a')], [list('b')]], { policy: { maxToolCalls: 2 } });

  const { outputs } = await scene.resume(await scene.ask(), { choice: 'approve' });

  expect(scene.refunds).toEqual([7]);
  expect(scene.listed).toBe(1);
  expect(outputs).toContain('budget');
});

test('a large result is stored, and the model reads its beginning', async () => {
  await using scene = createScene([[{ id: 'call-1', name: 'write_report', args: {} }]], {
    artifactStore: createMemoryBlobStore(),
  });

  const { outputs, runId } = await scene.ask();

  expect(outputs.length).toBeLessThan(6_000);
  const [{ artifactRef = '' } = {}] = scene.gateway.trace({ runId });
  const { bytes } = await scene.gateway.readArtifact({ runId }, artifactRef);
  expect(bytes.byteLength).toBe(21_000);
});

test('the model reads the reference of a medium', async () => {
  await using scene = createScene([[{ id: 'call-1', name: 'photo_parcel', args: {} }]], {
    artifactStore: createMemoryBlobStore(),
  });

  const { outputs } = await scene.ask();

  expect(outputs).toContain('$artifact');
  expect(outputs).toContain('image/png');
});

test('a cancelled run cancels its call', async () => {
  await using scene = createScene([[{ id: 'call-1', name: 'track_parcel', args: {} }]]);
  const controller = new AbortController();
  const asked = scene.ask({ abortSignal: controller.signal }).catch((error: unknown) => error);
  await scene.tracking;

  controller.abort();

  await scene.cancelled;
  await asked;
});

test('a call without a run is a run of its own', () => {
  const context = {} as CallContext;
  expect(runOf(context).runId).not.toBe(runOf(context).runId);
  expect(runOf({ runId: 'run-1' } as CallContext)).toEqual({ runId: 'run-1' });
});

test('a short key for decisions is refused', () => {
  expect(() => createScene([], { decisionKey: new Uint8Array(8) })).toThrow('at least 32 bytes');
});
