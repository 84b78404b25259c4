import assert from 'node:assert/strict';
import { createFakeClock, createScriptedModel, pairingProblems } from '@ravi/testkit';
import { test } from 'vitest';
import { createWorld, deadAfterMs, start, where } from '../support/recovery-world.ts';

test('a recovered run continues its budget: its own calls and tokens count, including calls without an outcome', async () => {
  const world = createWorld();
  const usage = { inputTokens: 30, outputTokens: 4 };
  const first = createScriptedModel([
    { toolCalls: [{ name: 'look' }, { name: 'look' }], usage },
    { toolCalls: [{ name: 'hang' }], usage },
  ]);
  void world.process(first).run('go', { ...where, budget: { maxToolCalls: 4, maxTokens: 100_000 } });
  while (world.office.done.length < 3) await new Promise(setImmediate);
  const second = createScriptedModel([{ toolCalls: [{ name: 'look' }] }, { toolCalls: [{ name: 'look' }] }]);
  const result = await world.process(second).recover(world.row(), world.recovery).result;
  assert.deepEqual([result.status, result.reason], ['stopped', 'budget']);
  assert.match(result.error?.message ?? '', /budget of 4 tool calls/);
  assert.deepEqual(world.office.done, ['look', 'look', 'hang', 'look']);
  assert.deepEqual(pairingProblems(result.messages), []);
});

test('the tokens of a recovered run count once', async () => {
  const world = createWorld();
  const usage = { inputTokens: 40_000, outputTokens: 0 };
  const budget = { maxTokens: 100_000 };
  const first = createScriptedModel([
    { toolCalls: [{ name: 'look' }], usage },
    { toolCalls: [{ name: 'hang' }], usage },
  ]);
  void world.process(first).run('go', { ...where, budget });
  while (world.office.done.length < 2) await new Promise(setImmediate);
  const second = createScriptedModel([{ toolCalls: [{ name: 'look' }], usage }, { text: 'done' }]);
  const result = await world.process(second).recover(world.row(), world.recovery).result;
  assert.deepEqual([result.status, result.reason], ['stopped', 'budget']);
  assert.match(result.error?.message ?? '', /: 120000 are used or reserved/);
});

test('maxTimeMs continues after recovery, without the time between the processes', async () => {
  const world = createWorld();
  const budget = { maxTimeMs: 1_000 };
  const clock = createFakeClock(start);
  const first = createScriptedModel([
    () => {
      clock.advance(700);
      return { toolCalls: [{ name: 'hang' }] };
    },
  ]);
  void world.process(first, { clock, budget }).run('go', where);
  while (world.office.done.length === 0) await new Promise(setImmediate);
  const later = createFakeClock(start + 100 * deadAfterMs);
  const second = createScriptedModel([{ toolCalls: [{ name: 'hang' }] }]);
  const recovering = world.process(second, { clock: later, budget }).recover(world.row(), world.recovery).result;
  while (world.office.done.length < 2) await new Promise(setImmediate);
  later.advance(299);
  await new Promise(setImmediate);
  assert.equal(world.row().status, 'running');
  later.advance(1);
  const result = await recovering;
  assert.deepEqual([result.status, result.reason, result.error?.code], ['stopped', 'budget', 'E_BUDGET_EXHAUSTED']);
});
