import assert from 'node:assert/strict';
import type { ContentBlock, JsonObject, ProviderSpec } from '@ravi/kernel';
import { image, model, result, text, tool, use, user } from '@ravi/provider-testing';
import { test } from 'vitest';
import { encode, source, typesOf } from './encoding.ts';
import { libraryOracles } from './oracles.ts';

const raw = (block: JsonObject, by = source): ContentBlock => ({ type: 'unknown', raw: block, source: by });
const native = (name: string, spec: JsonObject, callTypes?: readonly string[]): ProviderSpec => ({
  type: 'provider',
  name,
  provider: 'anthropic/messages',
  spec,
  ...(callTypes === undefined ? {} : { callTypes }),
});

const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } };
const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };

test('provider-executed calls are sent back in pairs and in place, only to their provider: claude-code#95406, oh-my-pi#6496, litellm#30486', () => {
  const history = (...content: ContentBlock[]) => [user(text('x')), model(...content), user(text('and?'))];
  const kept = encode({ messages: history(raw(search), raw(found), text('So.')) });
  assert.deepEqual(kept.messages[1]?.content, [search, found, { type: 'text', text: 'So.' }]);
  for (const half of [search, found]) {
    const { messages, codes } = encode({ messages: history(raw(half), text('So.')) });
    assert.deepEqual([typesOf(messages)[1], codes], [['assistant', 'text'], ['block-dropped']]);
  }
  const foreign = encode({ messages: history(raw(search, 'other'), raw(found, 'other'), text('So.')) });
  assert.deepEqual([typesOf(foreign.messages)[1], foreign.codes], [['assistant', 'text'], ['block-dropped']]);
});

test('a paused turn is sent back unchanged', () => {
  const { messages } = encode({ messages: [user(text('x')), model(text('Let me see.'), raw(search))] });
  assert.deepEqual(typesOf(messages)[1], ['assistant', 'text', 'server_tool_use']);
});

test('a script continues: its call is open, its container is named, its calls are marked', () => {
  const caller = { type: 'code_execution_20260120', tool_id: 'srvtoolu_9' };
  const script = { type: 'server_tool_use', id: 'srvtoolu_9', name: 'code_execution', input: { code: 'await go()' } };
  const call = use('a', { caller: 'chain', opaque: { source, data: { caller } } });
  const container = raw({ type: 'container', id: 'container_1', expires_at: '2026-11-20T12:00:00Z' });
  const tools = [
    tool('go', undefined, { allowedCallers: ['direct', 'chain'], strict: true }),
    native('code', { type: 'code_execution_20260120', name: 'code_execution' }),
  ];
  const history = [user(text('x')), model(raw(script), call, container), user(result('a', text('1')))];
  const running = encode({ tools, messages: history, parallelToolCalls: false });
  assert.deepEqual(typesOf(running.messages)[1], ['assistant', 'server_tool_use', 'tool_use']);
  assert.deepEqual(running.messages[1]?.content[1]?.['caller'], caller);
  assert.equal(running.body['container'], 'container_1');
  assert.deepEqual(running.tools[0]?.['allowed_callers'], ['direct', 'code_execution_20260120']);
  // Neither is supported together with scripts that call tools.
  assert.deepEqual([running.tools[0]?.['strict'], running.body['tool_choice']], [undefined, undefined]);
  assert.deepEqual(running.codes, ['tool-degraded', 'option-ignored']);

  const interrupted = encode({ tools, messages: [...history, user(text('Stop it.'))] });
  assert.deepEqual(typesOf(interrupted.messages)[1], ['assistant', 'tool_use']);
  assert.equal(interrupted.messages[1]?.content[0]?.['caller'], undefined);
});

test('a tool that only scripts may call is not offered where the provider runs none', () => {
  const { tools, warnings } = encode({ tools: [tool('go'), tool('inner', undefined, { allowedCallers: ['chain'] })] });
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['go'],
  );
  assert.deepEqual(
    warnings.map(({ code, tool: name }) => [code, name]),
    [['tool-dropped', 'inner']],
  );
});

test('bash, editor and memory are declared by their specs, we execute their calls, and they are sent back in their own shape', () => {
  const bash = native('shell', { type: 'bash_20250124', name: 'bash' }, ['shell_call', 'bash']);
  const memory = native('notes', { type: 'memory_20250818', name: 'memory' }, ['memory_20250818']);
  const call = use('a', { name: 'shell', callType: 'bash', arguments: { command: 'ls' } });
  const response = result('a', { type: 'data', data: [{ type: 'text', text: 'README.md' }] });
  const { messages, tools, context } = encode({
    tools: [bash, memory],
    messages: [user(text('x')), model(call), user(response)],
  });
  assert.deepEqual(tools, [bash.spec, memory.spec]);
  assert.deepEqual(context.nativeTool('bash'), { name: 'shell', wireName: 'bash', callType: 'bash', isToolset: false });
  assert.equal(context.nativeTool('memory')?.callType, 'memory_20250818');
  assert.equal(context.nameOf('bash'), 'shell');
  assert.deepEqual(messages[1]?.content, [{ type: 'tool_use', id: 'a', name: 'bash', input: { command: 'ls' } }]);
  assert.deepEqual(messages[2]?.content[0]?.['content'], [{ type: 'text', text: 'README.md' }]);
});

test('members of a toolset carry its name in both directions', () => {
  const computer = native('screen', { type: 'computer_toolset_20260801' }, ['computer']);
  const call = use('a', {
    name: 'screen',
    callType: 'computer',
    arguments: { action: 'left_click', coordinate: [1, 2] },
  });
  const { messages, context } = encode({
    tools: [computer],
    messages: [user(text('x')), model(call), user(result('a', image))],
  });
  assert.deepEqual(messages[1]?.content[0], {
    type: 'tool_use',
    id: 'a',
    name: 'left_click',
    input: { coordinate: [1, 2] },
    toolset_name: 'computer',
  });
  assert.equal(messages[2]?.content[0]?.['toolset_name'], 'computer');
  assert.equal(context.nativeTool('computer')?.isToolset, true);
});

test('a tool with the name of a provider tool is dropped alone; betas follow from the tools', () => {
  const bash = native('shell', { type: 'bash_20250124', name: 'bash' }, ['bash']);
  const computer = native(
    'screen',
    { type: 'computer_20251124', name: 'computer', display_width_px: 1, display_height_px: 1 },
    ['computer'],
  );
  const { tools, warnings, betas } = encode({
    tools: [tool('bash'), tool('go'), bash, computer],
    providerOptions: { anthropic: { betas: ['context-1m-2025-08-07'] } },
  });
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['go', 'bash', 'computer'],
  );
  assert.match(warnings[0]?.message ?? '', /bash.*shell/u);
  assert.deepEqual(betas, ['computer-use-2025-11-24', 'context-1m-2025-08-07']);
});

test('tools are deferred only with a tool search, whose results name only offered tools', () => {
  const later = tool('later', undefined, { lazySchema: true });
  const finder = native('find', { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' });
  assert.equal(encode({ tools: [later] }).tools[0]?.['defer_loading'], undefined);
  assert.equal(encode({ tools: [later, finder] }).tools[0]?.['defer_loading'], true);
  const call = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'tool_search_tool_bm25', input: {} };
  const references = ['later', 'gone'].map((name) => ({ type: 'tool_reference', tool_name: name }));
  const content = { type: 'tool_search_tool_search_result', tool_references: references };
  const { messages } = encode({
    tools: [later, finder],
    messages: [
      user(text('x')),
      model(raw(call), raw({ type: 'tool_search_tool_result', tool_use_id: 'srvtoolu_1', content })),
      user(text('and?')),
    ],
  });
  assert.match(JSON.stringify(messages[1]), /"later"/u);
  assert.doesNotMatch(JSON.stringify(messages[1]), /"gone"/u);
});

/** Created before the tests, because it takes longer than the timeout of a test. */
const judges = libraryOracles();

test('requests with each kind of tool match the types of the official library', () => {
  const caller = { type: 'code_execution_20260120', tool_id: 'srvtoolu_9' };
  const script = { type: 'server_tool_use', id: 'srvtoolu_9', name: 'code_execution', input: { code: 'await go()' } };
  const specs: readonly (readonly [name: string, spec: JsonObject, callTypes?: readonly string[]])[] = [
    ['shell', { type: 'bash_20250124', name: 'bash' }, ['bash']],
    ['edit', { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 9 }, ['edit']],
    ['notes', { type: 'memory_20250818', name: 'memory' }, ['memory']],
    ['screen', { type: 'computer_toolset_20260801' }, ['computer']],
    ['web', { type: 'browser_toolset_20260801' }, ['browser']],
    ['code', { type: 'code_execution_20260120', name: 'code_execution' }],
    ['search', { type: 'web_search_20260318', name: 'web_search', max_uses: 2 }],
    ['find', { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' }],
  ];
  const state = { type: 'browser_state', tabs: [{ tab_id: 't', url: 'u', title: 't', active: true }] };
  const { body } = encode({
    tools: [
      tool('go', undefined, { allowedCallers: ['direct', 'chain'], lazySchema: true }),
      ...specs.map((spec) => native(...spec)),
    ],
    reasoning: { effort: 'high', summary: true },
    metadata: { user_id: 'u' },
    messages: [
      user(text('x'), image),
      model(
        raw(script),
        use('a', { caller: 'chain', opaque: { source, data: { caller } } }),
        use('b', { name: 'shell', callType: 'bash', arguments: { command: 'ls' } }),
        use('c', { name: 'screen', callType: 'computer', arguments: { action: 'screenshot' } }),
        use('d', { name: 'web', callType: 'browser', arguments: { action: 'list_tabs' } }),
        raw({ type: 'container', id: 'container_1', expires_at: 'x' }),
      ),
      user(result('a'), result('b', text('1')), result('c', image), result('d', { type: 'data', data: state })),
    ],
  });
  assert.deepEqual(
    judges.map((judge) => judge(body)),
    [undefined, undefined],
  );
});
