import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'vitest';
import { createProcessId, hasEnded } from '../src/runs/process-id.ts';

const module = join(import.meta.dirname, '../src/runs/process-id.ts');
const onLinux = test.skipIf(process.platform !== 'linux');

/** A process that prints its owner and then does nothing. */
async function startOwner() {
  const script = `const { createProcessId } = await import(${JSON.stringify(module)});
    console.log(createProcessId()); setInterval(() => {}, 1e6);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, owner: line.toString('utf8').trim() };
}

onLinux('an owner is dead once its process has ended, and not while it runs or is stopped', async () => {
  const { child, owner } = await startOwner();
  assert.equal(hasEnded(owner), false);
  child.kill('SIGSTOP');
  assert.equal(hasEnded(owner), false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(hasEnded(owner), true);
});

onLinux('an owner is dead if another process has its process id by now', () => {
  const [name, boot, namespace, pid, startTime, unique] = createProcessId().split('_');
  assert.equal(hasEnded([name, boot, namespace, pid, startTime, unique].join('_')), false);
  assert.equal(hasEnded([name, boot, namespace, pid, Number(startTime) - 1, unique].join('_')), true);
});

onLinux('an owner of another machine, start of the machine or container is never called dead', async () => {
  const { child, owner } = await startOwner();
  child.kill('SIGKILL');
  await once(child, 'exit');
  const [name, boot, namespace, ...rest] = owner.split('_');
  const others = [
    [name, boot?.replace(/^./, (digit) => (digit === '0' ? '1' : '0')), namespace, ...rest],
    [name, boot, '1', ...rest],
    [name, crypto.randomUUID()],
    ['giving', 'up', crypto.randomUUID()],
    [owner.replaceAll('_', '-')],
    [''],
  ];
  for (const other of others) assert.equal(hasEnded(other.join('_')), false, other.join('_'));
  assert.equal(hasEnded(owner), true);
});

test('each owner is another and fits into an id', () => {
  const [one, two] = [createProcessId(), createProcessId()];
  assert.notEqual(one, two);
  assert.ok(one.length <= 200);
});
