import assert from 'node:assert/strict';
import type { RecordedEvent } from '@ravi/api';
import { test } from 'vitest';
import { countFruitlessCrashes } from '../src/runs/fruitless-crashes.ts';

const count = (...events: readonly { readonly type: string; readonly data?: object }[]): number =>
  countFruitlessCrashes(
    events.map((event, index) => ({ id: `1.${index}`, at: index, data: {}, ...event }) as RecordedEvent),
  );
const start = { type: 'run-start' };
const resumed = { type: 'run-start', data: { wasInterrupted: true } };
const suspended = { type: 'run-suspended' };
const call = (callId: string) => ({ type: 'tool-result', data: { callId } });

test('crashes in a row count', () => {
  assert.equal(count(start), 0);
  assert.equal(count(start, resumed, resumed, resumed), 3);
});

test('a crash before progress does not count', () => {
  assert.equal(count(start, resumed, resumed, call('1'), resumed), 1);
  assert.equal(count(start, resumed, { type: 'step-end', data: { step: 1 } }), 0);
});

test('a call that is made again after each crash is not progress', () => {
  assert.equal(count(start, call('1'), resumed, call('1'), resumed, call('1'), resumed), 3);
});

test('orderly ends never count', () => {
  assert.equal(count(start, suspended, resumed, suspended, resumed, suspended, resumed, suspended, resumed), 0);
  assert.equal(count(start, resumed, resumed, suspended, resumed), 0);
});
