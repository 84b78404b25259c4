import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { RunWake } from '@ravi/kernel';
import { createMemoryLogger } from '@ravi/testkit';
import { test } from 'vitest';
import { checkWakes, failureText, mergeWakes, nextLook, notifyWorkers, retryDelayMs } from '../src/index.ts';

const supports = { maxDelayMs: 10_000 };

function wake(runId: string, changes: Partial<RunWake> = {}): RunWake {
  return { runId, group: 'ada', version: 'v1', reason: 'begun', ...changes };
}

test('checked wakes are merged by run and have their delay', () => {
  const checked = checkWakes(
    [wake('b', { notBefore: 1_500 }), wake('a', { priority: 2 }), wake('b', { notBefore: 1_200, priority: -1 })],
    1_000,
    supports,
  );
  assert.deepEqual(
    checked.map(({ runId, priority, delayMs }) => [runId, priority, delayMs]),
    [
      ['b', 0, 200],
      ['a', 2, 0],
    ],
  );
});

test('a time in the past is due, and one too far ahead is refused with both numbers', () => {
  assert.equal(checkWakes([wake('a', { notBefore: 5 })], 1_000, supports)[0]?.delayMs, 0);
  assert.throws(
    () => checkWakes([wake('a', { notBefore: 11_001 })], 1_000, supports),
    (error) => isKernelError(error, 'E_UNSUPPORTED') && /10001.*10000/.test(error.message),
  );
});

test('merging takes the earliest time, the highest priority and the reason of the earliest', () => {
  const due = wake('a', { reason: 'due', notBefore: 50, priority: 1 });
  const now = wake('a', { reason: 'answered', priority: -3 });
  for (const [one, other] of [
    [due, now],
    [now, due],
  ] as const) {
    assert.deepEqual(mergeWakes(one, other), { ...now, priority: 1 });
  }
});

test('delays grow from half a second to five minutes, and differ by chance', () => {
  assert.deepEqual(
    [1, 2, 3].map((attempts) => retryDelayMs(attempts, () => 0)),
    [500, 1_000, 2_000],
  );
  assert.equal(
    retryDelayMs(1, () => 1),
    1_000,
  );
  assert.equal(
    retryDelayMs(60, () => 1),
    300_000,
  );
});

test('the text of a failure is bounded, and there is one for every value', () => {
  assert.equal(failureText(new Error('no disk')), 'no disk');
  assert.equal(failureText('x'.repeat(3_000)).length, 2_000);
  assert.match(
    failureText({
      toString() {
        throw new Error('hostile');
      },
    }),
    /cannot be printed/,
  );
});

test('an outcome is done or a time', () => {
  assert.equal(nextLook({ status: 'done' }), undefined);
  assert.equal(nextLook({ status: 'again', notBefore: 5 }), 5);
  for (const wrong of [undefined, {}, { status: 'again' }, { status: 'again', notBefore: -1 }, 'done']) {
    assert.throws(() => nextLook(wrong as never), TypeError);
  }
});

test('a worker that fails to receive a signal is logged, and the next one receives it', () => {
  const logger = createMemoryLogger();
  const received: unknown[] = [];
  const rest = { versions: ['v1'], slots: 1, handle: async () => ({ status: 'done' }) as const };
  const failing = {
    ...rest,
    onSignal() {
      throw new Error('a defect');
    },
  };
  notifyWorkers([failing, rest, { ...rest, onSignal: (signal) => received.push(signal) }], { type: 'missed' }, logger);
  assert.deepEqual(received, [{ type: 'missed' }]);
  assert.deepEqual(
    logger.records.map(({ level, fields }) => [level, fields?.['error']]),
    [['warn', 'a defect']],
  );
});
