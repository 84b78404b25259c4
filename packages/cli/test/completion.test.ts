import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'vitest';
import { commands } from '../src/commands.ts';
import { runCaptured } from './support/server.ts';

const where = { cwd: import.meta.dirname, env: {} };

type Shell = 'bash' | 'zsh' | 'fish';

const shells: readonly Shell[] = ['bash', 'zsh', 'fish'];

/** Programs that load the completion, ask it for the end of a command line and print what it offers, a word a line. */
const askers: Readonly<Record<Shell, (completion: string, line: string) => readonly string[]>> = {
  bash(completion, line) {
    const words = line.split(' ');
    const program = `${completion}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${words.length - 1}
_ravi
printf '%s\\n' "\${COMPREPLY[@]}"`;
    return ['--norc', '-uec', program];
  },
  // Outside of its line editor zsh has no compadd: this one prints what begins with the current word, as the real one does.
  zsh(completion, line) {
    const words = line.split(' ');
    const program = `compdef() { : }
compadd() { shift; for word in "$@"; [[ $word == \${words[CURRENT]}* ]] && print -r -- $word; true }
${completion}
words=(${words.map((word) => `'${word}'`).join(' ')})
CURRENT=${words.length}
_ravi`;
    return ['-fec', program];
  },
  fish: (completion, line) => ['--no-config', '-c', `${completion}\ncomplete -C '${line}' | string split -f 1 \\t`],
};

async function offered(shell: Shell, line: string): Promise<readonly string[]> {
  const { code, output } = await runCaptured(['completion', shell], where);
  assert.equal(code, 0);
  const { stdout, stderr, error } = spawnSync(shell, askers[shell](output, line), { encoding: 'utf8' });
  if (error !== undefined) throw error;
  assert.equal(stderr, '');
  return stdout.split('\n').filter(Boolean);
}

for (const shell of shells) {
  test(`${shell} completes commands, options and their values`, async (context) => {
    if (spawnSync(shell, ['--version']).error !== undefined) return context.skip(`${shell} is not on this machine`);
    const offer = async (line: string): Promise<ReadonlySet<string>> => new Set(await offered(shell, line));
    assert.deepEqual(await offer('ravi '), new Set(commands.map(({ path }) => path.split(' ')[0])));
    assert.deepEqual(await offer('ravi app'), new Set(['approvals']));
    assert.deepEqual(await offer('ravi runs ls --st'), new Set(['--status']));
    assert.deepEqual(
      await offer('ravi runs ls --json --status '),
      new Set(['running', 'paused', 'blocked', 'completed', 'failed', 'cancelled']),
    );
    assert.deepEqual(await offer('ravi completion z'), new Set(['zsh']));
    const approvals = await offer('ravi approvals ');
    for (const word of ['ls', 'show', 'approve', 'deny']) assert.ok(approvals.has(word), word);
  });
}

test('bash completes past an option that it does not know', async () => {
  assert.deepEqual(await offered('bash', 'ravi --nonsense chain run x.ts --app'), ['--approve']);
});
