import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KernelError } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { runTool } from '@ravi/testkit';
import { openWorkspace } from '@ravi/tools-kit';
import type { Workspace } from '@ravi/tools-kit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createShellWorkspace, isolations } from './shell-workspace.ts';
import type { ShellWorkspace } from './shell-workspace.ts';

/** Ids of the processes whose command line has a text. */
function processesWith(text: string): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/u.test(name)) return false;
    try {
      const isGone = /^\d+ \(.*\) [ZX]/su.test(readFileSync(`/proc/${name}/stat`, 'latin1'));
      return !isGone && readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(text);
    } catch {
      return false;
    }
  });
}

let unique = 0;
/** Number of seconds that no other process sleeps, by which a test finds its own. */
function ownSeconds(): string {
  unique += 1;
  return `${process.pid}.${unique}`;
}

describe.each(isolations)('bash, processes kept together by $kind', (isolation) => {
  let workspace: ShellWorkspace;
  beforeEach(() => {
    workspace = createShellWorkspace({ isolation });
  });
  afterEach(() => {
    workspace[Symbol.dispose]();
  });

  test('returns output of both streams in their order, and the status as data', async () => {
    const command = 'echo one; echo two >&2; echo three; exit 3';
    const { result, approvals } = await workspace.run('bash', { command });
    expect(result.status).toBe('ok');
    expect(result.structured).toEqual({
      exitCode: 3,
      timedOut: false,
      output: 'one\ntwo\nthree\n',
      bytes: 14,
      isCut: false,
    });
    expect(result.text).toBe('one\ntwo\nthree\nExit code 3');
    expect(approvals.map(({ risk, summary }) => [risk, summary])).toEqual([
      ['high', `Run in the shell: ${JSON.stringify(command)}`],
    ]);
  });

  test('starts in the workspace or a folder of it, and gives standard input', async () => {
    workspace.write({ 'sub/a.txt': '' });
    expect(await workspace.value('bash', { command: 'pwd -P' })).toMatchObject({ output: `${workspace.root}\n` });
    expect(await workspace.value('bash', { command: 'pwd -P; ls', cwd: 'sub' })).toMatchObject({
      output: `${workspace.root}/sub\na.txt\n`,
    });
    expect(await workspace.value('bash', { command: 'cat', stdin: 'hello' })).toMatchObject({ output: 'hello' });
    expect(await workspace.value('bash', { command: 'cat; echo end' })).toMatchObject({ output: 'end\n' });
    // A program that does not read its input ends as well.
    expect(await workspace.value('bash', { command: 'true', stdin: 'x'.repeat(1_000_000) })).toMatchObject({
      exitCode: 0,
    });
  });

  test.each([
    ['bash', { command: 'ls', cwd: '../..' }],
    ['code_exec', { code: 'print(1)', cwd: '../..' }],
  ])('people are not asked about %s in a folder outside of the workspace', async (tool, args) => {
    const { result, approvals } = await workspace.run(tool, args);
    expect([result.error?.code, approvals]).toEqual(['E_PATH_OUTSIDE', []]);
  });

  test('people are asked about a command in a folder that an earlier call may make', async () => {
    const { result, approvals } = await workspace.run('bash', { command: 'ls', cwd: 'new' });
    expect([result.error?.code, approvals.length]).toEqual(['E_FILE_NOT_FOUND', 1]);
  });

  test('a signal ends a command as in a shell, and a shell can send itself one', async () => {
    expect(await workspace.value('bash', { command: 'kill -TERM $$; sleep 1' })).toMatchObject({ exitCode: 143 });
    expect(await workspace.value('bash', { command: 'no-such-program-x' })).toMatchObject({ exitCode: 127 });
  });

  test.each([
    ['a child', 'sleep SECONDS'],
    ['a background child', 'sleep SECONDS & wait'],
    ['a child of its own session', 'setsid sleep SECONDS & wait; sleep 100'],
    ['a double fork', '(setsid sh -c "sleep SECONDS & " &) ; sleep 100'],
    ['one that ignores signals', 'trap "" TERM INT HUP; sh -c \'trap "" TERM; sleep SECONDS\'; sleep 100'],
    [
      'a tree of 127 processes',
      'f() { if [ $1 -gt 0 ]; then f $(($1-1)) & f $(($1-1)) & wait; else exec sleep SECONDS; fi; }; f 6',
    ],
  ])('at the time limit nothing is left of %s', async (_, template) => {
    const seconds = ownSeconds();
    // The command says when all has been started, and a file that appears afterwards would show that it had continued.
    const command = `echo started; ${template.replaceAll('SECONDS', seconds)}; touch survived`;
    const value = await workspace.value('bash', { command, timeoutMs: 1500 });
    expect(value).toMatchObject({ exitCode: null, timedOut: true, output: 'started\n' });
    expect(processesWith(seconds)).toEqual([]);
    expect(readdirSync(workspace.root)).toEqual([]);
  });

  test('what a command leaves running ends with it', async () => {
    const seconds = ownSeconds();
    const value = await workspace.value('bash', {
      command: `setsid sleep ${seconds} >/dev/null 2>&1 & sleep ${seconds} & echo done`,
    });
    expect(value).toMatchObject({ exitCode: 0, output: 'done\n' });
    expect(processesWith(seconds)).toEqual([]);
  });

  test('a cancelled call ends its processes and is cancelled', async () => {
    const seconds = ownSeconds();
    const controller = new AbortController();
    const started = join(workspace.root, 'started');
    const running = workspace.run(
      'bash',
      { command: `(setsid sleep ${seconds} &); touch started; sleep ${seconds}` },
      controller.signal,
    );
    await expect.poll(() => readdirSync(workspace.root), { timeout: 20_000 }).toEqual(['started']);
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: 'E_CANCELLED' });
    await expect.poll(() => processesWith(seconds), { timeout: 20_000 }).toEqual([]);
    expect(readFileSync(started, 'utf8')).toBe('');
  });

  test('more output than the limit becomes an artifact, with beginning and end in value and text', async () => {
    const command = 'echo first; seq 1 20000; echo last';
    const value = await workspace.value('bash', { command });
    expect(value).toMatchObject({ exitCode: 0, isCut: true, bytes: 108_905 });
    expect(value['output']).toMatch(/^first\n1\n2\n[^]*\n\[… \d+ bytes left out …\]\n[^]*\n20000\nlast\n$/u);
    const stored = Buffer.from(await workspace.blobs.resolve(value['artifact'] as string)).toString();
    expect(stored.length).toBe(108_905);
    expect(stored.startsWith('first\n1\n')).toBe(true);
    expect(stored.endsWith('20000\nlast\n')).toBe(true);
    const { text } = (await workspace.run('bash', { command })).result;
    expect(text).toMatch(
      /^first\n1\n[^]*\[… \d+ bytes left out here …\][^]*20000\nlast\nExit code 0\. The artifact has all 108905 bytes of the output/u,
    );
  });

  test('binary output becomes an artifact, also if it is short', async () => {
    const value = await workspace.value('bash', { command: "printf 'a\\0b'" });
    expect(value).toMatchObject({ output: '[binary output, 3 bytes]', bytes: 3, isCut: true });
    expect([...(await workspace.blobs.resolve(value['artifact'] as string))]).toEqual([97, 0, 98]);
  });

  test('two commands of a step wait for each other, and have outputs of their own', async () => {
    const once = (word: string): string => `mkdir busy && sleep 0.2 && echo ${word} && rmdir busy`;
    const values = await Promise.all(['one', 'two'].map((word) => workspace.value('bash', { command: once(word) })));
    expect(values.map(({ output }) => output)).toEqual(['one\n', 'two\n']);
    // Commands of another workspace do not wait.
    using other = createShellWorkspace({ isolation });
    const long = workspace.value('bash', { command: 'until [ -e stop ]; do sleep 0.05; done' });
    await other.value('bash', { command: 'echo now' });
    workspace.write({ stop: '' });
    await long;
  });

  test('no variable of the server reaches a command, except for those that are listed', async () => {
    process.env['RAVI_TEST_SECRET'] = 'hidden-value';
    try {
      const { output } = await workspace.value('bash', { command: 'env; export -p' });
      expect(output).not.toContain('hidden-value');
      expect(output).toContain('PATH=');
    } finally {
      delete process.env['RAVI_TEST_SECRET'];
    }
  });
});

describe('bash', () => {
  let workspace: ShellWorkspace;
  beforeEach(() => {
    workspace = createShellWorkspace();
  });
  afterEach(() => {
    workspace[Symbol.dispose]();
  });

  test.each([
    ['../', 'E_PATH_OUTSIDE'],
    ['/etc', 'E_PATH_OUTSIDE'],
    ['link', 'E_PATH_OUTSIDE'],
    ['missing', 'E_FILE_NOT_FOUND'],
    ['$(touch x)', 'E_FILE_NOT_FOUND'],
    ['; touch x', 'E_FILE_NOT_FOUND'],
    ['-P', 'E_FILE_NOT_FOUND'],
    ['file', 'E_FILE_KIND'],
    ['a\0', 'E_ARGUMENTS_INVALID'],
    ['', 'E_ARGUMENTS_INVALID'],
    [7, 'E_ARGUMENTS_INVALID'],
  ])('the folder %j of every tool is %s, and starts nothing', async (cwd, code) => {
    workspace.write({ file: '' });
    workspace.link('..', 'link');
    for (const [name, args] of Object.entries({
      bash: { command: 'touch x' },
      code_exec: { code: 'open("x","w")' },
      test_runner: {},
    })) {
      const { result } = await workspace.run(name, { ...args, cwd });
      expect(result.error?.code, name).toBe(code);
      expect(JSON.stringify(result)).not.toContain(workspace.root);
    }
    expect(readdirSync(workspace.root)).toEqual(['file', 'link']);
  });

  test.each([
    {},
    { command: '' },
    { command: 7 },
    { command: null },
    { command: 'a\0b' },
    { command: 'x'.repeat(100_001) },
    { command: 'ls', timeoutMs: 0 },
    { command: 'ls', timeoutMs: 60_001 },
    { command: 'ls', stdin: 7 },
    { command: 'ls', other: 1 },
    { command: 'ls', stdin: 'x'.repeat(1_048_577) },
  ])('refuses %j', async (args) => {
    const { result } = await workspace.run('bash', args);
    expect(result.error?.code).toBe('E_ARGUMENTS_INVALID');
  });

  test('without an artifact store the result says that the rest was not kept', async () => {
    const { result } = await runTool(workspace.tools.get('bash') as Tool, { command: 'seq 1 20000' });
    expect(result.text).toContain('the rest was not kept');
    expect(result.structured).toMatchObject({ isCut: true, bytes: 108_894 });
  });

  test('what exceeds the limit of an artifact is counted and named', async () => {
    const value = await workspace.run('bash', { command: 'head -c 3000000 /dev/zero | tr "\\0" x' });
    expect(value.result.text).toContain('The artifact has the first 1048576 of 3000000 bytes of the output');
  });

  test('a command that writes a gigabyte takes bounded memory', async () => {
    const before = process.memoryUsage().rss;
    let most = before;
    const timer = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss);
    }, 20);
    const { result } = await workspace.run('bash', { command: 'yes | head -c 1073741824' });
    clearInterval(timer);
    expect(result.text).toContain('The artifact has the first 1048576 of 1073741824 bytes of the output');
    expect(most - before).toBeLessThan(200 * 1_048_576);
  });

  test('a denied command does not run', async () => {
    const { record } = await runTool(workspace.tools.get('bash') as Tool, { command: 'touch x' }, { approves: false });
    expect(record.errorCode).toBe('E_APPROVAL_DENIED');
    expect(readdirSync(workspace.root)).toEqual([]);
  });

  test('a startup file, a variable or a function of the environment changes no command', async () => {
    workspace.write({ evil: 'echo evil' });
    const settings = {
      isolation: isolations[0]!,
      wrapper: [],
      environment: { PATH: '/usr/bin:/bin', BASH_ENV: `${workspace.root}/evil` },
      limits: { textBytes: 1000, artifactBytes: 1000 },
    };
    using other = createShellWorkspace({ settings });
    // The operator can set BASH_ENV on purpose; the allow-list does not let it in from the server.
    expect(await other.value('bash', { command: 'echo x' })).toMatchObject({ output: 'evil\nx\n' });
    process.env['BASH_ENV'] = `${workspace.root}/evil`;
    try {
      expect(await createShellWorkspace().value('bash', { command: 'echo x' })).toMatchObject({ output: 'x\n' });
    } finally {
      delete process.env['BASH_ENV'];
    }
  });
});

describe('commands that only read', () => {
  let workspace: ShellWorkspace;
  beforeEach(() => {
    workspace = createShellWorkspace({ safeCommands: true });
  });
  afterEach(() => {
    workspace[Symbol.dispose]();
  });

  test('run without approval if the configuration says so; others ask', async () => {
    workspace.write({ 'a.txt': 'content' });
    const { result, approvals } = await workspace.run('bash', { command: 'cat a.txt | wc -c' });
    expect([result.status, approvals.length]).toEqual(['ok', 0]);
    expect((await workspace.run('bash', { command: 'touch x' })).approvals).toHaveLength(1);
    expect((await workspace.run('bash_background', { command: 'ls' })).approvals).toHaveLength(1);
    using plain = createShellWorkspace();
    expect((await plain.run('bash', { command: 'ls' })).approvals).toHaveLength(1);
  });

  test.each(['E_PATH_OUTSIDE', 'E_FILE_FORBIDDEN', 'E_ARGUMENTS_INVALID', 'E_FILE_KIND', 'E_FILE_BUSY'])(
    'do not start if a path that they read fails with %s',
    async (code) => {
      const own = openWorkspace(workspace.root);
      const locate: Workspace['locate'] = (path, options) => {
        if (path.includes('closed')) throw new KernelError(code, 'Refused');
        return own.locate(path, options);
      };
      using other = createShellWorkspace({ safeCommands: true, workspaceOf: () => ({ ...own, locate }) });
      workspace.write({ closed: 'content', open: 'content' });
      expect((await other.run('bash', { command: 'cat closed' })).result.error?.code).toBe(code);
      expect((await other.run('bash', { command: 'cat missing || cat open' })).result.status).toBe('ok');
    },
  );

  test('do not read what is above the target of a link', async () => {
    workspace.link('../', 'a');
    workspace.link(`${workspace.root}/a/../inside`, 'link');
    workspace.link(`${workspace.root}/a/../secret.txt`, 'secret');
    for (const command of ['cat secret', 'ls link']) {
      expect((await workspace.run('bash', { command })).result.error?.code, command).toBe('E_PATH_OUTSIDE');
    }
  });

  test('do not read through a link that leads outside', async () => {
    workspace.link('../secret.txt', 'link');
    workspace.link('..', 'up');
    for (const command of ['cat link', 'cat up/secret.txt', 'grep out link', 'ls up', 'wc -l < link']) {
      const { result, approvals } = await workspace.run('bash', { command });
      expect(`${result.error?.code}${approvals.length}`, command).toMatch(/^E_PATH_OUTSIDE0$|^undefined1$/u);
      if (result.status === 'ok') expect(approvals).toHaveLength(1);
    }
  });

  test('start no program of the workspace under a known name', async () => {
    workspace.write({ 'bin/ls': '#!/bin/sh\necho hijacked' });
    const settings = { ...createSettings(), environment: { PATH: `${workspace.root}/bin:${process.env['PATH']}` } };
    using other = createShellWorkspace({ safeCommands: true, settings });
    writeFileSync(join(workspace.root, 'bin/ls'), '#!/bin/sh\necho hijacked', { mode: 0o755 });
    expect(await other.value('bash', { command: 'ls' })).toMatchObject({ output: '' });
  });
});

function createSettings() {
  return { isolation: isolations[0]!, wrapper: [], environment: {}, limits: { textBytes: 1000, artifactBytes: 1000 } };
}

test('each tool has documentation, a risk and a time limit of its own', () => {
  using workspace = createShellWorkspace();
  for (const tool of workspace.tools.values()) {
    expect(tool.risk).toBe('high');
    expect(tool.managesOwnTimeout).toBe(true);
    expect(tool.documentation?.().length).toBeGreaterThan(200);
  }
  expect(workspace.tools.get('bash_background')?.mode).toBe('background');
});
