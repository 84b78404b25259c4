import assert from 'node:assert/strict';
import { test } from 'vitest';
import { isFileOfDay } from '../testing/file-sample.ts';
import { isInSample } from '../testing/sample-tests.ts';

const days = Array.from({ length: 8 }, (_, index) => 20_700 + index);

test('each test of a sampled file is tried on some day, and each day tries some of them', () => {
  const names = Array.from({ length: 28 }, (_, index) => `page ${index} has no barrier`);
  const file = 'apps/console/test/looks.test.ts';
  const tried = days.map((day) => names.filter((name) => isInSample({ file, name, day })));
  assert.deepEqual(new Set(tried.flat()), new Set(names));
  for (const today of tried) assert.ok(today.length > 0 && today.length < names.length / 2, `${today.length}`);
  // The same day has the same sample, so that a failed file can be repeated.
  for (const [index, day] of days.entries()) {
    assert.deepEqual(
      names.filter((name) => isInSample({ file, name, day })),
      tried[index],
    );
  }
});

test('a test for both stores runs on one of them, on the other one two days later; other tests always run', () => {
  const file = 'apps/monolith/test/any.test.ts';
  const storesOf = (day: number): readonly string[] =>
    ['SQLite', 'PostgreSQL'].filter((store) => isInSample({ file, name: `a run continues (${store})`, day }));
  for (const day of days) {
    assert.equal(storesOf(day).length, 1);
    assert.notDeepEqual(storesOf(day), storesOf(day + 2));
    assert.ok(isInSample({ file, name: 'a run continues', day }));
    assert.ok(isInSample({ file, name: 'a run continues (PostgreSQL with pg-boss)', day }));
  }
});

test('each file of the server is tried every second day, and those with a required part each day', () => {
  const files = Array.from({ length: 40 }, (_, index) => `apps/monolith/test/part-${index}.test.ts`);
  for (const day of days) {
    const today = files.filter((file) => isFileOfDay(file, day));
    assert.ok(today.length > 0 && today.length < files.length);
    assert.deepEqual(
      files.filter((file) => !today.includes(file)),
      files.filter((file) => isFileOfDay(file, day + 1)),
    );
    for (const file of [
      'apps/monolith/test/s3.test.ts',
      'packages/agents/test/any.test.ts',
      'packages/tools/web/test/contract.test.ts',
    ])
      assert.ok(isFileOfDay(file, day), file);
  }
});

test('over the days of a month, each test of a file for both stores is tried on both', () => {
  const file = 'apps/monolith/test/queued-runs.test.ts';
  const names = ['begins', 'is cancelled', 'survives'].flatMap((what) =>
    ['SQLite', 'PostgreSQL'].map((store) => `a queued run ${what} (${store})`),
  );
  const tried = new Set<string>();
  for (let day = 20_700; day < 20_731; day += 1) {
    if (isFileOfDay(file, day)) for (const name of names) if (isInSample({ file, name, day })) tried.add(name);
  }
  assert.deepEqual(tried, new Set(names));
});
