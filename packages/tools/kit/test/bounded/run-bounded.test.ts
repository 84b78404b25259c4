import { systemClock } from '@ravi/kernel';
import { childProcessIds } from '@ravi/testkit';
import { expect, test } from 'vitest';
import { runBounded } from '@ravi/tools-kit';
import { createTurns } from '../../src/bounded/turns.ts';
import type { SampleQuestion } from './sample-program.ts';

function ask(question: SampleQuestion, timeoutMs = 20_000, signal = new AbortController().signal): Promise<string> {
  const limits = { memoryMb: 200, timeoutMs, clock: systemClock, principal: 'ada', signal };
  return runBounded({ name: 'sample-program', from: import.meta.url, what: 'The sample', ...limits }, question);
}

test('answers, in a process without variables of this one', async () => {
  expect(await ask('add')).toBe('2 0');
});

test.each([
  ['buffers', 'E_WORK_MEMORY', /more than 200 MB/],
  ['heap', 'E_WORK_MEMORY', /more than 200 MB/],
  ['refuse', 'E_SAMPLE', /No sample/],
  ['exit', 'E_WORK_FAILED', /exit code 3/],
  ['write', 'E_WORK_FAILED', /restricted/],
] as const)('%s ends with %s', async (question, code, message) => {
  await expect(ask(question)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
});

test('a program that does not end is ended at the time limit and by its signal', async () => {
  await expect(ask('loop', 300)).rejects.toMatchObject({ code: 'E_WORK_TIMEOUT' });
  await expect(ask('loop', 20_000, AbortSignal.timeout(300))).rejects.toMatchObject({ code: 'E_CANCELLED' });
  await expect(ask('add', 20_000, AbortSignal.abort())).rejects.toMatchObject({ code: 'E_CANCELLED' });
  await expect.poll(() => childProcessIds()).toEqual([]);
});

test('places are given in order, and a wait that is cancelled takes none', async () => {
  const turns = createTurns({ places: 1, placesOfOwner: 1, waitingOfOwner: 5 });
  const { signal } = new AbortController();
  const first = await turns.take('ada', signal);
  const controller = new AbortController();
  const given: string[] = [];
  const cancelled = turns.take('ada', controller.signal);
  const second = turns.take('ada', signal).then((turn) => (given.push('second'), turn));
  const third = turns.take('ada', signal).then((turn) => (given.push('third'), turn));
  controller.abort();
  await expect(cancelled).rejects.toMatchObject({ code: 'E_CANCELLED' });
  expect(given).toEqual([]);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  (await second)[Symbol.dispose]();
  (await third)[Symbol.dispose]();
  expect(given).toEqual(['second', 'third']);
});

test('one owner leaves places to others, and only so much of its work waits', async () => {
  const turns = createTurns({ places: 3, placesOfOwner: 2, waitingOfOwner: 2 });
  const { signal } = new AbortController();
  const mine = [await turns.take('ada', signal), await turns.take('ada', signal)];
  const waiting = [turns.take('ada', signal), turns.take('ada', signal)];
  await expect(turns.take('ada', signal)).rejects.toMatchObject({ code: 'E_WORK_BUSY', retryable: true });
  const other = await turns.take('bob', signal);
  const late = turns.take('carol', signal);
  // The place of another owner does not go to one that holds as many as it may.
  other[Symbol.dispose]();
  (await late)[Symbol.dispose]();
  for (const turn of mine) turn[Symbol.dispose]();
  for (const turn of await Promise.all(waiting)) turn[Symbol.dispose]();
  (await turns.take('ada', signal))[Symbol.dispose]();
});

test('an owner with much work does not keep others waiting', async () => {
  const turns = createTurns({ places: 1, placesOfOwner: 1, waitingOfOwner: 10 });
  const { signal } = new AbortController();
  const first = await turns.take('ada', signal);
  const given: string[] = [];
  const work = ['ada', 'ada', 'bob', 'bob', 'carol'].map(async (owner) => {
    using _turn = await turns.take(owner, signal);
    given.push(owner);
  });
  first[Symbol.dispose]();
  await Promise.all(work);
  expect(given).toEqual(['bob', 'carol', 'ada', 'bob', 'ada']);
});
