import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { runExamples } from './testing/examples.ts';
import { runContractSuites } from './testing/node-test.ts';
import { closingLine, failureLines, skipLines } from './testing/outcome.ts';
import type { Outcome } from './testing/outcome.ts';
import { repeatFailed, unstableLines } from './testing/repeat-failed.ts';
import { missingParts } from './testing/required.ts';
import { announcement, readTestPlan, sizeVariables } from './testing/test-plan.ts';
import type { TestPlan } from './testing/test-plan.ts';
import { runVitest } from './testing/vitest.ts';

const root = dirname(import.meta.dirname);
const plan = planOf(process.argv.slice(2));
const notice = announcement(plan);
if (notice !== undefined) console.log(notice);

// Hundreds of tests start servers and scripts from source. Node keeps their compiled code here, for processes of one user.
process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules/.cache/compiled');

// Tests start more than a thousand programs that check scripts.
process.env['RAVI_HELPER_SNAPSHOTS'] ??= await buildBundle();

for (const [name, value] of Object.entries(sizeVariables(plan))) process.env[name] ??= value;

const outcomes = await runWhole();
if (plan.filters.length === 0 && !plan.isFast) {
  outcomes.push(...(await runContractSuites(root, plan.shard)));
  outcomes.push(...(await runExamples(root, plan.shard)));
  if (process.env['CI'] && plan.shard === undefined) outcomes.push(...missingParts(outcomes));
}

for (const line of skipLines(outcomes)) console.log(line);
const failures = failureLines(outcomes);
for (const line of failures) console.log(line);

const ran = outcomes.some((outcome) => outcome.status === 'passed');
if (!ran) console.error('No test passed: nothing is proved.');

console.log(closingLine(outcomes));
process.exit(ran && failures.length === 0 ? 0 : 1);

/** Runs vitest. On the build machine, files that fail while other files use both cores run a second time alone. */
async function runWhole(): Promise<Outcome[]> {
  const first = await runVitest(root, plan);
  if (!process.env['CI'] || plan.filters.length > 0) return first;
  const { outcomes: all, unstable } = await repeatFailed(first, (filters) =>
    runVitest(root, { ...plan, filters, shard: undefined }),
  );
  for (const line of unstableLines(unstable)) console.log(line);
  return [...all];
}

/** Bundles the server, from which many tests start it, and returns the folder of the bundle. */
async function buildBundle(): Promise<string> {
  const folder = new URL('../apps/monolith/bundle/', import.meta.url);
  const { status } = spawnSync(process.execPath, [fileURLToPath(new URL('build.mjs', folder)), '--if-changed'], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('The server could not be bundled: see the messages above.');
  const { bundlesFolder, readManifest } = (await import(new URL('stamp.mjs', folder).href)) as {
    readonly bundlesFolder: string;
    readonly readManifest: () => { readonly folder: string };
  };
  return join(bundlesFolder, readManifest().folder);
}

function planOf(args: readonly string[]): TestPlan {
  try {
    return readTestPlan(args);
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}
