import { join, relative } from 'node:path';
import { failureOf, isRecord, parseJson } from './test-report.ts';
import type { TestFailure } from './test-report.ts';
import { reportName } from './test-runner-kind.ts';
import type { TestRunnerKind } from './test-runner-kind.ts';

// Standard output is the report. Mistakes of the compiler go to standard error, which is added to it and shown.
const toReport =
  'report="$1"; shift; "$@" >"$report" 2>"$report.err"; status="$?"; tee -a "$report" <"$report.err"; exit "$status"';

/** The test runner of Go, `go test`. Paths are its packages. */
export const goTest: TestRunnerKind = {
  detects: ({ names }) => names.includes('go.mod'),
  command({ folder, files, testName, reportFolder }) {
    const packages = files.map((file) => `./${relative(folder, file.replace(/\/[^/]*\.go$/u, ''))}`);
    const argv = ['go', 'test', '-json', ...(testName === undefined ? [] : [`-run=${testName}`])];
    const targets = packages.length === 0 ? ['./...'] : packages;
    return { argv: ['/bin/sh', '-c', toReport, 'ravi', join(reportFolder, reportName), ...argv, ...targets] };
  },
  read: ({ root, folder }, report) => {
    const { outputs, ended } = readEvents(report);
    if (ended.size === 0) return undefined;
    const prefix = relative(root, folder);
    const keys = [...ended.keys()];
    const failures: TestFailure[] = [];
    const counted = { pass: 0, skip: 0 };
    for (const [key, action] of ended) {
      const [owner = '', test = ''] = key.split(' ');
      // A package fails with its tests and a test with its parts; alone it fails if it does not compile, for example.
      const hasParts = keys.some((other) => other !== key && other.startsWith(test === '' ? key : `${key}/`));
      if (action === 'fail' && !hasParts)
        failures.push(failureOfGo(root, prefix, { owner, test, output: outputs.get(key) ?? '' }));
      else if (test !== '' && !hasParts && (action === 'pass' || action === 'skip')) counted[action] += 1;
    }
    return { passed: counted.pass, failed: failures.length, skipped: counted.skip, failures };
  },
};

interface GoEvents {
  /** Outputs by package and test, joined by a space. */
  readonly outputs: ReadonlyMap<string, string>;
  /** `pass`, `fail` or `skip`, by the same key. */
  readonly ended: ReadonlyMap<string, unknown>;
}

function readEvents(report: string): GoEvents {
  const outputs = new Map<string, string>();
  const ended = new Map<string, unknown>();
  const add = (key: string, text: string): void => void outputs.set(key, `${outputs.get(key) ?? ''}${text}`);
  let compiled = '';
  for (const line of report.split('\n')) {
    const event = parseJson(line);
    if (isRecord(event)) {
      const { Action: action, Package: owner, ImportPath: path, Test: test, Output: output } = event;
      const key = `${wordOf(owner ?? path)} ${typeof test === 'string' ? test : ''}`;
      if ((action === 'output' || action === 'build-output') && typeof output === 'string') add(key, output);
      if (action === 'pass' || action === 'fail' || action === 'skip') ended.set(key, action);
      continue;
    }
    // Before Go 1.24 a package that does not compile has no events: its mistakes follow a line with its name.
    compiled = /^# (\S+)/u.exec(line)?.[1] ?? compiled;
    const [, failed] = /^FAIL\t(\S+) \[/u.exec(line) ?? [];
    if (failed !== undefined) ended.set(`${failed} `, 'fail');
    else if (compiled !== '' && !line.startsWith('#')) add(`${compiled} `, `${line}\n`);
  }
  return { outputs, ended };
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? (value.split(' ')[0] ?? '') : '';
}

interface GoFailure {
  readonly owner: string;
  readonly test: string;
  readonly output: string;
}

// `    add_test.go:7: want 3`: the name of the file, in the folder of its package.
function failureOfGo(root: string, prefix: string, { owner, test, output }: GoFailure): TestFailure {
  const place = /(?:^|\s)([\w./-]+\.go):(\d+)/u.exec(output);
  const [, file, line] = place ?? [];
  const message = output
    .split('\n')
    .filter((each) => !/^\s*(?:=== |--- )/u.test(each))
    .join('\n')
    .trim();
  return failureOf(root, {
    name: test === '' ? owner : `${owner} ${test}`,
    message,
    ...(file === undefined ? {} : { file: join(prefix, file), line: Number(line) }),
  });
}
