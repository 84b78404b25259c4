import { parseArgs } from 'node:util';

import { pnpm, runCommand } from './lib/run.ts';

interface Check {
  readonly name: string;
  readonly command: readonly string[];
  /** Check that has to end first, if it is selected. */
  readonly after?: string;
  /** True for one that uses the whole machine. */
  readonly isAlone?: boolean;
}

/** One for each core of the smallest build machine. */
const maxRunning = 2;

const checks: readonly Check[] = [
  { name: 'types', command: ['node', 'scripts/check-types.ts'] },
  { name: 'types-of-scripts', command: ['tsc', '-p', 'scripts/tsconfig.json'] },
  { name: 'boundaries', command: ['turbo', 'boundaries'] },
  { name: 'structure', command: ['node', 'scripts/structure.ts'] },
  { name: 'lint', command: ['oxlint'] },
  { name: 'format', command: ['oxfmt', '--check'] },
  { name: 'prose', command: ['node', 'scripts/check-prose.ts'] },
  { name: 'unused', command: ['knip', '--no-progress'] },
  { name: 'manifests', command: ['sherif', '--fail-on-warnings', '-r', 'packages-without-package-json'] },
  { name: 'tests', command: ['node', 'scripts/test.ts'], isAlone: true },
  { name: 'build', command: turbo('build') },
  { name: 'tarballs', command: ['node', 'scripts/check-tarballs.ts'], after: 'build' },
  { name: 'api', command: ['node', 'scripts/api-report.ts'], after: 'build' },
  { name: 'packages', command: ['node', 'scripts/check-packages.ts'], after: 'build' },
  { name: 'snippets', command: ['node', 'scripts/sync-snippets.ts', '--check'] },
  { name: 'docs', command: ['node', 'apps/docs/src/build.ts'] },
  { name: 'changesets', command: ['node', 'scripts/check-changesets.ts'] },
];

function turbo(task: string): string[] {
  return pnpm('exec', 'turbo', 'run', task, '--concurrency=2', '--continue', '--output-logs=errors-only');
}

/** `verify [name…] [--skip name]…`: everything, or only the named checks. */
function selectedChecks(): readonly Check[] {
  const options = { skip: { type: 'string', multiple: true } } as const;
  const { positionals, values } = parseArgs({ allowPositionals: true, options });
  const skipped = values.skip ?? [];
  const unknown = [...positionals, ...skipped].filter((name) => !checks.some((check) => check.name === name));
  if (unknown.length > 0) {
    console.error(`No check is named ${unknown.join(', ')}. There are: ${checks.map(({ name }) => name).join(', ')}`);
    process.exit(2);
  }
  const isWanted = (name: string): boolean => positionals.length === 0 || positionals.includes(name);
  return checks.filter(({ name }) => isWanted(name) && !skipped.includes(name));
}

/** Runs one check and prints its line; the output follows only when it failed. */
async function passes({ name, command }: Check): Promise<boolean> {
  const start = performance.now();
  const { ok, output } = await runCommand(command);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${ok ? 'ok    ' : 'failed'} ${name.padEnd(18)} ${seconds.padStart(6)} s`);
  if (!ok) console.log(output.trimEnd());
  return ok;
}

/** Runs checks two at a time, those that use the whole machine last and one by one. Returns the names of those that failed. */
async function runChecks(selected: readonly Check[]): Promise<readonly string[]> {
  const failed: string[] = [];
  const waiting = new Set(selected);
  const running = new Map<Check, Promise<void>>();
  const isOpen = (name: string | undefined): boolean =>
    [...waiting, ...running.keys()].some((one) => one.name === name);
  const canStart = ({ after, isAlone = false }: Check): boolean =>
    isAlone ? running.size === 0 : after === undefined || !isOpen(after);

  async function run(check: Check): Promise<void> {
    if (!(await passes(check))) failed.push(check.name);
    running.delete(check);
  }

  while (waiting.size > 0 || running.size > 0) {
    const isFull = running.size === maxRunning || [...running.keys()].some(({ isAlone }) => isAlone === true);
    const next = isFull ? undefined : [...waiting].find(canStart);
    if (next === undefined) await Promise.race(running.values());
    else {
      waiting.delete(next);
      running.set(next, run(next));
    }
  }
  return failed;
}

const failed = await runChecks(selectedChecks());
if (failed.length > 0) console.log(`verify failed: ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;
