import { parseArgs } from 'node:util';
import { dayOfSample } from '../../packages/testkit/src/environment/samples.ts';

/** Part of the tests to run. */
export interface TestPlan {
  /** Parts of paths; empty for all files. */
  readonly filters: readonly string[];
  /** Part `index` of `count`, from 1. */
  readonly shard: { readonly index: number; readonly count: number } | undefined;
  /** True to leave out {@link slowFiles} and the second runner. */
  readonly isFast: boolean;
  /** True to run each case of the suites that run a sample otherwise. */
  readonly isLong: boolean;
}

/** Usage of the test command. */
const usage = `Usage: npm test [-- [--fast | --long] [--shard <index>/<count>] [<part of a path> …]]

  --fast   leaves out crashes, hostile scripts, browsers, containers, services and the second test runner
  --long   runs each test, hostile script, git trick, race and outage instead of a sample; hours
  --shard  runs one of several equal parts, such as 1/4`;

/** Files that take most of the time: they kill processes, start services or browsers, or run thousands of cases. */
export const slowFiles: readonly string[] = [
  '**/*{crash,hostile,races,outage,attack,story,end-to-end,limits,containers,recovery}*.test.ts',
  'apps/console/test/{pages,looks}.test.ts',
  'packages/approvals/{cli,web}/test/*{terminal,page}*.test.ts',
  'packages/{blobs/s3,sandboxes/docker,state/postgres,engines/pg-boss,engines/restate}/test/**',
  'packages/integrations/{bypass,claude-agent-sdk}/test/**',
  'packages/tools/comparison/test/**',
  'packages/integrations/{langchain,mastra}/test/restart.test.ts',
  'scripts/test/{bootstrap,bundled,kill-test,load-test,new-adapter,programs,restart-test,scale-test}.test.ts',
];

/** Reads the arguments of the test command. @throws TypeError with {@link usage} for one that it does not have */
export function readTestPlan(args: readonly string[]): TestPlan {
  const options = {
    fast: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    shard: { type: 'string' },
  } as const;
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new TypeError(`${(error as Error).message}\n\n${usage}`, { cause: error });
  }
  const { values, positionals } = parsed;
  if (values.fast && values.long) throw new TypeError(`--fast and --long exclude each other\n\n${usage}`);
  return { filters: positionals, isFast: values.fast, isLong: values.long, shard: readShard(values.shard) };
}

/** Returns the environment variables that give the suites with a sample their size. Those that are set already stay. */
export function sizeVariables(
  { isLong, filters }: Pick<TestPlan, 'isLong' | 'filters'>,
  day: number = dayOfSample(),
): Readonly<Record<string, string>> {
  // A file that is named runs each of its tests. A run keeps its day past midnight.
  const sampled: Readonly<Record<string, string>> =
    filters.length === 0 ? { RAVI_TEST_SAMPLE: '1', RAVI_TEST_DAY: String(day) } : {};
  if (!isLong) return { RAVI_HOSTILE_SAMPLE: '8', ...sampled };
  return {
    RAVI_GIT_TRICKS: 'all',
    RAVI_GIT_RACES: '100',
    RAVI_OUTAGE_SWEEP: 'all',
    RAVI_FILE_RACES: '100000',
    RAVI_TEST_FILE_MINUTES: '60',
  };
}

/** Returns the items of a list that belong to the shard: every `count`-th one. */
export function shardOf<Item>(items: readonly Item[], shard: TestPlan['shard']): readonly Item[] {
  if (shard === undefined) return items;
  return items.filter((_item, position) => position % shard.count === shard.index - 1);
}

/** Returns the line that says what will run and how long it takes. */
export function announcement({ filters, shard, isFast }: TestPlan): string | undefined {
  if (filters.length > 0) return undefined;
  const part = shard === undefined ? '' : `, part ${shard.index} of ${shard.count}`;
  if (isFast) return `Running the fast tests${part}: about half an hour on two cores.`;
  const duration = shard === undefined ? 'under an hour' : `about ${Math.ceil(60 / shard.count)} minutes`;
  const others =
    shard === undefined
      ? ' "npm test -- --fast" leaves out the slow ones, "--shard 1/4" runs a quarter, "--long" runs each test.'
      : '';
  return `Running all test files${part}, suites of like tests by a sample of the day: ${duration} on two cores.${others}`;
}

function readShard(text: string | undefined): TestPlan['shard'] {
  if (text === undefined) return undefined;
  const [, index = 0, count = 0] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (!(index >= 1 && index <= count)) throw new TypeError(`--shard ${text}: write it like 1/4\n\n${usage}`);
  return { index, count };
}
