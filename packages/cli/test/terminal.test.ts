import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { tokens } from '@ravi/monolith';
import { childEnvironment } from '@ravi/testkit';
import { test } from 'vitest';
import { exitCode } from '../src/exit-code.ts';
import { askingSubAgent } from './support/asking-sub-agent.ts';
import { createFolder } from './support/folder.ts';
import { createRavi } from './support/ravi.ts';
import type { Ended } from './support/ravi.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const entry = join(import.meta.dirname, '../src/main.ts');
const hasScript = spawnSync('script', ['--version']).stdout?.includes('util-linux') === true;

/** Runs a command line at a terminal of its own; each answer is typed when its question is there. */
async function atTerminal(
  cwd: string,
  args: readonly string[],
  typed: readonly (readonly [question: string, answer: string])[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly shown: string }> {
  const command = [process.execPath, entry, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd,
    env: { ...childEnvironment(), TERM: 'xterm', ...env },
    stdio: 'pipe',
  });
  const waiting = [...typed];
  let shown = '';
  let from = 0;
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    shown += chunk;
    const [question, answer] = waiting[0] ?? [];
    const at = question === undefined ? -1 : shown.indexOf(question, from);
    if (at < 0) return;
    waiting.shift();
    from = at + 1;
    child.stdin.write(answer);
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  assert.equal(waiting.length, 0, shown);
  return { code, shown };
}

test.skipIf(!hasScript)('a risky call is asked for at the terminal, and runs after a yes', async () => {
  await using own = await createFolder({ 'launch.ts': 'return await tools.launch();' });
  const { code, shown } = await atTerminal(own.folder, ['chain', 'run', 'launch.ts'], [['Allow this call?', 'y\r']]);
  assert.equal(code, 0, shown);
  assert.match(shown, /risk +high/);
  assert.match(shown, /launched\r\n/);
  assert.equal(existsSync(join(own.folder, 'launches.txt')), true);
});

/** Starts a script that needs approval, and returns the id of the approval that it waits for. */
async function startPending(
  server: TestServer,
  file: string,
): Promise<{ readonly id: string; readonly running: Promise<Ended> }> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const stop = server.monolith.container
    .resolve(tokens.hooks)
    .observe('approval-requested', ({ requestId }) => resolve(requestId));
  const running = server.ravi(['chain', 'run', file]);
  const id = await promise;
  stop();
  return { id, running };
}

/** Checks that the script paused for its approval, and that the server has run it to its end since. */
async function endsAfterApproval(server: TestServer, approvalId: string, running: Promise<Ended>): Promise<void> {
  assert.equal((await running).code, exitCode.paused);
  const [, runId = ''] = /^approval_(.+)_call_1_1$/.exec(approvalId) ?? [];
  const { runs } = server.monolith.container.resolve(tokens.stateStore) ?? assert.fail('there is no state store');
  while ((await runs.get(runId))?.outcome === undefined) await setImmediate();
  assert.equal((await runs.get(runId))?.status, 'completed');
}

test.skipIf(!hasScript)('approvals approve shows the arguments and approves only after a yes', async () => {
  await using server = await startServer({ 'launch.ts': `return await tools.launch({ target: 'the moon' });` });
  const { id, running } = await startPending(server, 'launch.ts');
  const approve = (answer: string, ...more: readonly string[]) =>
    atTerminal(
      server.folder,
      ['approvals', 'approve', id, '--server', server.url, ...more],
      [['Allow this call? (y/n)', answer]],
    );
  for (const answer of ['n\r', '\r', '\u0003', '\u0004']) {
    const { code, shown } = await approve(answer);
    assert.equal(code, 130, shown);
    assert.match(shown, /"target": "the moon"/);
  }
  const changed = await approve('maybe\r', '--args', '{"target":"mars"}');
  assert.match(changed.shown, /"the moon"[^]*with these arguments instead[^]*"mars"/);
  assert.match((await server.ravi(['approvals', 'ls'])).output, new RegExp(`^${id} .*pending`, 'm'));
  const approved = await approve('y\r');
  assert.equal(approved.code, 0, approved.shown);
  assert.match(approved.shown, /Approved: launch/);
  await endsAfterApproval(server, id, running);
});

test.skipIf(!hasScript)('approvals approve takes a whole word for a critical call', async () => {
  const tool = `export default { name: 'erase', description: 'Erases.', risk: 'critical', inputSchema: { type: 'object' },
    execute: () => ({ content: [], isError: false }) };`;
  await using server = await startServer({ 'tools/erase.mjs': tool, 'erase.ts': 'return await tools.erase({});' });
  const { id, running } = await startPending(server, 'erase.ts');
  for (const [answer, expected] of [
    ['y\r', 130],
    ['approve\r', 0],
  ] as const) {
    const command = ['approvals', 'approve', id, '--server', server.url];
    const { code, shown } = await atTerminal(server.folder, command, [['Type approve', answer]]);
    assert.equal(code, expected, shown);
  }
  await endsAfterApproval(server, id, running);
});

test.skipIf(!hasScript)(
  'a run on a server asks at the terminal of the command, tells the no, and ends at Ctrl-C',
  async () => {
    await using server = await startServer({
      'launch.ts': 'return await tools.launch();',
      'wait.ts': 'return await tools.wait();',
    });
    const { code, shown } = await atTerminal(
      server.folder,
      ['chain', 'run', 'launch.ts', '--server', server.url],
      [['Allow this call?', 'n too early\r']],
    );
    assert.equal(code, 3, shown);
    assert.match(shown, /too early/);
    assert.equal(existsSync(join(server.folder, 'launches.txt')), false);

    const interrupted = await atTerminal(
      server.folder,
      ['chain', 'run', 'wait.ts', '--server', server.url],
      [['wait …', '\u0003']],
    );
    assert.equal(interrupted.code, 130, interrupted.shown);
    const cancelled = await server.ravi(['runs', 'ls', '--status', 'cancelled', '--json']);
    assert.equal((JSON.parse(cancelled.output) as { items: unknown[] }).items.length, 1);

    const coloured = await atTerminal(server.folder, ['runs', 'ls', '--server', server.url], []);
    assert.match(coloured.shown, /\u001B\[31mfailed\u001B\[39m/);
    const plain = await atTerminal(server.folder, ['runs', 'ls', '--server', server.url], [], { NO_COLOR: '1' });
    assert.equal(plain.shown, stripVTControlCharacters(plain.shown));
  },
);

test.skipIf(!hasScript)('the question of a sub-agent is asked with its name, and the answer reaches it', async () => {
  await using own = await createFolder(askingSubAgent);
  const { code, shown } = await atTerminal(own.folder, ['run', 'Plan my trip'], [['Your answer: ', 'Left\r']]);
  assert.equal(code, 0, shown);
  assert.match(shown, /The agent helper asks:\r\nWhich way\?\r\n {2}Left\r\n {2}Right\r\nYour answer: /);
  assert.match(shown, /The result: The result: Left\r\n/);
});

test('without a terminal the question of a sub-agent is printed with its name, and answered by a later command', async () => {
  await using ravi = await createRavi(askingSubAgent);
  const paused = await ravi.run(['run', 'Plan my trip']);
  assert.equal(paused.code, exitCode.paused, paused.errors);
  assert.match(paused.errors, /The agent helper asks:\nWhich way\?\n {2}Left\n {2}Right\n/);
  const [, runId = ''] = /waits for an answer: ravi runs resume (\S+) --answer <text>/.exec(paused.errors) ?? [];
  const shown = await ravi.run(['runs', 'show', runId]);
  assert.match(
    shown.output,
    /^waits +for an answer to the agent helper, call_1\.call_1: Which way\? \(Left, Right\)$/m,
  );
  const resumed = await ravi.run(['runs', 'resume', runId, '--answer', 'Left']);
  assert.equal(resumed.code, 0, resumed.errors);
  assert.match(resumed.output, /^The result: The result: Left\n/);
});

test.skipIf(!hasScript)('init asks for folder and name', async () => {
  await using own = await createFolder();
  const { code, shown } = await atTerminal(
    own.folder,
    ['init'],
    [
      ['Folder (.): ', 'shop\r'],
      ['Name (shop): ', '\r'],
    ],
  );
  assert.equal(code, 0, shown);
  assert.equal(existsSync(join(own.folder, 'shop/tools/list_orders.ts')), true);
});
