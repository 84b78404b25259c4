import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ApprovalDecisionInput } from '@ravi/kernel';
import { test } from 'vitest';

const program = fileURLToPath(new URL('ask-on-terminal.ts', import.meta.url));
const hasScript = spawnSync('script', ['--version']).stdout?.includes('util-linux') === true;
const onTerminal = hasScript ? test : test.skip;
const reason = hasScript ? '' : ' (skipped: script(1) of util-linux is not installed)';

/** Runs the program on a pseudo terminal and types when the question has been shown. */
async function answer(keys: string): Promise<ApprovalDecisionInput> {
  const child = spawn('script', ['-qec', `'${process.execPath}' '${program}'`, '/dev/null'], { stdio: 'pipe' });
  let shown = '';
  let typed = false;
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    if (typed || !shown.includes('Allow this call? ')) return;
    typed = true;
    child.stdin.write(keys);
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.on('error', reject).on('close', () => resolve());
  await promise;
  const line = /RESULT (\{.*\})/.exec(shown)?.[1];
  assert.ok(line !== undefined, `the program printed no result:\n${shown}`);
  return JSON.parse(line) as ApprovalDecisionInput;
}

onTerminal(`on a pseudo terminal a person approves, and the program ends on its own${reason}`, async () => {
  assert.equal((await answer('y\r')).decision, 'approved');
});

onTerminal(`on a pseudo terminal Ctrl-C at the question denies and does not kill the program${reason}`, async () => {
  assert.equal((await answer('\u0003')).reason, 'The prompt was closed without a decision');
});

test('a program with no terminal gets a denial from the real streams', () => {
  const { stdout } = spawnSync(process.execPath, [program], { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
  assert.match(stdout, /"denied","reason":"No approver can be asked/);
});
