import assert from 'node:assert/strict';
import type { JsonObject, ModelRequest, ProviderSpec } from '@ravi/kernel';
import { test } from 'vitest';
import { encodeChat, encodeResponses } from '../src/index.ts';
import { decodeBody } from './decode-recorded.ts';
import { ask, model, result, text, tool, use, user } from './encoding.ts';
import { oracleTest, requestOracles } from './oracles.ts';
import { settingsFor } from './settings.ts';

const native = (name: string, spec: JsonObject, callType: string): ProviderSpec => ({
  type: 'provider',
  name,
  provider: 'openai/responses',
  spec,
  callTypes: [callType],
});

test('a provider-defined call that was cut off is sent back in a form that the API accepts', oracleTest, () => {
  const settings = settingsFor('openai', 'auto', 'gpt-5');
  const judges = requestOracles();
  const tools = [
    native('search', { type: 'custom', name: 'grep' }, 'custom_tool_call'),
    native('shell', { type: 'shell', environment: { type: 'local' } }, 'shell_call'),
    native('patch', { type: 'apply_patch' }, 'apply_patch_call'),
    native('screen', { type: 'computer' }, 'computer_call'),
  ];
  const again = (item: JsonObject): readonly JsonObject[] => {
    const { context } = encodeResponses(ask([user(text('x'))], { tools }), settings);
    const response = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output: [item] };
    const { blocks } = decodeBody('responses', response, context);
    const { body } = encodeResponses(ask([user(text('x')), model(...blocks)], { tools }), settings);
    for (const [name, judge] of judges.responses)
      assert.equal(judge?.(body), undefined, `${name}: ${JSON.stringify(item['type'])}`);
    return (body['input'] as readonly JsonObject[]).slice(1);
  };
  const status = 'incomplete';
  assert.deepEqual(
    again({ type: 'custom_tool_call', id: 'ctc_1', call_id: 'c1', name: 'grep', input: 'unfin', status })[0],
    { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c1', name: 'grep', input: '' },
  );
  for (const item of [
    { type: 'shell_call', id: 'sh_1', call_id: 'c1', action: { commands: ['rm -'] }, status },
    { type: 'apply_patch_call', id: 'a', call_id: 'c1', operation: { type: 'create_file' }, status: 'in_progress' },
    { type: 'computer_call', id: 'cu_1', call_id: 'c1', pending_safety_checks: [], status },
  ]) {
    const [said, answered] = again(item);
    assert.match(said?.['content'] as string, /that could not be read and did not run/u);
    assert.match(answered?.['content'] as string, /^About the call of .*truncated/u);
  }
});

test('a custom call of Chat that was cut off keeps its name and has empty input', oracleTest, () => {
  const search = native('search', { type: 'custom', custom: { name: 'grep' } }, 'custom');
  const tools = [{ ...search, provider: 'openai/chat' }];
  const invalid = { reason: 'truncated', text: 'unfin' } as const;
  const call = use('c1', { name: 'search', callType: 'custom', invalid });
  const { body } = encodeChat(ask([user(text('x')), model(call)], { tools }), settingsFor('openai'));
  const [, response] = body['messages'] as readonly JsonObject[];
  assert.deepEqual(response?.['tool_calls'], [{ id: 'c1', type: 'custom', custom: { name: 'grep', input: '' } }]);
  for (const [name, judge] of requestOracles().chat) assert.equal(judge?.(body), undefined, name);
});

test('a call defined by another provider is sent to Responses as a function call', () => {
  const call = use('c1', { name: 'bash', callType: 'bash_20250124', arguments: { command: 'ls' } });
  const request: ModelRequest = ask([user(text('x')), model(call), user(result('c1', text('a')))], {
    tools: [tool('go')],
  });
  const { body } = encodeResponses(request, settingsFor('openai', 'auto', 'gpt-5'));
  assert.deepEqual((body['input'] as readonly JsonObject[]).slice(1), [
    { type: 'function_call', call_id: 'c1', name: 'bash', arguments: '{"command":"ls"}' },
    { type: 'function_call_output', call_id: 'c1', output: 'a' },
  ]);
});
