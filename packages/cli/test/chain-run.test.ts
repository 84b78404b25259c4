import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { createFolder } from './support/folder.ts';
import { createRavi } from './support/ravi.ts';
import type { Ended } from './support/ravi.ts';
import { runCaptured } from './support/server.ts';

test('runs a script from a file and prints what it returns, the rest on standard error', async () => {
  await using ravi = await createRavi({
    'sum.ts': 'console.log("adding");\nconst sum: number = await tools.add({ a: 2, b: 3 });\nreturn { sum };',
  });
  const { code, output, errors } = await ravi.run(['chain', 'run', 'sum.ts']);
  assert.equal(code, 0, errors);
  assert.equal(output, '{"sum":5}\n');
  assert.match(errors, /console\.log: adding/);
  assert.match(errors, /add: ok in [\d.]+ ms/);
  assert.match(errors, /warning: tools declare no risk, tools: wait/);
});

test('runs a script from standard input and prints the whole result as JSON', async () => {
  await using ravi = await createRavi();
  const { code, output } = await ravi.run(['chain', 'run', '-', '--json'], {
    input: 'return tools.add({ a: 1, b: 1 })',
  });
  const result = JSON.parse(output) as { status: string; value: number; callTrace: unknown[] };
  assert.equal(code, 0);
  assert.equal(result.status, 'ok');
  assert.equal(result.value, 2);
  assert.equal(result.callTrace.length, 1);
});

test('ends with 1 and the report when the script fails', async () => {
  await using own = await createFolder({
    'broken.ts': 'await tools.add({ a: 1, b: 2 });\nconst name = "a" + "d";\nawait tools[name]({});',
  });
  const { code, output, errors } = await runCaptured(['chain', 'run', 'broken.ts'], { cwd: own.folder, env: {} });
  assert.equal(code, 1);
  assert.equal(output, '');
  assert.match(errors, /At line 3, column 1:/);
  assert.match(errors, /Did you mean tools\.add\(args\)\?/);
  assert.match(errors, /1\. add\(\{"a":1,"b":2\}\) → ok/);
});

test('a script with a provable mistake does not start', async () => {
  await using own = await createFolder({ 'wrong.ts': 'await tools.launch({});\nawait tools.ad({});' });
  const { code, errors } = await runCaptured(['chain', 'run', 'wrong.ts', '--approve', 'auto'], {
    cwd: own.folder,
    env: {},
  });
  assert.equal(code, 1);
  assert.match(errors, /At line 2, column 13:/);
  assert.match(errors, /No tool was called/);
});

test('a high tool runs with --approve auto, which warns, and with nothing else', async () => {
  await using own = await createFolder({ 'launch.ts': 'return await tools.launch()' });
  const run = (...mode: string[]): Promise<Ended> =>
    runCaptured(['chain', 'run', 'launch.ts', ...mode], { cwd: own.folder, env: {} });
  const launches = join(own.folder, 'launches.txt');
  for (const mode of [[], ['--approve', 'deny'], ['--approve', 'cli']]) {
    const { code, errors } = await run(...mode);
    assert.equal(code, 3, errors);
    assert.match(errors, /launch/);
    assert.equal(existsSync(launches), false, mode.join(' '));
  }
  const approved = await run('--approve', 'auto');
  assert.equal(approved.code, 0, approved.errors);
  assert.match(approved.errors, /warning: --approve auto approves every call/);
  assert.equal(existsSync(launches), true);
});

test('ends with 130 when it is interrupted, the running call cancelled', async () => {
  await using ravi = await createRavi();
  const { code, output } = await ravi.run(['chain', 'run', '-', '--json'], {
    input: 'return await tools.wait()',
    signalAt: { text: 'waiting', signal: 'SIGINT' },
  });
  assert.equal(code, 130);
  const result = JSON.parse(output) as { status: string; callTrace: { status: string }[] };
  assert.equal(result.status, 'cancelled');
  assert.deepEqual(
    result.callTrace.map(({ status }) => status),
    ['cancelled'],
  );
});
