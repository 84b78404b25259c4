import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { childProcessIds, pluginContract, sandboxContract } from '@ravi/testkit';
import { test } from 'vitest';
import plugin, { createIsolatedVmSandbox } from '../src/index.ts';

const linux = process.platform === 'linux';

sandboxContract(test, () => createIsolatedVmSandbox(), {
  supports: {
    languages: ['javascript'],
    isolation: 'process',
    limits: ['wall', 'cpu', 'memory', 'console', 'result', 'calls', 'in-flight'],
    detectsDeadlock: true,
  },
  ...(linux ? { crash: killChildren } : {}),
});
pluginContract(test, plugin, { poolSize: 0 });

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

test.skipIf(!linux)('closing leaves no process behind', async () => {
  const before = new Set(childProcessIds());
  const sandbox = createIsolatedVmSandbox({ poolSize: 2 });
  assert.equal(childProcessIds().filter((id) => !before.has(id)).length, 2);
  await sandbox[Symbol.asyncDispose]();
  assert.deepEqual(
    childProcessIds().filter((id) => !before.has(id)),
    [],
  );
});

async function killChildren(): Promise<void> {
  const doomed = new Set(childProcessIds());
  for (const pid of doomed) process.kill(pid, 'SIGKILL');
  while (childProcessIds().some((pid) => doomed.has(pid))) await setImmediate();
  // Their sockets were closed before they could be waited for: a turn of the event loop later the sandbox knows.
  for (let turns = 0; turns < 3; turns++) await setImmediate();
}
