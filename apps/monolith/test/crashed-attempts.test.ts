import assert from 'node:assert/strict';
import type { RecordedEvent } from '@ravi/api';
import { test } from 'vitest';
import { countFruitlessCrashes } from '../src/runs/crashed-attempts.ts';
import type { EventsOfTree } from '../src/runs/crashed-attempts.ts';

interface Event {
  readonly type: string;
  readonly at?: number;
  readonly data?: object;
}

/** Events of a run: each list is one attempt, of the epochs from 1. */
function tree(attempts: readonly (readonly Event[])[], below: readonly EventsOfTree[] = []): EventsOfTree {
  const events = attempts.flatMap((attempt, epoch) =>
    attempt.map((event, n) => ({ id: `${epoch + 1}.${n + 1}`, at: 1, data: {}, ...event }) as unknown as RecordedEvent),
  );
  return { events, below };
}

const count = (...attempts: readonly (readonly Event[])[]): number => countFruitlessCrashes(tree(attempts)).total;
const start = { type: 'run-start' };
const alone = { type: 'run-start', data: { isAlone: true } };
const call = (callId: string): Event => ({ type: 'tool-result', data: { callId } });

test('attempts without an end or progress are crashes in a row', () => {
  assert.equal(count([]), 0);
  assert.equal(count([start]), 1);
  assert.equal(count([start], [start, { type: 'tool-call' }], [start]), 3);
});

test('progress starts the count again', () => {
  assert.equal(count([start], [start], [start, call('1')]), 0);
  assert.equal(count([start], [start], [start, call('1')], [start]), 1);
  assert.equal(count([start], [start, { type: 'step-end', data: { step: 1 } }]), 0);
  assert.equal(count([start], [start, { type: 'model-end', data: { step: 1, stopReason: 'end' } }]), 0);
});

test('a call that is made again after each crash is not progress, nor is a response that was cut', () => {
  assert.equal(count([start, call('1')], [start, call('1')], [start, call('1')], [start, call('1')]), 3);
  const cut = { type: 'model-end', data: { step: 1 } };
  assert.equal(count([start, cut], [start, cut]), 2);
});

test('the end that recovery gives to a call with an unknown outcome is not progress', () => {
  const unknown = (callId: string): Event => ({ type: 'tool-result', data: { callId, errorCode: 'E_CALL_UNKNOWN' } });
  assert.equal(count([start], [start, unknown('1')], [start, unknown('2')]), 3);
  const failed = { type: 'tool-result', data: { callId: '1', errorCode: 'E_TOOL_FAILED' } };
  assert.equal(count([start], [start, failed]), 0);
});

test('a shutdown or a pause starts the count again', () => {
  const suspended = [start, { type: 'run-suspended' }];
  assert.equal(count(suspended, suspended, suspended, suspended), 0);
  assert.equal(count([start], [start], suspended), 0);
  assert.equal(count([start], [start, { type: 'run-paused' }], [start]), 1);
});

test('only the crashes of attempts apart from other suspected runs count towards the limit', () => {
  assert.deepEqual(countFruitlessCrashes(tree([[start], [start]])), { total: 2, alone: 0 });
  assert.deepEqual(countFruitlessCrashes(tree([[start], [start], [alone], [alone]])), { total: 4, alone: 2 });
  const accompanied = [alone, { type: 'run-accompanied' }];
  assert.deepEqual(countFruitlessCrashes(tree([[alone], accompanied, [alone]])), { total: 3, alone: 2 });
  assert.deepEqual(countFruitlessCrashes(tree([[alone], [alone], [start, call('1')], [start]])), {
    total: 1,
    alone: 0,
  });
});

test('progress of a sub-agent counts for the attempt above in which it began, in spite of a step of the clock', () => {
  const within = (aboveEpoch: number): Event => ({ type: 'run-start', at: 5_000_000, data: { aboveEpoch } });
  const later = { ...call('1'), at: 9_000_000 };
  const helper = tree([[within(1)], [within(2), later], [within(3)]]);
  // The clock of the third process shows an earlier time than the others.
  const caller = [[{ ...start, at: 1_000 }], [{ ...start, at: 2_000 }], [{ ...start, at: 3 }]];
  assert.deepEqual(countFruitlessCrashes(tree(caller, [helper])), { total: 1, alone: 0 });
  const lowest = tree([[within(2), later]]);
  const between = tree([[within(1)], [within(3)]], [lowest]);
  assert.deepEqual(countFruitlessCrashes(tree([...caller, [start]], [between])), { total: 1, alone: 0 });
});
