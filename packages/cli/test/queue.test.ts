import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from '@ravi/client';
import { test } from 'vitest';
import { createFolder } from './support/folder.ts';
import { runCaptured, startServer } from './support/server.ts';

const files = {
  'ravi.config.json': JSON.stringify({ tools: ['./tools'], runs: { slots: { agents: 3, scripts: 1 } } }),
  'tools/hold.mjs': `export default {
    name: 'hold', description: 'Works until its call is cancelled.', risk: 'safe', inputSchema: { type: 'object' },
    execute: (_args, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  };`,
};

test('queue shows the runs that wait, by principal, and those that the server executes', async () => {
  await using server = await startServer(files);
  const { runs, queue } = createClient({ baseUrl: server.url });
  assert.equal(
    (await server.ravi(['queue'])).output,
    `engine    engine-memory, of this server alone
waiting   0
later     0
taken     0
given up  0
agents    0 executing here, 3 slots
scripts   0 executing here, 1 slot
`,
  );
  // One begins at once, one is taken from the engine, and two wait.
  for (let count = 0; count < 4; count += 1) await runs.start({ kind: 'chain', code: 'await tools.hold({})' });
  while ((await queue.get()).server.executing.scripts < 2) await pause(20);
  const { code, output, errors } = await server.ravi(['queue']);
  assert.deepEqual([code, errors], [0, '']);
  const lines = output.split('\n');
  assert.match(lines[1] ?? '', /^waiting {3}2, the oldest for \d+\.\d s$/);
  assert.deepEqual(lines.slice(2), [
    'later     0',
    'taken     1',
    'given up  0',
    'agents    0 executing here, 3 slots',
    'scripts   2 executing here, 1 slot',
    '',
    'principals',
    '  local  2 waiting  1 taken',
    '',
  ]);
  const json = JSON.parse((await server.ravi(['queue', '--json'])).output);
  assert.deepEqual([json.engine, json.isShared, json.runs.ready], ['engine-memory', false, 2]);
  assert.deepEqual(json.principals, [{ principal: 'local', ready: 2, taken: 1 }]);
});

test('without a server, an engine in memory has no queue to show', async () => {
  await using own = await createFolder();
  const { code, output, errors } = await runCaptured(['queue'], { cwd: own.folder, env: {} });
  assert.deepEqual([code, output], [2, '']);
  assert.match(errors, /a queue of its own with the run engine engine-memory: name one with --server <url>/);
});
