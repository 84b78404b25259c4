import assert from 'node:assert/strict';
import type { DurableChainResult, DurableChains } from '@ravi/capabilities';
import type { Run } from '@ravi/kernel';
import { test } from 'vitest';
import { withEventRecording } from '../src/runs/with-event-recording.ts';

test('the log of a run stays open until every call that follows the run has returned', async () => {
  const ends: PromiseWithResolvers<DurableChainResult>[] = [];
  const chains = {
    get: async () => ({ id: 'run_1' }) as Run,
    resume() {
      const end = Promise.withResolvers<DurableChainResult>();
      ends.push(end);
      return end.promise;
    },
  } as unknown as DurableChains;
  const closed: string[] = [];
  const recorder = { open: async () => undefined, close: async (runId: string) => void closed.push(runId) };
  const recorded = withEventRecording(chains, recorder);
  const both = [recorded.resume('run_1'), recorded.resume('run_1')];
  while (ends.length < 2) await new Promise(setImmediate);
  assert.equal(recorded.activeOutermost, 1);
  ends[0]?.resolve({ status: 'paused' } as DurableChainResult);
  await both[0];
  assert.deepEqual(closed, []);
  ends[1]?.resolve({ status: 'ok' } as DurableChainResult);
  await both[1];
  assert.deepEqual(closed, ['run_1']);
  assert.equal(recorded.activeOutermost, 0);
});

test('a run that another process has ended meanwhile is left here too', async () => {
  const chains = {
    get: async () => ({ id: 'run_1', outcome: {} }) as Run,
    resume: async () => ({ status: 'ok' }) as DurableChainResult,
  } as unknown as DurableChains;
  const closed: string[] = [];
  const recorder = { open: async () => undefined, close: async (runId: string) => void closed.push(runId) };
  assert.equal((await withEventRecording(chains, recorder).resume('run_1')).status, 'ok');
  assert.deepEqual(closed, ['run_1']);
});
