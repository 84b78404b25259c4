import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'vitest';
import { compareRisk, definePlugin, isToolRisk, silentLogger, systemClock, textBlock, textOf } from '../src/index.ts';
import type { ContentBlock } from '../src/index.ts';

test('risks have an order, and other values are not risks', () => {
  assert.ok(compareRisk('safe', 'high') < 0);
  assert.ok(compareRisk('critical', 'high') > 0);
  assert.equal(compareRisk('high', 'high'), 0);
  for (const risk of ['safe', 'high', 'critical']) assert.equal(isToolRisk(risk), true);
  for (const value of ['low', 'SAFE', 'toString', '', 0, null, undefined, ['safe']])
    assert.equal(isToolRisk(value), false);
});

test('the text of blocks is what can be read: texts, messages and data, in their order', () => {
  const blocks: readonly ContentBlock[] = [
    textBlock('one'),
    { type: 'image', mediaType: 'image/png', source: { kind: 'url', url: 'https://example.com' } },
    { type: 'data', data: { a: [1] } },
    { type: 'error', message: 'no' },
    { type: 'unknown', raw: 'x' },
  ];
  assert.equal(textOf(blocks), 'one\n{"a":[1]}\nno');
  assert.equal(textOf([]), '');
});

test('the clock of the platform: time passes, timers fire once, cancelled ones never', async () => {
  const before = systemClock.monotonic();
  const fired: string[] = [];
  const done = new Promise<void>((resolve) => {
    const cancelled = systemClock.setTimer(() => void fired.push('cancelled'), 0);
    cancelled.cancel();
    cancelled.cancel();
    systemClock.setTimer(() => {
      fired.push('kept');
      resolve();
    }, 1);
  });
  await done;
  assert.deepEqual(fired, ['kept']);
  assert.ok(systemClock.monotonic() > before);
  assert.ok(Math.abs(systemClock.now() - Date.now()) < 60_000);
});

const runsToItsEnd = (program: string): { readonly status: number | null; readonly stdout: string } => {
  const source = `import { systemClock } from ${JSON.stringify(import.meta.resolve('../src/index.ts'))};\n${program}`;
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module'], { input: source, encoding: 'utf8' });
  return { status, stdout };
};

test('a process ends only after the timers that a caller waits for', () => {
  const waits = "await new Promise((resolve) => systemClock.setTimer(resolve, 50)); console.log('waited');";
  assert.deepEqual(runsToItsEnd(waits), { status: 0, stdout: 'waited\n' });
  const background = "systemClock.setTimer(() => console.log('swept'), 60_000, { isBackground: true });";
  assert.deepEqual(runsToItsEnd(background), { status: 0, stdout: '' });
});

test('a timer keeps the process alive from the moment a caller waits for it until the caller stops', () => {
  const awaited = `
    const timer = systemClock.setTimer(() => console.log('fired'), 50, { isBackground: true });
    timer.setBackground(false);`;
  assert.deepEqual(runsToItsEnd(awaited), { status: 0, stdout: 'fired\n' });
  const left = "systemClock.setTimer(() => console.log('fired'), 60_000).setBackground(true);";
  assert.deepEqual(runsToItsEnd(left), { status: 0, stdout: '' });
});

test('a delay beyond the limit of the platform does not fire early', () => {
  const program = `
    for (const delayMs of [2 ** 31, 2 ** 40, Infinity]) systemClock.setTimer(() => console.log('early'), delayMs);
    await new Promise((resolve) => systemClock.setTimer(resolve, 50));
    process.exit();`;
  assert.deepEqual(runsToItsEnd(program), { status: 0, stdout: '' });
});

test('the silent logger takes everything and says nothing', () => {
  for (const level of ['debug', 'info', 'warn', 'error'] as const)
    assert.equal(silentLogger[level]('x', { a: 1 }), undefined);
});

test('definePlugin only types', () => {
  const plugin = { name: 'x', port: 'blobStore' as const, configSchema: {}, create: () => ({}) as never };
  assert.equal(definePlugin(plugin), plugin);
});
