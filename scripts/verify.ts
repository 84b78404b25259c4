import { parseArgs } from 'node:util';

import { pnpm, runCommand } from './lib/run.ts';

interface Check {
  readonly name: string;
  readonly command: readonly string[];
}

const checks: readonly Check[] = [
  { name: 'types', command: turbo('check') },
  { name: 'types-of-scripts', command: ['tsc', '-p', 'scripts/tsconfig.json'] },
  { name: 'boundaries', command: ['turbo', 'boundaries'] },
  { name: 'structure', command: ['node', 'scripts/structure.ts'] },
  { name: 'lint', command: ['oxlint'] },
  { name: 'format', command: ['oxfmt', '--check'] },
  { name: 'prose', command: ['node', 'scripts/check-prose.ts'] },
  { name: 'unused', command: ['knip', '--no-progress'] },
  { name: 'manifests', command: ['sherif', '--fail-on-warnings', '-r', 'packages-without-package-json'] },
  { name: 'tests', command: ['node', 'scripts/test.ts'] },
  { name: 'build', command: turbo('build') },
  { name: 'tarballs', command: ['node', 'scripts/check-tarballs.ts'] },
  { name: 'api', command: ['node', 'scripts/api-report.ts'] },
  { name: 'packages', command: ['node', 'scripts/check-packages.ts'] },
  { name: 'snippets', command: ['node', 'scripts/sync-snippets.ts', '--check'] },
  { name: 'docs', command: ['node', 'apps/docs/src/build.ts'] },
  { name: 'changesets', command: ['node', 'scripts/check-changesets.ts'] },
];

function turbo(task: string): string[] {
  return pnpm('exec', 'turbo', 'run', task, '--concurrency=2', '--continue', '--output-logs=errors-only');
}

/** `verify [name…] [--skip name]…`: everything, or only the named checks, in their fixed order. */
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

const failed: string[] = [];
for (const check of selectedChecks()) {
  if (!(await passes(check))) failed.push(check.name);
}

if (failed.length > 0) console.log(`verify failed: ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;
