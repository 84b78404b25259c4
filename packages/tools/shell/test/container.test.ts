import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { callUnprivileged } from '@ravi/testkit/unprivileged';
import { expect, test } from 'vitest';
import { commandImage, openContainedTools, whyNot } from './support/command-engine.ts';

if (whyNot !== undefined) test.skip(`commands in containers (${whyNot})`, () => {});
else containerCases();

function containerCases(): void {
  test('a command in a container sees its workspace, and writes there as the user of the server', async () => {
    await using tools = await openContainedTools();
    tools.write({ 'sub/a.txt': 'of the workspace\n' });
    const value = await tools.value('bash', {
      command: 'pwd; cat a.txt; cat; echo new > made.txt; ls made.txt; echo error >&2; exit 3',
      cwd: 'sub',
      stdin: 'given\n',
    });
    expect(value).toEqual({
      exitCode: 3,
      timedOut: false,
      output: `${tools.root}/sub\nof the workspace\ngiven\nmade.txt\nerror\n`,
      bytes: expect.any(Number) as number,
      isCut: false,
    });
    const { uid, gid } = statSync(join(tools.root, 'sub/made.txt'));
    expect([uid, gid]).toEqual([process.getuid?.(), process.getgid?.()]);
    expect(await tools.output('id -u; id -g')).toBe(`${process.getuid?.()}\n${process.getgid?.()}\n`);
    expect(await tools.containers()).toEqual([]);
  });

  // Any other user is the user of the test above.
  test.runIf(process.getuid?.() === 0)('a server without privileges starts commands without them', async () => {
    await using tools = await openContainedTools();
    chmodSync(tools.base, 0o755);
    chownSync(tools.root, 65_534, 65_534);
    await using engine = await openEngineFor(tools.base);
    const [outcome] = await callUnprivileged({
      plugin: join(import.meta.dirname, '../src/index.ts'),
      options: { root: tools.root, container: { image: commandImage } },
      folder: tools.root,
      environment: { DOCKER_HOST: engine.address },
      calls: [['bash', { command: 'id -u; id -g; touch made; cat ../secret.txt' }]],
    });
    expect(outcome?.text).toBe('65534\n65534\ncat: ../secret.txt: No such file or directory\nExit code 1');
    expect(statSync(join(tools.root, 'made')).uid).toBe(65_534);
  });

  test('a command in a container reads no file outside of the workspace, and changes nothing of its system', async () => {
    await using tools = await openContainedTools();
    const outside = join(tools.base, 'secret.txt');
    const output = await tools.output(`
      cat ${outside}; cat ${tools.root}/../secret.txt; ls -a ${tools.base}
      for path in /usr/x /x /etc/x ${tools.base}/x; do touch $path; done
      ls /proc/1/root${outside} /root /home /work
      echo '#!/bin/sh' > /tmp/program; echo 'echo runs' >> /tmp/program
      python3 -c 'import os; os.chmod("/tmp/program", 0o755)'; /tmp/program
      grep -E '^(CapEff|CapBnd|NoNewPrivs):' /proc/self/status`);
    expect(output).not.toContain('value-of-the-file-outside');
    expect(output.match(/No such file or directory/gu)?.length).toBeGreaterThanOrEqual(5);
    for (const path of ['/usr/x', '/x', '/etc/x']) {
      expect(output).toContain(`touch: cannot touch '${path}': Read-only file system`);
    }
    expect(output).toContain('\n.\n..\ninside\n');
    expect(output).toContain('\nruns\n');
    expect(output).toMatch(/CapBnd:\t0+\n/u);
    expect(output).toMatch(/CapEff:\t0+\n/u);
    expect(output).toMatch(/NoNewPrivs:\t1\n/u);
    expect(existsSync(join(tools.base, 'x'))).toBe(false);
  });

  test('a link of the workspace to a file of the machine leads nowhere in a container', async () => {
    await using tools = await openContainedTools();
    symlinkSync('../secret.txt', join(tools.root, 'link'));
    symlinkSync('..', join(tools.root, 'up'));
    expect(await tools.output('cat link up/secret.txt')).toBe(
      'cat: link: No such file or directory\ncat: up/secret.txt: No such file or directory\n',
    );
    // The server does not follow one for the folder of a command.
    expect((await tools.run('bash', { command: 'ls', cwd: 'up' })).result.error?.code).toBe('E_PATH_OUTSIDE');
  });

  test('a command in a container reaches no server of the machine', async () => {
    const connections: string[] = [];
    const server = createServer((socket) => {
      connections.push(socket.remoteAddress ?? '');
      socket.destroy();
    });
    server.listen(0);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await using tools = await openContainedTools();
    const code = `
import socket
for host in ["127.0.0.1", "::1", "172.17.0.1", "host.docker.internal"]:
    try:
        socket.create_connection((host, ${port}), 2)
        print("connected")
    except OSError as error:
        print(type(error).__name__)
print(open("/proc/net/dev").read().count(":"))`;
    const { output } = await tools.value('python', { code });
    server.close();
    expect(output).not.toContain('\nconnected');
    expect(output).toMatch(/^ConnectionRefusedError\n[^]*\n1\n$/u);
    expect(connections).toEqual([]);
  });

  test('a command in a container has the variables of the configuration only', async () => {
    Object.assign(process.env, { RAVI_TEST_SECRET: 'value-of-the-secret', RAVI_TEST_PASSED: 'passed on' });
    try {
      await using tools = await openContainedTools({
        passEnv: ['RAVI_TEST_PASSED'],
        env: { GREETING: '#1 = "hello" $HOME', HTTP_PROXY: 'http://proxy', DOCKER_HOST: 'for the command' },
      });
      const output = await tools.output(`env; export -p; cat /proc/*/environ | tr '\\0' '\\n'; echo "$GREETING"`);
      expect(output).not.toContain('value-of-the-secret');
      const lines = output.split('\n');
      const variables = lines.slice(
        0,
        lines.findIndex((line) => line.startsWith('declare')),
      );
      const names =
        'DOCKER_HOST GIT_PAGER GIT_TERMINAL_PROMPT GREETING HOME HOSTNAME LANG NO_COLOR OLDPWD PAGER PATH PWD RAVI_TEST_PASSED SHLVL TERM _';
      // Those of the configuration of the client would come without them.
      const isProxy = (line: string): boolean => /_proxy=/i.test(line);
      expect(variables.filter((line) => isProxy(line) && !line.endsWith('='))).toEqual(['HTTP_PROXY=http://proxy']);
      expect(
        variables
          .filter((line) => !isProxy(line))
          .map((line) => line.split('=')[0] ?? '')
          .toSorted(),
      ).toEqual(names.split(' '));
      expect(output).toContain('RAVI_TEST_PASSED=passed on\n');
      expect(output).toMatch(/\n#1 = "hello" \$HOME\n$/u);
    } finally {
      delete process.env['RAVI_TEST_SECRET'];
      delete process.env['RAVI_TEST_PASSED'];
    }
  });

  test('a fork bomb in a container stays within its limit of processes, and ends at the time limit', async () => {
    await using tools = await openContainedTools({ container: { pids: 40 } });
    const running = tools.value('bash', { command: 'f() { f | f & }; f; sleep 100', timeoutMs: 3000 });
    let most = 0;
    let isOver = false;
    const ended = running.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      most = Math.max(most, tools.processes().length);
      await pause(20);
    }
    expect(await ended).toMatchObject({ exitCode: null, timedOut: true });
    expect(most).toBeGreaterThan(20);
    expect(most).toBeLessThanOrEqual(40);
    expect([tools.processes(), await tools.containers()]).toEqual([[], []]);
  });

  test('a command that needs more memory than its container has is killed, and /tmp counts', async () => {
    await using tools = await openContainedTools({ container: { memoryBytes: 64 * 1_048_576 } });
    const code = 'kept = []\nfor number in range(4000): kept.append(b"x" * 1_000_000)';
    expect(await tools.value('python', { code })).toMatchObject({ exitCode: 137, timedOut: false });
    const output = await tools.output('head -c 50000000 /dev/zero > /tmp/large; echo $?');
    expect(output).toContain('No space left on device');
  });

  test.each([
    ['a background process', 'sleep SECONDS & echo started'],
    ['a process of a session of its own', 'setsid sleep SECONDS >/dev/null 2>&1 & echo started'],
    ['one without environment and parent', '(env -i setsid sleep SECONDS >/dev/null 2>&1 &) ; echo started'],
  ])('nothing is left of a command in a container that starts %s', async (_, command) => {
    await using tools = await openContainedTools();
    const value = await tools.value('bash', { command: command.replaceAll('SECONDS', '3600') });
    expect(value).toMatchObject({ exitCode: 0, output: 'started\n' });
    expect([tools.processes(), await tools.containers()]).toEqual([[], []]);
  });

  test('the time limit removes the container with all its processes', async () => {
    await using tools = await openContainedTools();
    const command = 'trap "" TERM INT HUP; setsid sleep 3600 & echo started; touch began; sleep 3600; touch survived';
    const running = tools.value('bash', { command, timeoutMs: 4000 });
    await expect.poll(() => existsSync(join(tools.root, 'began')), { timeout: 30_000 }).toBe(true);
    const [name, ...others] = await tools.containers();
    expect([name, others]).toEqual([expect.stringMatching(/^ravi-command-/u), []]);
    expect(tools.processes().length).toBeGreaterThanOrEqual(4);
    expect(await running).toMatchObject({ exitCode: null, timedOut: true, output: 'started\n' });
    expect([tools.processes(), await tools.containers()]).toEqual([[], []]);
    expect(existsSync(join(tools.root, 'survived'))).toBe(false);
  });

  test('a cancelled call removes its container', async () => {
    await using tools = await openContainedTools();
    const controller = new AbortController();
    const running = tools.execute({ command: 'touch began; sleep 3600' }, controller.signal);
    await expect.poll(() => existsSync(join(tools.root, 'began')), { timeout: 30_000 }).toBe(true);
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: 'E_CANCELLED' });
    expect([tools.processes(), await tools.containers()]).toEqual([[], []]);
  });

  test('a call that is cancelled while its container is made removes it, and the command does not run', async () => {
    await using tools = await openContainedTools();
    const controller = new AbortController();
    const running = tools.execute({ command: 'sleep 2; touch survived' }, controller.signal);
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: 'E_CANCELLED' });
    expect([tools.processes(), await tools.containers()]).toEqual([[], []]);
    expect(existsSync(join(tools.root, 'survived'))).toBe(false);
  });

  test('tests in a container report counts and failures to the server', async () => {
    await using tools = await openContainedTools();
    tools.write({
      'package.json': '{"type":"module","scripts":{"test":"node --test"}}',
      'a.test.js': `import test from 'node:test';
import assert from 'node:assert/strict';
test('adds', () => assert.equal(1 + 1, 2));
test('fails', () => assert.equal(1, 2, 'one is not two'));
`,
    });
    const value = await tools.value('test_runner', {});
    expect(value).toMatchObject({ runner: 'node', passed: 1, failed: 1, hasReport: true, exitCode: 1 });
    expect(value['failures']).toMatchObject([{ name: 'fails', file: 'a.test.js', line: 4 }]);
  });

  test.each([
    ['bash', { command: 'cat /etc/hostname' }],
    ['bash_background', { command: 'cat /etc/hostname' }],
    ['code_exec', { code: 'print(open("/etc/hostname").read(), end="")' }],
    ['python', { code: 'print(open("/etc/hostname").read(), end="")' }],
  ])('%s runs in a container', async (name, args) => {
    await using tools = await openContainedTools();
    expect(await tools.value(name, args)).toMatchObject({ exitCode: 0, output: 'ravi\n' });
    expect(await tools.containers()).toEqual([]);
  });

  test('a command that only reads runs in a container without approval', async () => {
    await using tools = await openContainedTools({ safeCommands: true });
    tools.write({ 'a.txt': 'content' });
    const { result, approvals } = await tools.run('bash', { command: 'cat a.txt /etc/hostname' });
    expect([result.status, approvals.length]).toEqual(['ok', 1]);
    const reading = await tools.run('bash', { command: 'cat a.txt' });
    expect([reading.result.text, reading.approvals.length]).toEqual(['content\nExit code 0', 0]);
  });

  test('a large output of a command in a container is complete', async () => {
    await using tools = await openContainedTools();
    const { result } = await tools.run('bash', { command: 'head -c 20000000 /dev/zero | tr "\\0" x' });
    expect(result.text).toContain('The artifact has all 20000000 bytes of the output');
  });

  test('a workspace whose name has a comma, a quote and a space is mounted', async () => {
    await using tools = await openContainedTools({}, 'a, "b" $(c)');
    tools.write({ 'a.txt': 'text' });
    expect(await tools.output('cat a.txt')).toBe('text');
  });

  test('containers of a server that is gone are removed at the start of another; those of one that lives stay', async () => {
    await using living = await openContainedTools();
    const running = living.value('bash', { command: 'touch began; sleep 3600', timeoutMs: 20_000 });
    await expect.poll(() => existsSync(join(living.root, 'began')), { timeout: 30_000 }).toBe(true);
    const [name] = await living.containers();
    const inspect = (label: string): string =>
      execFileSync('docker', ['inspect', `--format={{index .Config.Labels "${label}"}}`, name ?? ''], {
        encoding: 'utf8',
      }).trim();
    const labels = [`--label=ravi.command=1.0`, `--label=ravi.command.machine=${inspect('ravi.command.machine')}`];
    const args = ['create', '--name=ravi-command-of-the-dead', ...labels, '--entrypoint=/bin/sh', commandImage];
    execFileSync('docker', args);
    await using other = await openContainedTools();
    expect(other.logger.records).toContainEqual(
      expect.objectContaining({ message: 'containers of commands of an ended server were removed' }),
    );
    const left = execFileSync('docker', ['ps', '--all', '--format={{.Names}}'], { encoding: 'utf8' });
    expect(left).not.toContain('ravi-command-of-the-dead');
    expect(await living.containers()).toEqual([name]);
    execFileSync('docker', ['kill', name ?? '']);
    // A container that someone else ends is a command that was ended.
    expect(await running).toMatchObject({ exitCode: 137, timedOut: false });
  });

  test('a missing image is an error that says how to get it, and nothing is pulled', async () => {
    await using tools = await openContainedTools({ container: { image: 'ravi-no-such-image:test' } });
    const { result } = await tools.run('bash', { command: 'touch made' });
    expect(result.error?.code).toBe('E_CONTAINER_UNAVAILABLE');
    expect(result.text).toContain('The image ravi-no-such-image:test is missing');
    expect(result.text).toContain('docker pull ravi-no-such-image:test');
  });

  test('an image without a shell is an error, and its container is removed', async () => {
    await using tools = await openContainedTools({ container: { image: 'ravi-sandbox-node:test' } });
    const { result } = await tools.run('bash', { command: 'touch made' });
    expect(result.error?.code).toBe('E_CONTAINER_UNAVAILABLE');
    expect(result.text).not.toContain(tools.base);
    expect(JSON.stringify(tools.logger.records)).toContain('/bin/sh');
    expect(await tools.containers()).toEqual([]);
  });
}

/** Opens a socket in a folder through which every user reaches the engine. */
async function openEngineFor(folder: string): Promise<AsyncDisposable & { readonly address: string }> {
  const path = join(folder, 'engine.sock');
  const engine = (process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock').replace(/^unix:\/\//u, '');
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const target = connect({ path: engine, allowHalfOpen: true });
    client.pipe(target).pipe(client);
    for (const end of [client, target]) end.on('error', () => void [client, target].map((each) => each.destroy()));
  });
  server.listen(path);
  await once(server, 'listening');
  chmodSync(path, 0o666);
  return {
    address: `unix://${path}`,
    [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

test('a folder that is missing and one that is closed end before any container', async () => {
  await using tools = await openContainedTools();
  writeFileSync(join(tools.root, 'file'), '');
  expect((await tools.run('bash', { command: 'ls', cwd: 'missing' })).result.error?.code).toBe('E_FILE_NOT_FOUND');
  expect((await tools.run('bash', { command: 'ls', cwd: 'file' })).result.error?.code).toBe('E_FILE_KIND');
  expect(readFileSync(join(tools.root, 'file'), 'utf8')).toBe('');
});

test('without its client, or without an engine, a command says what is missing', async () => {
  await using programless = await openContainedTools({ container: { program: 'ravi-no-such-client' } });
  const { result } = await programless.run('bash', { command: 'touch made' });
  expect([result.error?.code, result.text]).toEqual([
    'E_PROGRAM_NOT_FOUND',
    expect.stringContaining('The program ravi-no-such-client cannot be started'),
  ]);
  expect(JSON.stringify(programless.logger.records)).toContain('ravi-no-such-client');
  expect(existsSync(join(programless.root, 'made'))).toBe(false);
});

test.skipIf(whyNot !== undefined)(
  `without an engine a command says so${whyNot === undefined ? '' : ` (${whyNot})`}`,
  async () => {
    const own = process.env['DOCKER_HOST'];
    process.env['DOCKER_HOST'] = 'unix:///nowhere/docker.sock';
    try {
      await using tools = await openContainedTools();
      const { result } = await tools.run('bash', { command: 'touch made' });
      expect([result.error?.code, result.text]).toEqual([
        'E_CONTAINER_UNAVAILABLE',
        expect.stringContaining('No container engine responds: start it, or set DOCKER_HOST'),
      ]);
      expect(result.text).not.toContain('/nowhere');
      expect(JSON.stringify(tools.logger.records)).toContain('the container engine of the shell tools does not answer');
    } finally {
      if (own === undefined) delete process.env['DOCKER_HOST'];
      else process.env['DOCKER_HOST'] = own;
    }
  },
);

test.each([
  [{ wrapper: ['bwrap'] }, /"container" and "wrapper" exclude each other/u],
  [{ env: { KEY: 'one\ntwo' } }, /The variable "KEY" cannot be given to a container/u],
  [{ env: { 'A B': 'x' } }, /The variable "A B" cannot be given to a container/u],
  [{ reportFolder: './missing' }, /reportFolder: the folder "\.\/missing" does not exist/u],
])('the options %j are refused', async (options, message) => {
  const opening = openContainedTools(options).then((tools) => tools[Symbol.asyncDispose]());
  await expect(opening).rejects.toMatchObject({
    code: 'E_CONFIG_INVALID',
    message: expect.stringMatching(message) as string,
  });
});

test.each(['/', '/proc', '/dev'])('the workspace %s cannot be mounted', async (root) => {
  await using tools = await openContainedTools({ root });
  const { result } = await tools.run('bash', { command: 'ls', timeoutMs: 5000 });
  expect(result.error?.code).toBe('E_UNSUPPORTED');
});
