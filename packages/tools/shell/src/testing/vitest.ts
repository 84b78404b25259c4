import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { KernelError } from '@ravi/kernel';
import { failureOf, isRecord, parseJson } from './test-report.ts';
import type { TestFailure, TestReport } from './test-report.ts';
import { reportName } from './test-runner-kind.ts';
import type { TestRequest, TestRunnerKind } from './test-runner-kind.ts';

/** Vitest, from the `node_modules` of the project. */
export const vitest: TestRunnerKind = {
  detects: ({ names, text }) =>
    names.some((name) => /^vitest\.config\.[cm]?[jt]s$/u.test(name)) || text('package.json').includes('"vitest"'),
  command(request) {
    const { files, testName, reportFolder } = request;
    return {
      argv: [
        programOf(request),
        'run',
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${join(reportFolder, reportName)}`,
        ...(testName === undefined ? [] : [`--testNamePattern=${testName}`]),
        ...files,
      ],
    };
  },
  read: ({ root }, report) => readReport(root, parseJson(report)),
};

function programOf({ root, folder }: TestRequest): string {
  for (let at = folder; at.startsWith(root); at = dirname(at)) {
    const path = join(at, 'node_modules', '.bin', 'vitest');
    if (existsSync(path)) return path;
  }
  throw new KernelError('E_PROGRAM_NOT_FOUND', 'vitest is not installed in the workspace: install its packages first', {
    hadNoEffect: true,
  });
}

function readReport(root: string, report: unknown): TestReport | undefined {
  if (!isRecord(report) || !Array.isArray(report['testResults'])) return undefined;
  const failures: TestFailure[] = [];
  let passed = 0;
  let skipped = 0;
  for (const suite of report['testResults'].filter(isRecord)) {
    const file = suite['name'];
    const tests = Array.isArray(suite['assertionResults']) ? suite['assertionResults'].filter(isRecord) : [];
    for (const test of tests) {
      if (test['status'] === 'passed') passed += 1;
      else if (test['status'] !== 'failed') skipped += 1;
      else {
        const message = Array.isArray(test['failureMessages']) ? test['failureMessages'].join('\n') : '';
        failures.push(failureOf(root, { name: test['fullName'], message, file, line: lineIn(message, file) }));
      }
    }
    // A file that does not load has no tests.
    if (suite['status'] === 'failed' && !tests.some((test) => test['status'] === 'failed')) {
      failures.push(
        failureOf(root, { name: file, message: suite['message'], file, line: lineIn(suite['message'], file) }),
      );
    }
  }
  return { passed, failed: failures.length, skipped, failures };
}

function lineIn(message: unknown, file: unknown): number | undefined {
  if (typeof message !== 'string' || typeof file !== 'string') return undefined;
  const at = message.indexOf(`${file}:`);
  return at === -1 ? undefined : Number.parseInt(message.slice(at + file.length + 1), 10);
}
