import assert from 'node:assert/strict';
import { afterEach, test, vi } from 'vitest';
import { sampleOf } from '../src/environment/samples.ts';

const variable = 'RAVI_HOSTILE_SAMPLE';
const items = Array.from({ length: 10 }, (_, index) => index);

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

test('without the variable each case is tried', () => {
  vi.stubEnv(variable, '');
  assert.deepEqual(sampleOf(items, 3), items);
});

test('each run tries a part of each list, and the runs of as many days try each case once', () => {
  vi.stubEnv(variable, '4');
  vi.stubEnv('RAVI_TEST_DAY', '');
  vi.useFakeTimers();
  for (const list of [items.map(String), ['first', 'second'], ['alone']]) {
    const tried = [0, 1, 2, 3].slice(0, list.length).flatMap((day) => {
      vi.setSystemTime(day * 86_400_000);
      const part = sampleOf(list, 1);
      assert.ok(part.length >= 1 && part.length <= Math.ceil(list.length / Math.min(4, list.length)));
      return part;
    });
    assert.deepEqual(new Set(tried), new Set(list));
    assert.equal(tried.length, list.length);
  }
  assert.deepEqual(sampleOf([]), []);
});

test('a run repeats the sample of a day', () => {
  vi.stubEnv(variable, '4');
  const ofDay = (day: string): readonly number[] => {
    vi.stubEnv('RAVI_TEST_DAY', day);
    return sampleOf(items);
  };
  assert.deepEqual(ofDay('1'), [1, 5, 9]);
  assert.deepEqual(ofDay('2'), [2, 6]);
  assert.throws(() => ofDay('today'), { name: 'RangeError', message: /RAVI_TEST_DAY is "today".*from 0 to 99999/ });
});

test.each(['0', '101', '1.5', 'four'])('RAVI_HOSTILE_SAMPLE=%s is refused', (text) => {
  vi.stubEnv(variable, text);
  assert.throws(() => sampleOf(items), { name: 'RangeError', message: /RAVI_HOSTILE_SAMPLE is ".*from 1 to 100/ });
});
