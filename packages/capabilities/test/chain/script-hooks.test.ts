import assert from 'node:assert/strict';
import { HookManager } from '@ravi/invoker';
import { KernelError } from '@ravi/kernel';
import type { Sandbox } from '@ravi/kernel';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { createRecordingHooks } from '@ravi/testkit';
import { test } from 'vitest';
import { createHarness, freeTool } from './harness.ts';

test('observers are notified of the start and the end of a script, also when its sandbox fails', async () => {
  const hooks = new HookManager();
  const recorded = createRecordingHooks();
  recorded.attach(hooks);
  await using whole = createIsolatedVmSandbox();
  const sandbox: Sandbox = {
    ...whole,
    run: () => Promise.reject(new KernelError('E_SANDBOX_UNAVAILABLE', 'No sandbox today')),
  };
  const { run } = createHarness(sandbox, [freeTool('look', () => 1)], { hooks });
  await assert.rejects(run('return 1'), /No sandbox today/);
  const events = recorded.types.filter((type) => type.startsWith('chain-'));
  assert.deepEqual(events, ['chain-start', 'chain-end']);
  const [started] = recorded.of('chain-start');
  const [ended] = recorded.of('chain-end');
  assert.equal(started?.language, 'javascript');
  assert.equal(started.sessionId, 'session');
  assert.equal(ended?.status, 'error');
  assert.equal(ended.errorCode, 'E_SANDBOX_UNAVAILABLE');
  assert.equal(ended.runId, started.runId);
});
