import assert from 'node:assert/strict';
import { test } from 'vitest';
import { createStartSlots } from '../src/runs/start-slots.ts';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('one principal has half of the slots, and others have the rest', () => {
  const slots = createStartSlots(() => ({ agents: 4, scripts: 1 }));
  slots.open();
  assert.ok(slots.take('agents', 'ada'));
  assert.ok(slots.take('agents', 'ada'));
  assert.equal(slots.take('agents', 'ada'), undefined);
  assert.ok(slots.take('agents', 'bob'));
  const last = slots.take('agents', 'eve');
  assert.equal(slots.take('agents', 'kim'), undefined);
  last?.[Symbol.dispose]();
  last?.[Symbol.dispose]();
  assert.ok(slots.take('agents', 'kim'));
  assert.equal(slots.take('agents', 'zoe'), undefined);
  assert.ok(slots.take('scripts', 'ada'));
});

test('nothing is limited in a process that takes no runs from the engine', () => {
  const slots = createStartSlots(() => ({ agents: 1, scripts: 1 }));
  for (let count = 0; count < 5; count += 1) assert.ok(slots.take('agents', 'ada'));
});

test('runs that wait begin in turns of their principals, and none after the end', async () => {
  const slots = createStartSlots(() => ({ agents: 2, scripts: 1 }));
  slots.open();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const wait = (principal: string): void =>
    slots.wait('agents', principal, () => {
      begun.push(principal);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const first = slots.take('agents', 'ada');
  const second = slots.take('agents', 'kim');
  for (const principal of ['ada', 'ada', 'ada', 'bob', 'bob']) wait(principal);
  assert.deepEqual(begun, []);
  first?.[Symbol.dispose]();
  assert.deepEqual(begun, ['ada']);
  second?.[Symbol.dispose]();
  assert.deepEqual(begun, ['ada', 'bob']);
  ends[0]?.();
  await settle();
  assert.deepEqual(begun, ['ada', 'bob', 'ada']);
  slots.close();
  for (const end of ends) end();
  await settle();
  assert.deepEqual(begun, ['ada', 'bob', 'ada']);
  wait('eve');
  assert.notEqual(begun.at(-1), 'eve');
});
