import { join } from 'node:path';
import { run } from 'node:test';
import { inspect } from 'node:util';

import { contractTestFiles } from '../lib/contract-tests.ts';
import { mapInPairs } from '../lib/run.ts';
import type { Outcome } from './outcome.ts';
import { shardOf } from './test-plan.ts';
import type { TestPlan } from './test-plan.ts';

const runner = 'node --test';
const hook = new URL('./vitest-as-node-test.ts', import.meta.url).href;

/**
 * Runs the contract tests of every adapter once more, under `node --test`: the suites promise to work with both
 * runners. The files are the same ones; a loader hook answers their import of vitest's `test` with Node's.
 */
export async function runContractSuites(root: string, shard?: TestPlan['shard']): Promise<Outcome[]> {
  const outcomes = await mapInPairs(shardOf(contractTestFiles(), shard), (file) => runFile(root, file));
  return outcomes.flat();
}

async function runFile(root: string, file: string): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const errors: string[] = [];
  const stream = run({ files: [join(root, file)], execArgv: ['--import', hook] });
  stream.on('test:pass', ({ name, skip, details }) => {
    if (details.type === 'suite') return;
    const isSkipped = skip !== undefined && skip !== false;
    const reason = typeof skip === 'string' && skip !== '' ? { reason: skip } : {};
    outcomes.push({ runner, file, name, status: isSkipped ? 'skipped' : 'passed', ...reason });
  });
  stream.on('test:fail', ({ name, details }) => {
    if (details.type === 'suite') return;
    const thrown = inspect(details.error.cause ?? details.error);
    outcomes.push({ runner, file, name, status: 'failed', error: thrown });
    errors.push(`${name}\n${thrown}\n`);
  });
  stream.on('test:stderr', ({ message }) => errors.push(message));
  await new Promise((resolve, reject) => stream.on('end', resolve).on('error', reject).resume());
  report(file, outcomes, errors);
  return outcomes;
}

/** One line for a file; everything it wrote to standard error follows only when a test failed. */
function report(file: string, outcomes: readonly Outcome[], errors: readonly string[]): void {
  const failed = outcomes.some(({ status }) => status === 'failed');
  const passed = outcomes.filter(({ status }) => status === 'passed').length;
  console.log(`${failed ? '✗' : '✓'} ${runner} ${file} (${passed} passed)`);
  if (failed) console.log(errors.join(''));
}
