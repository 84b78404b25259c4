import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import type { TestsStream } from 'node:test';

import { contractTestFiles } from '../lib/contract-tests.ts';
import type { Outcome } from './outcome.ts';

/**
 * Runs the contract tests of every adapter once more, under `node --test`: the suites promise to work with both
 * runners. The files are the same ones; a loader hook answers their import of vitest's `test` with Node's.
 */
export async function runContractSuites(root: string): Promise<Outcome[]> {
  const files = contractTestFiles().map((path) => join(root, path));
  if (files.length === 0) return [];
  const hook = new URL('./vitest-as-node-test.ts', import.meta.url).href;
  const stream = run({ files, concurrency: 2, execArgv: ['--import', hook] });
  const outcomes = collect(root, stream);
  stream.compose(spec).pipe(process.stdout, { end: false });
  return outcomes;
}

function collect(root: string, stream: TestsStream): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const add = (event: { name: string; file?: string }, status: Outcome['status'], reason?: string): void => {
    const file = relative(root, event.file ?? '');
    outcomes.push({ runner: 'node --test', file, name: event.name, status, ...(reason ? { reason } : {}) });
  };
  stream.on('test:pass', (event) => {
    if (event.details.type === 'suite') return;
    const { skip } = event;
    if (skip === undefined || skip === false) return add(event, 'passed');
    add(event, 'skipped', typeof skip === 'string' ? skip : undefined);
  });
  stream.on('test:fail', (event) => {
    if (event.details.type !== 'suite') add(event, 'failed');
  });
  return new Promise((resolve, reject) => {
    stream.on('end', () => resolve(outcomes));
    stream.on('error', reject);
  });
}
