import assert from 'node:assert/strict';
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
    const keepsAlive = setInterval(() => {}, 1_000);
    systemClock.setTimer(() => {
      fired.push('kept');
      clearInterval(keepsAlive);
      resolve();
    }, 1);
  });
  await done;
  assert.deepEqual(fired, ['kept']);
  assert.ok(systemClock.monotonic() > before);
  assert.ok(Math.abs(systemClock.now() - Date.now()) < 60_000);
});

test('the silent logger takes everything and says nothing', () => {
  for (const level of ['debug', 'info', 'warn', 'error'] as const)
    assert.equal(silentLogger[level]('x', { a: 1 }), undefined);
});

test('definePlugin only types', () => {
  const plugin = { name: 'x', port: 'blobStore' as const, configSchema: {}, create: () => ({}) as never };
  assert.equal(definePlugin(plugin), plugin);
});
