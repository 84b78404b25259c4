import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createShellWorkspace } from './shell-workspace.ts';
import type { ShellWorkspace } from './shell-workspace.ts';

let workspace: ShellWorkspace;
beforeEach(() => {
  workspace = createShellWorkspace();
});
afterEach(() => {
  workspace[Symbol.dispose]();
});

test('runs source with arguments and input, and returns output and status', async () => {
  const code = 'import sys\nprint(sys.argv[1:], sys.stdin.read())\nprint("ä", file=sys.stderr)\nsys.exit(4)';
  const args = { code, args: ['-c', '$(id)', "'; rm"], stdin: 'in' };
  for (const name of ['code_exec', 'python']) {
    const { result, approvals } = await workspace.run(name, args);
    expect(result.structured).toMatchObject({ exitCode: 4, timedOut: false });
    expect((result.structured as { readonly output: string }).output.split('\n').toSorted()).toEqual([
      '',
      `['-c', '$(id)', "'; rm"] in`,
      'ä',
    ]);
    expect(approvals.map(({ risk, summary }) => [risk, summary])).toEqual([['high', 'Run 4 lines of Python']]);
  }
});

test('a module of the workspace under a known name is not imported', async () => {
  workspace.write({ 'json.py': 'print("hijacked")', 'sitecustomize.py': 'print("hijacked")' });
  expect(await workspace.value('code_exec', { code: 'import json\nprint(json.dumps(1))' })).toMatchObject({
    output: '1\n',
  });
});

test('source that names what deletes is critical, and a mistake is data', async () => {
  const { approvals } = await workspace.run('code_exec', {
    code: 'import shutil\nshutil.rmtree("x", ignore_errors=True)',
  });
  expect(approvals[0]?.risk).toBe('critical');
  const value = await workspace.value('code_exec', { code: 'print(' });
  expect(value['exitCode']).toBe(1);
  expect(value['output']).toContain('SyntaxError');
});

test('the time limit ends it', async () => {
  const value = await workspace.value('code_exec', {
    code: 'print("on", flush=True)\nwhile True: pass',
    timeoutMs: 1500,
  });
  expect(value).toMatchObject({ exitCode: null, timedOut: true, output: 'on\n' });
});

test.each([
  {},
  { code: '' },
  { code: 7 },
  { code: 'a\0' },
  { code: 'ä'.repeat(70_000) },
  { code: 'x'.repeat(120_001) },
  { code: '1', args: ['a\0'] },
  { code: '1', args: 'a' },
])('refuses %j', async (args) => {
  expect((await workspace.run('code_exec', args)).result.error?.code).toBe('E_ARGUMENTS_INVALID');
  expect(readdirSync(workspace.root)).toEqual([]);
});

test('an interpreter that is not installed is an error with its name', async () => {
  using other = createShellWorkspace({ python: 'no-such-python' });
  const { result } = await other.run('code_exec', { code: '1' });
  expect(result.error).toMatchObject({
    code: 'E_PROGRAM_NOT_FOUND',
    message: 'The program no-such-python is not installed',
  });
});
