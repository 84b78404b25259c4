import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { reportOfLines } from './test-report.ts';
import { reportName } from './test-runner-kind.ts';
import type { TestRunnerKind } from './test-runner-kind.ts';

const plugin = `
import json, os

_path = os.environ.pop("RAVI_TEST_REPORT")

def _write(**values):
    with open(_path, "a", encoding="utf-8") as file:
        file.write(json.dumps(values) + "\\n")

def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome == "failed" or report.outcome == "skipped":
        file, line, name = report.location
        crash = getattr(report.longrepr, "reprcrash", None)
        if crash is not None and os.path.basename(crash.path) == os.path.basename(file):
            line = crash.lineno - 1
        _write(status=report.outcome, name=report.nodeid, file=file, line=(line or 0) + 1, message=str(report.longrepr or ""))

def pytest_collectreport(report):
    if report.failed:
        _write(status="failed", name=report.nodeid, file=report.nodeid, message=str(report.longrepr or ""))
`;

/** pytest, with the Python of the project's `.venv` or of the system. */
export const pytest: TestRunnerKind = {
  detects: ({ names, text }) =>
    names.some((name) => name === 'pytest.ini' || name === 'conftest.py' || /^(?:test_.*|.*_test)\.py$/u.test(name)) ||
    /\[tool\.pytest|\bpytest\b/u.test(text('pyproject.toml')) ||
    text('setup.cfg').includes('[tool:pytest]') ||
    text('requirements.txt').includes('pytest'),
  command({ folder, files, testName, reportFolder, python }) {
    const own = join(folder, '.venv', 'bin', 'python');
    return {
      argv: [
        existsSync(own) ? own : python,
        '-m',
        'pytest',
        '-p',
        'ravi_report',
        '-p',
        'no:cacheprovider',
        '--color=no',
        `--rootdir=${folder}`,
        ...(testName === undefined ? [] : [`-k=${testName}`]),
        ...files,
      ],
      environment: {
        PYTHONPATH: reportFolder,
        PYTHONDONTWRITEBYTECODE: '1',
        RAVI_TEST_REPORT: join(reportFolder, reportName),
      },
      helpers: { 'ravi_report.py': plugin },
    };
  },
  read: ({ root }, report) => reportOfLines(root, report),
};
