import assert from 'node:assert/strict';
import type { ToolRegistry } from '@ravi/kernel';
import { test } from 'vitest';
import { ToolInvoker } from '../../src/index.ts';
import { createHarness } from '../support/harness.ts';
import { recordingTool } from '../support/tools.ts';

function registryOf(get: (name: string) => unknown): ToolRegistry {
  return { get: get as ToolRegistry['get'], all: () => [], names: () => [], add() {} };
}

test('the refusal of an unknown tool suggests similar names', async () => {
  const harness = createHarness([recordingTool('read_file'), recordingTool('read_files'), recordingTool('send_mail')]);
  const result = await harness.call('readFile');
  assert.equal(result.status, 'error');
  assert.equal(result.error?.code, 'E_TOOL_UNKNOWN');
  assert.equal(result.text, 'There is no tool named "readFile". Did you mean read_file or read_files?');
});

test('without a similar name there is no suggestion', async () => {
  const { text } = await createHarness([recordingTool('send_mail')]).call('zzz');
  assert.equal(text, 'There is no tool named "zzz".');
});

test('a tool that the session may not call is not suggested', async () => {
  const tools = [recordingTool('read_file'), recordingTool('read_files')];
  const { text } = await createHarness(tools, { session: { allowedTools: ['read_files'] } }).call('readfile');
  assert.equal(text, 'There is no tool named "readfile". Did you mean read_files?');
});

test('names of inherited properties are unknown tools', async () => {
  const harness = createHarness([recordingTool('a')]);
  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
    assert.equal((await harness.call(name)).error?.code, 'E_TOOL_UNKNOWN', name);
  }
});

test('a name of a million characters is cut in the message', async () => {
  const { text } = await createHarness([recordingTool('a')]).call('x'.repeat(1_000_000));
  assert.ok(text.length < 300, `${text.length} characters`);
});

test('a tool that was removed while others ran is unknown from then on', async () => {
  const harness = createHarness([recordingTool('a')]);
  harness.toolbox.remove('a');
  assert.equal((await harness.call('a')).error?.code, 'E_TOOL_UNKNOWN');
});

test('a mutable tool of a third-party registry is frozen at its first look-up', async () => {
  let risk = 'safe';
  const live = recordingTool('live');
  Object.defineProperty(live, 'risk', { get: () => risk, enumerable: true });
  const invoker = new ToolInvoker({ registry: registryOf(() => live) });
  await using session = invoker.openSession();
  assert.equal((await invoker.invoke({ name: 'live', args: {} }, { session })).status, 'ok');
  risk = 'critical';
  assert.equal((await invoker.invoke({ name: 'live', args: {} }, { session })).status, 'ok');
  assert.equal(live.calls.length, 2);
});

test('an invalid tool of a third-party registry cannot be called, and the others still can', async () => {
  const tools: Record<string, unknown> = { bad: { name: 'bad' }, good: recordingTool('good', { risk: 'safe' }) };
  const invoker = new ToolInvoker({ registry: registryOf((name) => tools[name]) });
  await using session = invoker.openSession();
  const bad = await invoker.invoke({ name: 'bad', args: {} }, { session });
  assert.equal(bad.error?.code, 'E_TOOL_INVALID');
  assert.match(bad.text, /The tool bad cannot be called/);
  assert.equal((await invoker.invoke({ name: 'good', args: {} }, { session })).status, 'ok');
});
