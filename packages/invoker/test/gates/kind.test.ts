import assert from 'node:assert/strict';
import { notCallableFromChain } from '@ravi/kernel';
import type { HostedTool, ProviderCall, ProviderDefinedTool } from '@ravi/kernel';
import { test } from 'vitest';
import { createHarness } from '../support/harness.ts';
import { recordingTool, textResult } from '../support/tools.ts';

const hosted: HostedTool = { name: 'web_search', description: 'Searches.', providerSpecs: { openai: {} } };

function providerDefined() {
  const calls: ProviderCall[] = [];
  const tool: ProviderDefinedTool = {
    name: 'computer',
    description: 'Uses the screen.',
    providerSpecs: { openai: {} },
    callTypes: ['computer_call', 'computer_call_v2'],
    async handleCall(call) {
      calls.push(call);
      return textResult('clicked');
    },
  };
  return { tool, calls };
}

test('a hosted tool is refused from both callers: its provider runs it', async () => {
  const harness = createHarness([hosted]);
  for (const caller of ['direct', 'chain'] as const) {
    const result = await harness.call('web_search', {}, { caller });
    assert.equal(result.status, 'error');
    assert.equal(result.error?.code, 'E_TOOL_NOT_CALLABLE');
  }
});

test('a script cannot call a provider-defined tool', async () => {
  const { tool, calls } = providerDefined();
  const result = await createHarness([tool]).call('computer', {}, { caller: 'chain' });
  assert.equal(result.error?.code, 'E_TOOL_NOT_CALLABLE');
  assert.deepEqual(calls, []);
});

test('a direct call of a provider-defined tool goes to handleCall with id, type and payload', async () => {
  const { tool, calls } = providerDefined();
  const harness = createHarness([tool]);
  const call = { callId: 'toolu_1', type: 'computer_call_v2' };
  const result = await harness.call('computer', { action: 'click' }, call);
  assert.equal(result.text, 'clicked');
  assert.deepEqual(calls, [{ id: 'toolu_1', type: 'computer_call_v2', payload: { action: 'click' } }]);
});

test('without a call type the first one of the tool is used', async () => {
  const { tool, calls } = providerDefined();
  await createHarness([tool]).call('computer');
  assert.equal(calls[0]?.type, 'computer_call');
});

test('a call type that the tool does not declare is refused', async () => {
  const { tool, calls } = providerDefined();
  const result = await createHarness([tool]).call('computer', {}, { type: 'shell_call' });
  assert.equal(result.error?.code, 'E_TOOL_NOT_CALLABLE');
  assert.match(result.text, /shell_call/);
  assert.deepEqual(calls, []);
});

test('a branded tool cannot be called from a script under any name, but can be called directly', async () => {
  const chain = Object.assign(recordingTool('tool_chain'), { [notCallableFromChain]: true });
  const alias = { ...chain, name: 'run_script' };
  const harness = createHarness([chain, alias]);
  for (const name of ['tool_chain', 'run_script']) {
    const refused = await harness.call(name, {}, { caller: 'chain' });
    assert.equal(refused.error?.code, 'E_TOOL_NOT_CALLABLE', name);
    assert.equal((await harness.call(name)).status, 'ok', name);
  }
});

test('a tool that only shares the name of the branded one can be called from a script', async () => {
  const harness = createHarness([recordingTool('tool_chain')]);
  assert.equal((await harness.call('tool_chain', {}, { caller: 'chain' })).status, 'ok');
});
