import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'vitest';
import { commands } from '../src/commands.ts';
import { runCaptured } from './support/server.ts';

const where = { cwd: import.meta.dirname, env: {} };

/** What bash offers for a command line that ends in the middle of its last word. */
async function offered(line: string): Promise<readonly string[]> {
  const { output } = await runCaptured(['completion', 'bash'], where);
  const words = line.split(' ');
  const program = `${output}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${words.length - 1}
_ravi
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-uec', program], { encoding: 'utf8' });
  assert.equal(stderr, '');
  return stdout.split('\n').filter(Boolean);
}

test('bash completes commands, options and their values', async () => {
  const names = new Set(commands.map(({ path }) => path.split(' ')[0]));
  assert.deepEqual(new Set(await offered('ravi ')), names);
  assert.deepEqual(await offered('ravi app'), ['approvals']);
  assert.deepEqual(await offered('ravi approvals '), ['ls', 'show', 'approve', 'deny']);
  assert.deepEqual(await offered('ravi runs ls --st'), ['--status']);
  assert.deepEqual(await offered('ravi runs ls --json --status '), [
    'running',
    'paused',
    'completed',
    'failed',
    'cancelled',
  ]);
  assert.deepEqual(await offered('ravi --nonsense chain run x.ts --app'), ['--approve']);
  assert.deepEqual(await offered('ravi completion z'), ['zsh']);
});

for (const shell of ['bash', 'zsh', 'fish']) {
  test(`the script for ${shell} names every command, and the shell can read it`, async (context) => {
    const { code, output } = await runCaptured(['completion', shell], where);
    assert.equal(code, 0);
    for (const word of new Set(commands.flatMap(({ path }) => path.split(' ')))) {
      assert.ok(output.includes(word), `${shell}: ${word}`);
    }
    const { status, stderr, error } = spawnSync(shell, ['-n'], { input: output, encoding: 'utf8' });
    if (error !== undefined) return context.skip(`${shell} is not on this machine`);
    assert.equal(status, 0, stderr);
  });
}
