import assert from 'node:assert/strict';
import { test } from 'vitest';
import { continuations, emptyStory } from '../../app/api/run-story.ts';
import { downtimeOf, timelineOf } from '../../app/runs/timeline.ts';
import { began, call, failedRun, finishedRun } from '../support/runs.ts';

const steps = [
  { step: 1, startedAt: began + 20, durationMs: 1_730 },
  { step: 2, startedAt: began + 10_300, durationMs: 1_100 },
];

test('calls of a script are listed below the call that ran it, and that call below its step', () => {
  const { rows } = timelineOf(finishedRun, { ...emptyStory, steps }, finishedRun.updatedAt);
  assert.deepEqual(
    rows.map(({ kind, depth, name }) => `${depth} ${kind} ${name}`),
    [
      '0 step Step 1',
      '1 chain tool_chain',
      '2 nested open_dataset',
      '2 nested open_dataset',
      '2 nested open_dataset',
      '2 nested profile_table',
      '2 nested query_rows',
      '2 nested query_rows',
      '2 nested publish_report',
      '0 step Step 2',
    ],
  );
});

test('of two scripts at once each has the calls that the server says are its own', () => {
  const trace = [
    call('first', 'tool_chain', 0, { caller: 'direct', durationMs: 500 }),
    call('second', 'tool_chain', 5, { caller: 'direct', durationMs: 500 }),
    call('inner', 'open_dataset', 10),
  ];
  const story = continuations['tool-call'](
    emptyStory,
    { callId: 'inner', tool: 'open_dataset', caller: 'chain', argsPreview: '', parentId: 'first' },
    began + 10,
  );
  const { rows } = timelineOf({ ...finishedRun, trace }, story, finishedRun.updatedAt);
  assert.deepEqual(
    rows.map(({ id }) => id),
    ['first', 'inner', 'second'],
  );
});

test('calls of sub-agents are below the calls that ran them, also if all agents choose the same ids', () => {
  const own = { caller: 'direct', durationMs: 500 } as const;
  const { id: parentRunId } = finishedRun;
  const trace = [
    call('call', 'boss', 0, own),
    call('call', 'helper', 1, { ...own, runId: 'middle', parentId: 'call', parentRunId }),
    call('call', 'launch', 2, { ...own, runId: 'lowest', parentId: 'call', parentRunId: 'middle' }),
  ];
  const { rows } = timelineOf({ ...finishedRun, trace }, emptyStory, finishedRun.updatedAt);
  assert.deepEqual(
    rows.map(({ id, name, depth }) => [id, name, depth]),
    [
      ['call', 'boss', 0],
      ['middle call', 'helper', 1],
      ['lowest call', 'launch', 2],
    ],
  );
});

test('a call that only the events know reaches to the present while it runs', () => {
  const begun = { callId: 'open', tool: 'open_dataset', caller: 'chain', argsPreview: '' } as const;
  const story = continuations['tool-call'](emptyStory, begun, began + 40);
  const running = { ...finishedRun, status: 'running', trace: [] } as const;
  const [row] = timelineOf(running, story, began + 5_000).rows;
  assert.deepEqual([row?.status, row?.endedAt], ['running', began + 5_000]);
  const ended = continuations['tool-result'](story, { ...begun, status: 'error', durationMs: 60 }, began + 100);
  const [after] = timelineOf(running, ended, began + 5_000).rows;
  assert.deepEqual([after?.status, after?.startedAt, after?.endedAt], ['error', began + 40, began + 100]);
});

test('a call that a pause ended is paused, and cancelled once the run is', () => {
  const trace = [call('launch', 'launch', 0, { status: 'cancelled' })];
  const statusIn = (status: 'paused' | 'cancelled'): string | undefined =>
    timelineOf({ ...finishedRun, status, trace }, emptyStory, finishedRun.updatedAt).rows[0]?.status;
  assert.deepEqual([statusIn('paused'), statusIn('cancelled')], ['paused', 'cancelled']);
});

test('a run without a model begins with its calls', () => {
  const { rows, startedAt } = timelineOf(failedRun, emptyStory, failedRun.updatedAt);
  assert.deepEqual(
    rows.map(({ id, depth }) => [id, depth]),
    [['list', 0]],
  );
  assert.equal(startedAt, failedRun.createdAt);
});

test('downtime is the time between two attempts, unless the run was paused', () => {
  const attempts = [
    { epoch: 1, startedAt: 100, endedAt: 200, end: 'crashed' },
    { epoch: 2, startedAt: 1_200, endedAt: 1_300, end: 'paused' },
    { epoch: 3, startedAt: 9_300, endedAt: 9_400, end: 'suspended' },
    { epoch: 4, startedAt: 9_900 },
  ] as const;
  assert.equal(downtimeOf({ attempts }), 1_500);
  assert.equal(downtimeOf({ attempts: [] }), 0);
});
