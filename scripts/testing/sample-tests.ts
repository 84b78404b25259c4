import { join, matchesGlob, relative } from 'node:path';
import { env } from 'node:process';
import { beforeEach } from 'vitest';
import { dayOfSample } from '../../packages/testkit/src/environment/samples.ts';
import { hashOf } from './file-sample.ts';

/**
 * Leaves out tests of a run of all files, which sets `RAVI_TEST_SAMPLE` to 1. Vitest loads this file before each test file. Without the
 * variable, as with files that are named, each test runs.
 */
const root = join(import.meta.dirname, '../..');

if (env['RAVI_TEST_SAMPLE'] === '1') {
  const day = dayOfSample();
  beforeEach((context) => {
    const { name, file } = context.task;
    if (isInSample({ file: relative(root, file.filepath), name, day })) return;
    context.skip('not in the sample of this day; "npm test -- --long" runs each test');
  });
}

/** Files whose tests are alike, with one of how many of them a run tries: odd numbers for files that a run tries every second day. */
const sampledFiles: readonly (readonly [glob: string, oneOf: number])[] = [
  ['packages/sandboxes/{pyodide,docker}/test/*hostile.test.ts', 3],
  ['packages/tools/{git,lsp}/test/hostile*.test.ts', 3],
  ['apps/monolith/test/parked-approvals.test.ts', 3],
  ['packages/tools/shell/test/text-limits.test.ts', 3],
  ['packages/integrations/{langchain,mastra}/test/restart.test.ts', 3],
  ['scripts/test/scale-test.test.ts', 4],
  ['apps/monolith/test/{queued-runs,remote-sandbox,shared-engine,processes,blocked-runs}.test.ts', 3],
  ['apps/console/test/{servers,looks,pages}.test.ts', 4],
];

/** End of the names of tests that run once on each store. */
const storeSuffix = / \((SQLite|PostgreSQL)\)$/;
const stores: readonly string[] = ['SQLite', 'PostgreSQL'];

/** A test and the day of its run, in days since the Unix epoch. */
export interface SampledTest {
  /** Path from the root of the repository. */
  readonly file: string;
  readonly name: string;
  readonly day: number;
}

/**
 * Returns true if a run of all files tries a test. The choice changes from day to day, so that the runs of several days try each test; one
 * of the same day is repeated with the same tests. Of a test for both stores, each run tries one.
 */
export function isInSample({ file, name, day }: SampledTest): boolean {
  const [, store] = storeSuffix.exec(name) ?? [];
  if (store !== undefined) {
    // Its file may be tried every second day.
    const turn = hashOf(`${file} ${name.replace(storeSuffix, '')}`) + Math.floor(day / 2);
    if (stores[turn % stores.length] !== store) return false;
  }
  const [, oneOf = 1] = sampledFiles.find(([glob]) => matchesGlob(file, glob)) ?? [];
  return (hashOf(`${file} ${name}`) + day) % oneOf === 0;
}
