import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { endGroup, spawnGroup } from '../src/index.ts';

const env = { PATH: process.env['PATH'] ?? '' };

/** True for a process that runs; not for one that has ended and was not collected yet. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

test('a program ends with what it has started, also if it ignores the request to end', async () => {
  for (const trap of ['', "trap '' TERM;"]) {
    const child = spawnGroup('sh', ['-c', `${trap} sleep 600 & echo $!; wait; sleep 600`], { cwd: '/', env });
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
    const pids = [child.pid ?? 0, Number(chunk.toString())];
    expect(pids.map(isRunning)).toEqual([true, true]);
    await endGroup(child, 50);
    // The test ends by its time limit if they stay.
    while (pids.some(isRunning)) await setImmediate();
    expect(child.signalCode).toBe(trap === '' ? 'SIGTERM' : 'SIGKILL');
  }
});

test('a program that has ended is left alone, and sees only the given environment', async () => {
  const child = spawnGroup('sh', ['-c', 'echo "$RAVI_WORD $HOME"'], { cwd: '/', env: { ...env, RAVI_WORD: 'given' } });
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  expect(chunk.toString()).toBe('given \n');
  await once(child, 'close');
  await endGroup(child);
  const missing = spawnGroup('ravi-has-no-such-program', [], { cwd: '/', env });
  await once(missing, 'error');
  await endGroup(missing);
});
