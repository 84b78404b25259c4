import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import type { Outcome } from './outcome.ts';
import { shardOf } from './test-plan.ts';
import type { TestPlan } from './test-plan.ts';

const timeLimitMs = 180_000;

/** Runs the script `self-check` of every example that has one: a program that ends with 0 when its result is right. */
export function runExamples(root: string, shard?: TestPlan['shard']): Outcome[] {
  return shardOf(globSync('examples/*/package.json', { cwd: root }).toSorted(), shard)
    .map((path) => ({ file: path, folder: dirname(join(root, path)), command: selfCheckOf(join(root, path)) }))
    .filter((example) => example.command !== undefined)
    .map(({ file, folder, command }) => ({
      runner: 'example',
      file,
      name: relative(root, folder),
      status: passes(folder, command ?? '') ? 'passed' : 'failed',
    }));
}

function selfCheckOf(packageFile: string): string | undefined {
  const { scripts } = JSON.parse(readFileSync(packageFile, 'utf8')) as { scripts?: Record<string, string> };
  return scripts?.['self-check'];
}

function passes(folder: string, command: string): boolean {
  const result = spawnSync(command, {
    cwd: folder,
    shell: true,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeLimitMs,
  });
  if (result.status === 0) return true;
  console.error(
    `${folder}: "${command}" ended with ${result.signal ?? result.status}\n${result.stdout}${result.stderr}`,
  );
  return false;
}
