import assert from 'node:assert/strict';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import { HookManager } from '@ravi/invoker';
import { KernelError, systemClock } from '@ravi/kernel';
import type { CompleteStateStore, ToolResultBlock } from '@ravi/kernel';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { storeNewRun } from '@ravi/support';
import { createFakeClock, createMemoryLogger } from '@ravi/testkit';
import { test } from 'vitest';
import { createRunRecorder } from '../src/runs/run-recorder.ts';

const scope = { runId: 'helper', sessionId: 's' } as const;
const holder = { owner: 'one' };
const paused = { type: 'run-paused', ...scope, questions: [], reason: 'approval' } as const;

/** Records a sub-agent of a run; `change` replaces parts of its run store. */
async function createWorld(
  change: (runs: CompleteStateStore['runs']) => Partial<CompleteStateStore['runs']> = () => ({}),
) {
  const clock = createFakeClock();
  const logger = createMemoryLogger();
  const store = await createSqliteStateStore({ file: ':memory:' });
  const hooks = new HookManager({ clock, logger });
  const runs = { ...store.runs, ...change(store.runs) };
  const blobStore = createMemoryBlobStore({ clock });
  const recorder = createRunRecorder({ hooks, store: { ...store, runs }, blobStore, clock, logger });
  const row = { principal: 'ada', sessionId: 's', createdAt: clock.now(), definition: { kind: 'agent' } };
  await store.runs.create({ ...row, id: 'parent' }, holder);
  await recorder.runs.create({ ...row, id: 'helper', parentRunId: 'parent' }, holder);
  await recorder.active('helper')?.hold();
  recorder.active('helper')?.resume();
  const text = (content: string): void => recorder.active('helper')?.append({ type: 'model-text', text: content });
  const idsAndTypes = async (): Promise<readonly string[]> =>
    (await recorder.read('helper')).map(({ id, type }) => `${id} ${type}`);
  return { store, recorder, text, idsAndTypes };
}

test('a sub-agent that was paused without a reply of the store records its next attempt', async () => {
  let isLost = false;
  const { recorder, text, idsAndTypes } = await createWorld((runs) => ({
    async transition(id, request) {
      const isChanged = await runs.transition(id, request);
      if (request.to !== 'paused' || isLost) return isChanged;
      isLost = true;
      throw new KernelError('E_STATE_UNAVAILABLE', 'The reply was lost', { retryable: true });
    },
  }));
  text('first');
  const change = { from: ['running'], to: 'paused', now: 1, owner: 'one', epoch: 1, event: paused } as const;
  await assert.rejects(recorder.runs.transition('helper', change));
  assert.equal(await recorder.runs.transition('helper', change), false);
  assert.equal(recorder.active('helper'), undefined, 'readers continue from the store');

  assert.equal((await recorder.runs.claim('helper', holder))?.epoch, 2);
  text('second');
  const end = { type: 'run-end', ...scope, status: 'completed' } as const;
  await recorder.runs.transition('helper', { from: ['paused'], to: 'completed', now: 2, owner: 'one', event: end });
  assert.deepEqual(await idsAndTypes(), [
    '1.1 run-start',
    '1.2 model-text',
    '1.3 run-paused',
    '2.1 run-start',
    '2.2 model-text',
    '2.3 run-end',
  ]);
});

test('a closed log of a sub-agent that was paused without a reply of the store does not stay in memory', async () => {
  let isLost = false;
  const { recorder, text, idsAndTypes } = await createWorld((runs) => ({
    async transition(id, request) {
      const isChanged = await runs.transition(id, request);
      if (request.to !== 'paused' || isLost) return isChanged;
      isLost = true;
      // While the reply is on its way, so that the store refuses it afterwards.
      text('late');
      throw new KernelError('E_STATE_UNAVAILABLE', 'The reply was lost', { retryable: true });
    },
  }));
  const change = { from: ['running'], to: 'paused', now: 1, owner: 'one', epoch: 1, event: paused } as const;
  await assert.rejects(recorder.runs.transition('helper', change));
  while (recorder.active('helper')?.isClosed === false) await new Promise(setImmediate);
  assert.equal(await recorder.runs.transition('helper', change), false);
  assert.equal(recorder.active('helper'), undefined, 'readers continue from the store');
  assert.deepEqual(await idsAndTypes(), ['1.1 run-start', '1.2 run-paused']);
});

test('the log of a sub-agent that another process has taken closes, and the next attempt here records its events', async () => {
  const { store, recorder, text, idsAndTypes } = await createWorld();
  assert.equal((await store.runs.claim('helper', { owner: 'two' }))?.epoch, 2);
  await recorder.leave({ runId: 'helper', owner: 'one', epoch: 1 });
  assert.equal(recorder.active('helper'), undefined);
  await store.runs.release('helper', 'two');
  assert.equal((await recorder.runs.claim('helper', holder))?.epoch, 3);
  text('again');
  await recorder.close('helper');
  assert.deepEqual(await idsAndTypes(), ['1.1 run-start', '3.1 run-start', '3.2 model-text']);
});

test('a call whose result the model received ends with it, although the event was lost with the process', async () => {
  const { store, recorder } = await createWorld();
  const began = { caller: 'direct', argsPreview: '{}' } as const;
  for (const [callId, tool] of [
    ['call_1', 'tool_chain'],
    ['call_2', 'read'],
    ['call_3', 'courier'],
    ['call_4', 'read'],
  ] as const) {
    recorder.active('helper')?.append({ type: 'tool-call', ...scope, ...began, callId, tool });
  }
  await recorder.active('helper')?.hold();
  recorder.active('helper')?.resume();
  const result = (toolUseId: string, isError: boolean): ToolResultBlock => ({
    type: 'tool_result',
    toolUseId,
    content: [{ type: 'text', text: 'the result' }],
    isError,
  });
  const content = [result('call_1', false), result('call_2', true), result('call_3', false)];
  const details = { jobs: [{ id: 'job_1', callId: 'call_3', tool: 'courier' }] };
  const entry = { id: 'entry', principal: 'ada', sessionId: 'helper', runId: 'helper', createdAt: 1, details };
  await store.history.append([{ ...entry, message: { role: 'user', content } }]);
  await recorder.close('helper');
  await recorder.runs.claim('helper', holder);
  const end = { type: 'run-end', ...scope, status: 'completed' } as const;
  await recorder.runs.transition('helper', { from: ['running'], to: 'completed', now: 2, owner: 'one', event: end });
  const ends = (await recorder.read('helper')).flatMap(({ type, data }) => (type === 'tool-result' ? [data] : []));
  assert.deepEqual(
    ends.map(({ callId, status, errorCode }) => [callId, status, errorCode]),
    [
      ['call_1', 'ok', undefined],
      ['call_2', 'error', undefined],
      ['call_3', 'error', 'E_CALL_UNKNOWN'],
      ['call_4', 'error', 'E_CALL_UNKNOWN'],
    ],
  );
});

test('a log that an earlier attempt has left open does not swallow the events of the next one', async () => {
  const { store, recorder, text, idsAndTypes } = await createWorld();
  await store.runs.release('helper', 'one');
  assert.equal((await recorder.runs.claim('helper', holder))?.epoch, 2);
  text('again');
  await recorder.close('helper');
  assert.deepEqual(await idsAndTypes(), ['1.1 run-start', '2.1 run-start', '2.2 model-text']);
});

test('a run that was created without a reply of the store records its start', async () => {
  let isLost = false;
  const { recorder } = await createWorld((runs) => ({
    async create(run, request) {
      const created = await runs.create(run, request);
      if (run.id === 'helper' || isLost) return created;
      isLost = true;
      throw new KernelError('E_STATE_UNAVAILABLE', 'The reply was lost', { retryable: true });
    },
  }));
  const row = { principal: 'ada', sessionId: 's', createdAt: 1, definition: { kind: 'chain', code: '1' } };
  await recorder.open('script', { isNew: true });
  const waiting = { clock: systemClock, signal: new AbortController().signal };
  const parts = { runs: recorder.runs, process: { started: async () => {} } };
  const created = await storeNewRun(parts, { row: { ...row, id: 'script' }, holder }, waiting);
  assert.equal(created.epoch, 1);
  await recorder.close('script');
  const [first, ...others] = await recorder.read('script');
  assert.deepEqual([first?.id, first?.type, first?.data, others], ['1.1', 'run-start', { kind: 'chain' }, []]);
});
