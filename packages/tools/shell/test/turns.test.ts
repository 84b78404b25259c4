import { expect, test } from 'vitest';
import { createShellWorkspace } from './shell-workspace.ts';

const untilStopped = 'touch started; until [ -e stop ]; do sleep 0.05; done';
const untilStarted = 'until [ -e started ]; do sleep 0.05; done';

test('a command whose time limit passes while it waits does not begin, and the error says what it waited for', async () => {
  using workspace = createShellWorkspace();
  const first = workspace.value('bash', { command: untilStopped });
  await workspace.value('bash_background', { command: untilStarted });
  const { result } = await workspace.run('bash', { command: 'touch never', timeoutMs: 50 });
  expect(result.error).toMatchObject({ code: 'E_WORK_BUSY', retryable: true });
  expect(result.text).toMatch(/waited 50 ms, its whole time limit, for another command of bash in this workspace/u);
  await workspace.value('bash_background', { command: 'touch stop' });
  expect(await first).toMatchObject({ exitCode: 0 });
  // The turn of the call that gave up does not block those after it, and does not run its command.
  expect(await workspace.value('bash', { command: 'ls' })).toMatchObject({ output: 'started\nstop\n' });
});

test('the wait of a command counts towards its time limit, and the text says so', async () => {
  using workspace = createShellWorkspace();
  const first = workspace.value('bash', { command: untilStopped });
  await workspace.value('bash_background', { command: untilStarted });
  const second = workspace.run('bash', { command: 'touch began; sleep 100', timeoutMs: 4_000 });
  await workspace.value('bash_background', { command: 'sleep 0.2; touch stop' });
  await first;
  const { result } = await second;
  expect(result.structured).toMatchObject({ exitCode: null, timedOut: true });
  expect(result.text).toMatch(/^Ended after 4000 ms \(\d+ ms of them the call waited for another command of bash\)/u);
  expect(await workspace.value('bash', { command: 'ls' })).toMatchObject({ output: 'began\nstarted\nstop\n' });
});

test('a cancelled call leaves its place, and its command never runs', async () => {
  using workspace = createShellWorkspace();
  const first = workspace.value('bash', { command: untilStopped });
  await workspace.value('bash_background', { command: untilStarted });
  const controller = new AbortController();
  const second = workspace.run('bash', { command: 'touch never' }, controller.signal);
  controller.abort();
  await expect(second).rejects.toMatchObject({ code: 'E_CANCELLED' });
  await workspace.value('bash_background', { command: 'touch stop' });
  await first;
  expect(await workspace.value('bash', { command: 'ls' })).toMatchObject({ output: 'started\nstop\n' });
});

test('runs of tests wait for each other and not for commands', async () => {
  using workspace = createShellWorkspace();
  workspace.write({
    'package.json': '{"type":"module","scripts":{"test":"node --test"}}',
    'a.test.js': `import { existsSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
writeFileSync('started', '');
test('waits', async () => { while (!existsSync('stop')) await setTimeout(20); });`,
  });
  const first = workspace.value('test_runner', {});
  await workspace.value('bash', { command: untilStarted });
  const { result } = await workspace.run('test_runner', { timeoutMs: 50 });
  expect(result.error?.code).toBe('E_WORK_BUSY');
  expect(result.text).toMatch(/for another command of test_runner/u);
  await workspace.value('bash', { command: 'touch stop' });
  expect(await first).toMatchObject({ passed: 1 });
});
