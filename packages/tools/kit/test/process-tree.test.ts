import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { spawnTree } from '../src/index.ts';

const env = { PATH: process.env['PATH'] ?? '' };

/** True for a process that runs; not for one that has ended and was not collected yet. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Starts a script and returns the numbers that it writes in its first line. */
async function start(script: string) {
  const tree = spawnTree('sh', ['-c', script], { cwd: '/', env });
  const [chunk] = (await once(tree.child.stdout, 'data')) as [Buffer];
  return { tree, pids: [tree.child.pid ?? 0, ...chunk.toString().trim().split(' ').map(Number)] };
}

test('a program ends with what it has started, also if it ignores the request to end', async () => {
  for (const trap of ['', "trap '' TERM;"]) {
    const { tree, pids } = await start(`${trap} sleep 600 & echo $!; wait; sleep 600`);
    expect(pids.map(isRunning)).toEqual([true, true]);
    expect(await tree.end(50)).toBe(true);
    expect(pids.map(isRunning)).toEqual([false, false]);
    expect(tree.child.signalCode).toBe(trap === '' ? 'SIGTERM' : 'SIGKILL');
  }
});

test.skipIf(process.platform !== 'linux').each([
  ['in a session of its own', 'setsid sh -c "echo \\$\\$; exec sleep 600" & sleep 600'],
  ['whose parent has ended', '(setsid sh -c "echo \\$\\$; exec sleep 600" &); sleep 600'],
  ['without its environment', 'env -i setsid sh -c "echo \\$\\$; exec sleep 600" & sleep 600'],
  ['that ignores signals', 'setsid sh -c "trap \'\' TERM HUP; echo \\$\\$; sleep 600; sleep 600" & sleep 600'],
  ['that starts others', 'setsid sh -c "echo \\$\\$; while true; do sleep 600 & sleep 0.01; done" & sleep 600'],
])('a process %s ends with the program (only Linux lists processes by parent and session)', async (_, script) => {
  const { tree, pids } = await start(script);
  expect(pids.map(isRunning)).toEqual([true, true]);
  const ending = tree.end();
  expect(tree.end()).toBe(ending);
  expect(await ending).toBe(true);
  expect(pids.map(isRunning)).toEqual([false, false]);
});

test.skipIf(process.platform !== 'linux')(
  'what a program has left running ends after it (only Linux finds it)',
  async () => {
    const { tree, pids } = await start('setsid sh -c "echo \\$\\$; exec sleep 600" & wait $!; echo');
    const [, helper = 0] = pids;
    process.kill(pids[0] ?? 0, 'SIGKILL');
    await once(tree.child, 'exit');
    expect(isRunning(helper)).toBe(true);
    expect(await tree.end()).toBe(true);
    expect(isRunning(helper)).toBe(false);
  },
);

test('a program that has ended is left alone, and sees only the given environment and its mark', async () => {
  const script = 'echo "$RAVI_WORD $HOME"; env';
  const tree = spawnTree('sh', ['-c', script], { cwd: '/', env: { ...env, RAVI_WORD: 'given' } });
  let output = '';
  tree.child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await once(tree.child, 'close');
  const [words, ...variables] = output.trimEnd().split('\n');
  const ofShell = ['OLDPWD', 'PWD', 'SHLVL', '_'];
  const names = variables.map((line) => line.split('=')[0] ?? '').filter((name) => !ofShell.includes(name));
  expect([words, names.toSorted()]).toEqual(['given ', ['PATH', 'RAVI_PROCESS', 'RAVI_WORD']]);
  expect(await tree.end()).toBe(true);
  const missing = spawnTree('ravi-has-no-such-program', [], { cwd: '/', env });
  await once(missing.child, 'error');
  expect(await missing.end()).toBe(true);
});

test('the end of one program leaves another alone', async () => {
  const [first, second] = await Promise.all([start('echo $$; sleep 600'), start('echo $$; sleep 600')]);
  await first.tree.end();
  expect([first.pids.some(isRunning), second.pids.every(isRunning)]).toEqual([false, true]);
  await second.tree.end();
  while (second.pids.some(isRunning)) await setImmediate();
});
