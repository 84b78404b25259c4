import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonValue } from '@ravi/kernel';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createShellWorkspace } from './shell-workspace.ts';
import type { ShellWorkspace } from './shell-workspace.ts';

const modules = join(import.meta.dirname, '../../../../node_modules');

let workspace: ShellWorkspace;
beforeEach(() => {
  workspace = createShellWorkspace();
});
afterEach(() => {
  workspace[Symbol.dispose]();
});

interface Failure {
  readonly name: string;
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
}

function failuresOf(value: Readonly<Record<string, JsonValue>>): readonly Failure[] {
  return value['failures'] as unknown as readonly Failure[];
}

const nodeProject = {
  'package.json': '{"type":"module","scripts":{"test":"node --test"}}',
  'a.test.js': `import test from 'node:test';
import assert from 'node:assert/strict';
test('adds', () => assert.equal(1 + 1, 2));
test('outer', async (t) => {
  await t.test('inner fails', () => {
    assert.equal(1, 2, 'one is not two');
  });
});
test('later', { skip: true }, () => {});
test.todo('some day');
`,
  'sub/b.test.js': "import test from 'node:test';\ntest('-x $(touch hacked)', () => {});\n",
  'broken.test.js': "import './missing.js';\n",
};

describe('node --test', () => {
  test('counts tests and describes failures, with file and line', async () => {
    workspace.write(nodeProject);
    const { result, approvals } = await workspace.run('test_runner', {});
    expect(result.status).toBe('ok');
    expect(approvals.map(({ risk, summary }) => [risk, summary])).toEqual([
      ['high', 'Run all tests with the runner of the project'],
    ]);
    const value = await workspace.value('test_runner', {});
    expect(value).toMatchObject({
      runner: 'node',
      passed: 2,
      failed: 2,
      skipped: 2,
      hasReport: true,
      exitCode: 1,
      timedOut: false,
    });
    expect(failuresOf(value).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['broken.test.js', 'inner fails']),
    );
    const fails = failuresOf(value).find(({ name }) => name === 'inner fails');
    expect(fails).toMatchObject({ file: 'a.test.js', line: 5 });
    expect(fails?.message).toContain('one is not two');
    expect(JSON.stringify(failuresOf(value))).not.toContain(workspace.root);
  });

  test('runs only the files and the names that are asked for, also if they look like options or commands', async () => {
    workspace.write(nodeProject);
    expect(await workspace.value('test_runner', { files: ['sub/b.test.js'] })).toMatchObject({
      passed: 1,
      failed: 0,
      exitCode: 0,
    });
    expect(await workspace.value('test_runner', { files: ['a.test.js'], testName: '^adds$' })).toMatchObject({
      passed: 1,
      failed: 0,
    });
    for (const testName of [
      '--watch',
      '-x',
      '$(touch hacked)',
      '; touch hacked',
      '\n touch hacked',
      '`touch hacked`',
      '[',
    ]) {
      await workspace.run('test_runner', { files: ['sub/b.test.js'], testName, timeoutMs: 20_000 });
    }
    expect(readdirSync(workspace.root)).not.toContain('hacked');
  });

  test.each([
    ['--inspect', 'E_FILE_NOT_FOUND'],
    ['$(touch hacked)', 'E_FILE_NOT_FOUND'],
    ['../secret.txt', 'E_PATH_OUTSIDE'],
    ['/etc/passwd', 'E_PATH_OUTSIDE'],
    ['link.test.js', 'E_PATH_OUTSIDE'],
    ['a\0', 'E_ARGUMENTS_INVALID'],
  ])('the test file %j is %s', async (file, code) => {
    workspace.write(nodeProject);
    workspace.link('../secret.txt', 'link.test.js');
    expect((await workspace.run('test_runner', { files: [file] })).result.error?.code).toBe(code);
  });

  test('a file that begins like an option is a file', async () => {
    workspace.write({
      'package.json': nodeProject['package.json'],
      '--watch.test.js': "import test from 'node:test';\ntest('a', () => {});\n",
    });
    expect(await workspace.value('test_runner', { files: ['--watch.test.js'] })).toMatchObject({ passed: 1 });
  });

  test('tests that hang are ended at the time limit, and what they reported counts', async () => {
    workspace.write({
      'package.json': nodeProject['package.json'],
      'a.test.js':
        "import test from 'node:test';\ntest('hangs', () => new Promise((resolve) => setTimeout(resolve, 1e6)));",
    });
    expect(await workspace.value('test_runner', { runner: 'node', timeoutMs: 2000 })).toMatchObject({
      timedOut: true,
      exitCode: null,
    });
  });

  test('a report that a test breaks or replaces is data at most', async () => {
    const forge = `const fs = require('node:fs'); const path = require('node:path'); const os = require('node:os');
for (const name of fs.readdirSync(os.tmpdir()).filter((each) => each.startsWith('ravi-tests-'))) {
  const file = path.join(os.tmpdir(), name, 'report.jsonl');
  try { fs.rmSync(file, { force: true }); fs.symlinkSync('/etc/passwd', file); } catch {}
}
require('node:test')('a', () => {});`;
    workspace.write({ 'package.json': '{}', 'a.test.js': forge });
    const { result } = await workspace.run('test_runner', { runner: 'node' });
    expect(JSON.stringify(result)).not.toContain('root:x:0');
  });
});

describe('vitest', () => {
  test('counts tests and describes failures, also of a file that does not load', async () => {
    workspace.link(modules, 'node_modules');
    workspace.write({
      'package.json': '{"type":"module","devDependencies":{"vitest":"*"}}',
      'a.test.js': `import { expect, test } from 'vitest';
test('adds', () => {});
test('fails', () => {
  expect(1).toBe(2);
});
test.skip('later', () => {});
`,
      'broken.test.js': "import './missing.js';\n",
    });
    const value = await workspace.value('test_runner', {});
    expect(value).toMatchObject({ runner: 'vitest', passed: 1, failed: 2, skipped: 1, hasReport: true, exitCode: 1 });
    const failures = failuresOf(value).toSorted((left, right) => left.name.localeCompare(right.name));
    expect(failures[0]).toMatchObject({ name: 'broken.test.js', file: 'broken.test.js' });
    expect(failures[1]).toMatchObject({ name: 'fails', file: 'a.test.js', line: 4 });
    expect(failures[1]?.message).toContain('expected 1 to be 2');
    const one = { files: ['a.test.js'], testName: 'adds' };
    expect(await workspace.value('test_runner', one)).toMatchObject({ passed: 1, failed: 0, exitCode: 0 });
  });

  test('is an error where it is not installed', async () => {
    workspace.write({ 'package.json': '{"devDependencies":{"vitest":"*"}}' });
    expect((await workspace.run('test_runner', {})).result.error).toMatchObject({ code: 'E_PROGRAM_NOT_FOUND' });
  });
});

describe('pytest', () => {
  const project = {
    'test_a.py': `import pytest

def test_adds():
    assert 1 + 1 == 2

def test_fails():
    value = 1
    assert value == 2, "one is not two"

@pytest.mark.skip
def test_later():
    pass
`,
    'sub/test_b.py': 'def test_b():\n    pass\n',
    'test_broken.py': 'import no_such_module\n',
  };

  test('counts tests and describes failures, also of a file that does not load', async () => {
    workspace.write(project);
    const value = await workspace.value('test_runner', {});
    expect(value).toMatchObject({ runner: 'pytest', failed: 1, hasReport: true, exitCode: 2 });
    expect(failuresOf(value)[0]).toMatchObject({ name: 'test_broken.py', file: 'test_broken.py' });
    expect(failuresOf(value)[0]?.message).toContain('no_such_module');
    const rest = await workspace.value('test_runner', { files: ['test_a.py', 'sub'] });
    expect(rest).toMatchObject({ passed: 2, failed: 1, skipped: 1, exitCode: 1 });
    expect(failuresOf(rest)[0]).toMatchObject({ name: 'test_a.py::test_fails', file: 'test_a.py', line: 8 });
    expect(failuresOf(rest)[0]?.message).toContain('one is not two');
    expect(await workspace.value('test_runner', { files: ['test_a.py'], testName: 'adds' })).toMatchObject({
      passed: 1,
      failed: 0,
    });
    // Nothing is written next to the tests.
    expect(readdirSync(workspace.root).toSorted()).toEqual(['sub', 'test_a.py', 'test_broken.py']);
  });

  test('a name that begins like an option, or means something to a shell, is a name', async () => {
    workspace.write({ 'test_a.py': project['test_a.py'] });
    for (const testName of ['--collect-only', '-p no:x', '$(touch hacked)', '; touch hacked']) {
      await workspace.run('test_runner', { testName });
    }
    expect(readdirSync(workspace.root)).toEqual(['test_a.py']);
  });
});

describe('go test', () => {
  // What go 1.19 wrote for a package with tests and one that does not compile.
  const recorded = join(import.meta.dirname, 'fixtures', 'go-test.jsonl');

  test('counts tests and describes failures, from the output that go writes', async () => {
    workspace.write({
      'go.mod': 'module example.com/sum\n',
      'bin/go': `#!/bin/sh\necho "$@" > arguments\ncat '${recorded}'\ncat '${recorded.replace('jsonl', 'err.txt')}' >&2\nexit 1\n`,
    });
    chmodSync(join(workspace.root, 'bin/go'), 0o755);
    const settings = {
      isolation: { kind: 'mark', argv: [] } as const,
      wrapper: [],
      environment: { PATH: `${workspace.root}/bin:${process.env['PATH']}` },
      limits: { textBytes: 10_000, artifactBytes: 10_000 },
    };
    using other = createShellWorkspace({ settings });
    other.write({ 'go.mod': 'module example.com/sum\n', 'sub/x_test.go': '' });
    const value = await other.value('test_runner', { files: ['sub/x_test.go'], testName: '-exec=$(x)' });
    expect(readFileSync(join(other.root, 'arguments'), 'utf8')).toBe('test -json -run=-exec=$(x) ./sub\n');
    expect(value).toMatchObject({ runner: 'go', passed: 2, failed: 2, skipped: 1, hasReport: true, exitCode: 1 });
    const failures = failuresOf(value);
    expect(failures.find(({ name }) => name.includes('TestFails'))).toMatchObject({
      name: 'example.com/sum TestFails/one',
      file: 'sum_test.go',
      line: 13,
    });
    expect(failures.find(({ name }) => name === 'example.com/sum/broken')).toMatchObject({
      message: 'broken/broken_test.go:5:33: undefined: missing',
      file: 'broken/broken_test.go',
      line: 5,
    });
  });

  test('is an error where it is not installed', async () => {
    workspace.write({ 'go.mod': 'module x\n' });
    const settings = {
      isolation: { kind: 'mark', argv: [] } as const,
      wrapper: [],
      environment: { PATH: `${workspace.root}/no-programs` },
      limits: { textBytes: 10_000, artifactBytes: 10_000 },
    };
    using other = createShellWorkspace({ settings });
    other.write({ 'go.mod': 'module x\n' });
    expect((await other.run('test_runner', {})).result.error).toMatchObject({ code: 'E_PROGRAM_NOT_FOUND' });
  });
});

test('a folder without a known runner is an error that lists the known ones, and so is an unknown runner', async () => {
  workspace.write({ 'package.json': '{}', Makefile: 'test:' });
  const { result } = await workspace.run('test_runner', {});
  expect(result.error?.code).toBe('E_RUNNER_UNKNOWN');
  expect(result.error?.message).toContain('vitest, node, go, pytest');
  const unknown = (await workspace.run('test_runner', { runner: 'mocha' })).result.error;
  expect(unknown?.code).toBe('E_ARGUMENTS_INVALID');
  expect(unknown?.message).toMatch(/vitest.*node.*go.*pytest/u);
});

test.each([
  { files: 'a' },
  { files: [''] },
  { files: [7] },
  { testName: '' },
  { testName: 'a\0' },
  { testName: 'x'.repeat(1001) },
  { timeoutMs: -1 },
  { other: 1 },
])('refuses %j', async (args) => {
  workspace.write(nodeProject);
  expect((await workspace.run('test_runner', args)).result.error?.code).toBe('E_ARGUMENTS_INVALID');
});
