import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { sandboxLimits } from '@ravi/kernel';
import { childProcessIds } from '@ravi/testkit';
import { pluginContract } from '@ravi/testkit/plugin';
import { sandboxContract } from '@ravi/testkit/sandbox';
import { test } from 'vitest';
import plugin, { createIsolatedVmSandbox } from '../src/index.ts';

const linux = process.platform === 'linux';

sandboxContract(test, () => createIsolatedVmSandbox(), linux ? { crash: killChildren } : {});
pluginContract(test, plugin, { poolSize: 0 });

test('it declares isolation by process and every limit', async () => {
  await using sandbox = createIsolatedVmSandbox({ poolSize: 0 });
  assert.deepEqual(sandbox.supports, {
    languages: ['javascript'],
    isolation: 'process',
    limits: sandboxLimits,
    detectsDeadlock: true,
    marksTurns: ['javascript'],
  });
});

test.skipIf(!linux)(
  'its processes see an empty environment, no open file of the host and no command line to read',
  async () => {
    const before = new Set(childProcessIds());
    await using sandbox = createIsolatedVmSandbox({ poolSize: 1, maxProcesses: 1 });
    const [pid] = childProcessIds().filter((id) => !before.has(id));
    assert.ok(pid !== undefined && sandbox.name === 'isolated-vm');
    assert.equal(readFileSync(`/proc/${pid}/environ`, 'utf8'), '');
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    assert.ok(command.includes('--permission') && command.join(' ').length < 1_000, command.join(' '));
  },
);

test.skipIf(!linux)('a process whose end was not yet reported is not taken for a crash of the script', async () => {
  const before = new Set(childProcessIds());
  await using sandbox = createIsolatedVmSandbox({ poolSize: 1, maxProcesses: 1 });
  const run = (code: string): ReturnType<typeof sandbox.run> =>
    sandbox.run({
      language: 'javascript',
      code,
      prelude: '',
      principal: 'alice',
      limits: {
        wallTimeMs: 60_000,
        cpuTimeMs: 10_000,
        memoryBytes: 67_108_864,
        maxConsoleBytes: 1,
        maxResultBytes: 100,
        maxCalls: 1,
        maxInFlight: 1,
      },
      bridge: async () => '',
      onConsole() {},
    });
  assert.equal((await run('return 1')).status, 'ok');
  // Ready again, and therefore idle.
  await setTimeout(200);
  const [pid] = childProcessIds().filter((id) => !before.has(id));
  assert.ok(pid !== undefined);
  process.kill(pid, 'SIGKILL');
  // Without a turn of the event loop, so that the sandbox cannot receive the event.
  while (!readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ')) continue;
  const outcome = await run('return 2');
  assert.deepEqual([outcome.status, 'value' in outcome && outcome.value], ['ok', '2']);
});

test.skipIf(!linux)('closing leaves no process', async () => {
  const before = new Set(childProcessIds());
  const sandbox = createIsolatedVmSandbox({ poolSize: 2 });
  assert.equal(childProcessIds().filter((id) => !before.has(id)).length, 2);
  await sandbox[Symbol.asyncDispose]();
  assert.deepEqual(
    childProcessIds().filter((id) => !before.has(id)),
    [],
  );
});

test('the first of many calls reach the host while the script still computes', async () => {
  await using sandbox = createIsolatedVmSandbox({ poolSize: 1, maxProcesses: 1 });
  const seen: string[] = [];
  const outcome = await sandbox.run({
    language: 'javascript',
    prelude: 'return { call: host.call }',
    code: 'for (let i = 0; i < 100; i++) void call("x", String(i)); for (;;);',
    principal: 'alice',
    bridge: async ({ payload }) => {
      seen.push(payload);
      return '';
    },
    onConsole() {},
    limits: {
      wallTimeMs: 30_000,
      cpuTimeMs: 300,
      memoryBytes: 67_108_864,
      maxConsoleBytes: 1_000,
      maxResultBytes: 1_000,
      maxCalls: 100,
      maxInFlight: 80,
    },
  });
  assert.equal(outcome.status === 'limit' && outcome.limit, 'cpu');
  // As many as fill a frame; the others would have followed at the next await.
  assert.deepEqual(
    seen,
    Array.from({ length: 64 }, (_, index) => String(index)),
  );
});

test.skipIf(!linux)('an idle sandbox does not keep its host alive, and its processes end with it', async () => {
  const host = startHost(`
    await sandbox.run({ ...request, code: 'return 1' });
    console.log(children());`);
  const [output, code] = await Promise.all([
    text(host.stdout),
    once(host, 'exit').then(([exitCode]) => exitCode as number),
  ]);
  assert.equal(code, 0);
  assert.match(output, /^\d+:\d+/);
  await gone(output);
});

test.skipIf(!linux)(
  'the processes of a host that is killed end too, a computing one at its processor limit',
  async () => {
    const host = startHost(`
    void sandbox.run({ ...request, code: 'await call("started", ""); for (;;);', bridge: async () => {
      console.log(children());
      return '';
    } });`);
    const [line] = (await once(host.stdout, 'data')) as [Buffer];
    host.kill('SIGKILL');
    await gone(line.toString());
  },
);

/** Starts a host process with a sandbox; `body` runs in it. */
function startHost(body: string): ChildProcessByStdio<null, Readable, null> {
  const source = `
    import { readFileSync } from 'node:fs';
    import { childProcessIds } from '@ravi/testkit';
    import { createIsolatedVmSandbox } from '${new URL('../src/index.ts', import.meta.url)}';
    const sandbox = createIsolatedVmSandbox();
    const request = {
      language: 'javascript', prelude: 'return { call: host.call }', principal: 'alice', bridge: async () => '', onConsole() {},
      limits: { wallTimeMs: 60000, cpuTimeMs: 300, memoryBytes: 67108864, maxConsoleBytes: 1, maxResultBytes: 100, maxCalls: 5, maxInFlight: 1 },
    };
    const children = () =>
      childProcessIds().map((pid) => pid + ':' + readFileSync('/proc/' + pid + '/stat', 'latin1').split(' ')[21]).join();
    ${body}`;
  return spawn(process.execPath, ['--input-type=module', '-e', source], {
    cwd: new URL('.', import.meta.url),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** `children` are process ids followed by the start time, because ids are reused. */
async function gone(children: string): Promise<void> {
  const isAlive = (child: string): boolean => {
    const [pid, startedAt] = child.split(':');
    try {
      return readFileSync(`/proc/${pid}/stat`, 'latin1').split(' ')[21] === startedAt;
    } catch {
      return false;
    }
  };
  const left = children.trim().split(',');
  while (left.some(isAlive)) await setImmediate();
}

async function killChildren(): Promise<void> {
  const doomed = new Set(childProcessIds());
  for (const pid of doomed) process.kill(pid, 'SIGKILL');
  while (childProcessIds().some((pid) => doomed.has(pid))) await setImmediate();
  // Their sockets were closed before the sandbox waited for them: it knows one turn of the event loop later.
  for (let turns = 0; turns < 3; turns++) await setImmediate();
}
