import assert from 'node:assert/strict';
import type { Skill } from '@ravi/kernel';
import { test } from 'vitest';
import type { SessionOptions } from '../../src/index.ts';
import { createHarness } from '../support/harness.ts';
import { recordingTool } from '../support/tools.ts';

function skill(name: string, allowedTools?: readonly string[]): Skill {
  const base = { name, instructions: '', description: '', version: '1.0.0' };
  return allowedTools === undefined ? base : { ...base, allowedTools };
}

async function allowedOf(session: SessionOptions): Promise<readonly string[]> {
  const names = ['a', 'b', 'c'];
  const harness = createHarness(
    names.map((name) => recordingTool(name)),
    { session },
  );
  const results = await Promise.all(names.map((name) => harness.call(name)));
  return names.filter((_, index) => results[index]?.status === 'ok');
}

test('without any list every tool may be called', async () => {
  assert.deepEqual(await allowedOf({}), ['a', 'b', 'c']);
});

test('lists of agent and skills can only narrow: what counts is their intersection', async () => {
  assert.deepEqual(await allowedOf({ allowedTools: ['a', 'b'] }), ['a', 'b']);
  assert.deepEqual(await allowedOf({ allowedTools: ['a', 'b'], skills: [skill('one', ['b', 'c'])] }), ['b']);
  assert.deepEqual(await allowedOf({ skills: [skill('one', ['a', 'b']), skill('two', ['b', 'c'])] }), ['b']);
  assert.deepEqual(await allowedOf({ allowedTools: ['a'], skills: [skill('one', ['b'])] }), []);
});

test('a skill without a list narrows nothing, and an empty list allows nothing', async () => {
  assert.deepEqual(await allowedOf({ skills: [skill('one')] }), ['a', 'b', 'c']);
  assert.deepEqual(await allowedOf({ allowedTools: [] }), []);
});

test('changing a list after the session was opened has no effect', async () => {
  const allowedTools = ['a'];
  const harness = createHarness([recordingTool('a'), recordingTool('b')], { session: { allowedTools } });
  allowedTools.push('b');
  assert.equal((await harness.call('b')).error?.code, 'E_TOOL_NOT_ALLOWED');
});

test('allowedCallers of a tool restricts its callers', async () => {
  const harness = createHarness([
    recordingTool('for_scripts', { allowedCallers: ['chain'] }),
    recordingTool('for_models', { allowedCallers: ['direct'] }),
    recordingTool('for_nobody', { allowedCallers: [] }),
  ]);
  const codeOf = async (name: string, caller: 'direct' | 'chain') =>
    (await harness.call(name, {}, { caller })).error?.code;
  assert.equal(await codeOf('for_scripts', 'chain'), undefined);
  assert.equal(await codeOf('for_scripts', 'direct'), 'E_TOOL_NOT_ALLOWED');
  assert.equal(await codeOf('for_models', 'direct'), undefined);
  assert.equal(await codeOf('for_models', 'chain'), 'E_TOOL_NOT_ALLOWED');
  assert.equal(await codeOf('for_nobody', 'direct'), 'E_TOOL_NOT_ALLOWED');
});

test('with tools switched off every call is denied', async () => {
  const tool = recordingTool('a');
  const harness = createHarness([tool], { session: { toolsEnabled: false } });
  const result = await harness.call('a');
  assert.equal(result.status, 'denied');
  assert.equal(result.error?.code, 'E_TOOLS_DISABLED');
  assert.deepEqual(tool.calls, []);
});

test('a refusal has status denied and its own hook', async () => {
  const harness = createHarness([recordingTool('a')], { session: { allowedTools: [] } });
  const result = await harness.call('a');
  assert.equal(result.status, 'denied');
  assert.equal(result.text, 'The tool a is not allowed in this session');
  assert.deepEqual(
    harness.recorded.of('tool-denied').map(({ tool, code }) => [tool, code]),
    [['a', 'E_TOOL_NOT_ALLOWED']],
  );
});
