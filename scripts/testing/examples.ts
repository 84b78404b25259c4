import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { text } from 'node:stream/consumers';

import { mapInPairs } from '../lib/run.ts';
import type { Outcome } from './outcome.ts';
import { shardOf } from './test-plan.ts';
import type { TestPlan } from './test-plan.ts';

const timeLimitMs = 180_000;

/** Runs the script `self-check` of every example that has one: a program that ends with 0 when its result is right. */
export function runExamples(root: string, shard?: TestPlan['shard']): Promise<Outcome[]> {
  const found = shardOf(globSync('examples/*/package.json', { cwd: root }).toSorted(), shard).flatMap((file) => {
    const command = selfCheckOf(join(root, file));
    return command === undefined ? [] : [{ file, folder: dirname(join(root, file)), command }];
  });
  return mapInPairs(found, async ({ file, folder, command }) => ({
    runner: 'example',
    file,
    name: relative(root, folder),
    status: (await passes(folder, command)) ? 'passed' : 'failed',
  }));
}

function selfCheckOf(packageFile: string): string | undefined {
  const { scripts } = JSON.parse(readFileSync(packageFile, 'utf8')) as { scripts?: Record<string, string> };
  return scripts?.['self-check'];
}

async function passes(folder: string, command: string): Promise<boolean> {
  const child = spawn(command, { cwd: folder, shell: true, stdio: ['ignore', 'pipe', 'pipe'], timeout: timeLimitMs });
  const ended = new Promise<string>((resolve) => {
    child.on('error', ({ message }) => resolve(message));
    child.on('close', (code, signal) => resolve(String(signal ?? code)));
  });
  const [end, output, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (end === '0') return true;
  console.error(`${folder}: "${command}" ended with ${end}\n${output}${errors}`);
  return false;
}
