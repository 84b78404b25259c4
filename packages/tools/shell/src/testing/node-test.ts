import { join } from 'node:path';
import { reportOfLines } from './test-report.ts';
import { reportName } from './test-runner-kind.ts';
import type { TestRunnerKind } from './test-runner-kind.ts';

// A suite fails if a test in it does: only the test counts.
const reporter = `
export default async function* (source) {
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const error = data.details?.error;
    if (data.details?.type === 'suite' && (type === 'test:pass' || error?.failureType === 'subtestsFailed')) continue;
    if (error?.failureType === 'subtestsFailed') continue;
    const isSkipped = data.skip !== undefined && data.skip !== false || data.todo !== undefined && data.todo !== false;
    const status = isSkipped ? 'skipped' : type === 'test:pass' ? 'passed' : 'failed';
    const cause = error?.cause;
    const message = status === 'failed' ? String(cause?.stack ?? cause ?? error?.message ?? '') : undefined;
    yield JSON.stringify({ status, name: data.name, file: data.file, line: data.line, message }) + '\\n';
  }
}
`;

/** The test runner of Node, `node --test`. */
export const nodeTest: TestRunnerKind = {
  detects: ({ text }) => /\bnode\b[^"]* --test\b/u.test(text('package.json')),
  command({ files, testName, reportFolder }) {
    return {
      argv: [
        'node',
        '--test',
        '--test-reporter=spec',
        '--test-reporter-destination=stdout',
        `--test-reporter=${join(reportFolder, 'reporter.mjs')}`,
        `--test-reporter-destination=${join(reportFolder, reportName)}`,
        ...(testName === undefined ? [] : [`--test-name-pattern=${testName}`]),
        ...files,
      ],
      helpers: { 'reporter.mjs': reporter },
    };
  },
  read: ({ root }, report) => reportOfLines(root, report),
};
