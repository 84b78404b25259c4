import assert from 'node:assert/strict';
import type { ContentBlock, JsonObject, ProviderSpec } from '@ravi/kernel';
import { wireJson } from '@ravi/provider-kit';
import { test } from 'vitest';
import { dialects } from '../src/dialect.ts';
import type { DialectName } from '../src/dialect.ts';
import { encodeChat, encodeResponses } from '../src/index.ts';
import { ask, chat, image, model, responses, result, text, tool, use, user } from './encoding.ts';
import type { WireObject } from './encoding.ts';
import { settingsFor } from './settings.ts';

test('each call gets a result, also after an abort: claude-code#2959, bike4mind#197, bike4mind#207, TeXRA#7171, letta-code#578, opencode#10616', () => {
  const messages = [user(text('x')), model(use('a'), use('b')), user(result('b', text('2')), text('continue'))];
  assert.deepEqual(
    chat(ask(messages)).messages.map(({ role, tool_call_id: id }) => id ?? role),
    ['user', 'assistant', 'a', 'b', 'user'],
  );
  const { input } = responses(ask(messages));
  assert.deepEqual(
    input.map(({ type, role }) => type ?? role),
    ['user', 'function_call', 'function_call', 'function_call_output', 'function_call_output', 'user'],
  );
});

test('truncated arguments are never sent back: codegraff#752, oh-my-pi#11104, vllm#684', () => {
  const invalid = { reason: 'truncated', text: '{"path": "/tm' } as const;
  const messages = [user(text('x')), model(use('a', { invalid }))];
  assert.doesNotMatch(JSON.stringify(chat(ask(messages)).body), /\/tm/u);
  const [call] = (chat(ask(messages)).messages[1]?.['tool_calls'] ?? []) as unknown as readonly WireObject[];
  assert.equal(call?.['function']?.['arguments'], '{}');
  assert.match(JSON.stringify(responses(ask(messages)).input.at(-1)), /truncated/u);
});

test('ids are valid for each server and stay distinct: eca#233, vercel/ai#16183', () => {
  const messages = [user(text('x')), model(use('tooluseAc-1'), use('tooluseAc-2'), use('x'.repeat(80)))];
  for (const name of Object.keys(dialects) as DialectName[]) {
    const ids = chat(ask(messages), name).messages.flatMap(({ tool_call_id: id }) => id ?? []);
    assert.equal(new Set(ids).size, 3);
    for (const id of ids) assert.match(id, dialects[name].ids.pattern);
  }
});

test('names are valid and reversible, and of two that collide the second is dropped with both names: awslabs/mcp#2214, copilot-cli#1879, vscode#243602, apollo#28, open-cowork#200', () => {
  const long = `mcp__${'server'.repeat(12)}__search`;
  const request = ask([user(text('x'))], { tools: [tool('a.b/c'), tool(long), tool('a_b_c')] });
  const { tools, warnings } = chat(request);
  const names = tools.map(({ function: f }) => String(f?.['name']));
  assert.equal(names.length, 2);
  for (const name of names) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/u);
  assert.match(warnings[0]?.message ?? '', /a\.b\/c.*a_b_c/u);
  assert.equal(encodeChat(request, settingsFor('openai')).context.nameOf(names[0] ?? ''), long);
});

test('one bad tool is dropped alone: claude-code#19882', () => {
  const { tools, warnings } = responses(ask([], { tools: [tool('bad', { type: 'string' }), tool('good')] }));
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['good'],
  );
  assert.deepEqual(
    warnings.map(({ code, tool: name }) => [code, name]),
    [['tool-dropped', 'bad']],
  );
});

test('schemas lose only what servers reject: promptfoo#5965, wake-ai#16, collmbo#384, any-llm#1094', () => {
  const parameters = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { list: { type: 'array' } },
  };
  const [wire] = responses(ask([], { tools: [tool('a', parameters)] })).tools;
  assert.deepEqual(wire?.['parameters'], { type: 'object', properties: { list: { type: 'array', items: {} } } });
  const [empty] = responses(ask([], { tools: [tool('a', {})] })).tools;
  assert.deepEqual((empty?.['parameters'] as JsonObject | undefined)?.['properties'], {});
});

test('strict is sent for each tool, because Responses tries it by default: chatlas#255, Roo-Code#10472', () => {
  const open = { type: 'object', properties: { a: { type: 'string' } } };
  const closed = { ...open, required: ['a'], additionalProperties: false };
  const { tools } = responses(
    ask([], { tools: [tool('open', open), tool('closed', closed), tool('never', closed, { strict: false })] }),
  );
  assert.deepEqual(
    tools.map(({ strict }) => strict),
    [false, true, false],
  );
});

test('strict mode on request makes optional properties nullable, and the nulls are removed again: openclaw#96729, openclaude#1266, moltis#283, zenrows-mcp#23, LibreChat#11905', () => {
  const parameters = {
    type: 'object',
    properties: { a: { type: 'string' }, link: { type: 'string', format: 'uri' } },
    required: ['link'],
  };
  const request = ask([], { tools: [tool('t', parameters, { strict: true })] });
  const { body, context } = encodeResponses(request, settingsFor('openai'));
  const [wire] = body['tools'] as unknown as readonly WireObject[];
  assert.deepEqual(wire?.['parameters'], {
    type: 'object',
    properties: { a: { type: ['string', 'null'] }, link: { type: 'string' } },
    required: ['a', 'link'],
    additionalProperties: false,
  });
  assert.deepEqual(context.restoreArguments?.('t', { a: null, link: 'l' }), { link: 'l' });
});

test('half a character is never sent: claude-code#56064, claude-code#60394, elizaOS#18079, llumiverse#462', () => {
  const { body } = chat(ask([user(text(`cut ${'😀'.slice(0, 1)}`))]));
  assert.doesNotMatch(wireJson(body), /\\ud83d/u);
});

test('media of a result follow all results in a user message, or stay in the result if the server accepts them', () => {
  const messages = [user(text('x')), model(use('a'), use('b')), user(result('a', image), result('b', text('2')))];
  const { messages: moved, warnings } = chat(ask(messages));
  assert.deepEqual(
    moved.map(({ role }) => role),
    ['user', 'assistant', 'tool', 'tool', 'user'],
  );
  assert.match(JSON.stringify(moved.at(-1)), /data:image\/png;base64,AQID/u);
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['media-replaced'],
  );
  assert.match(JSON.stringify(chat(ask(messages), 'openrouter').messages[2]), /image_url/u);
  assert.match(
    JSON.stringify(responses(ask(messages)).input.find(({ type }) => type === 'function_call_output')),
    /input_image/u,
  );
});

test('a server without media support gets descriptions: DeepSeek', () => {
  const { messages, warnings } = chat(ask([user(text('Look.'), image)]), 'deepseek');
  assert.equal(typeof messages[0]?.['content'], 'string');
  assert.match(messages[0]?.['content'] ?? '', /3 bytes: cannot be shown/u);
  assert.equal(warnings[0]?.code, 'media-replaced');
});

test('no user message follows results at Mistral, which rejects one', () => {
  const rolesAt = (name: DialectName, ...content: ContentBlock[]) =>
    chat(ask([user(text('x')), model(use('a')), user(result('a', ...content), text('Stop.'))]), name).messages.map(
      ({ role }) => role,
    );
  assert.deepEqual(rolesAt('mistral', text('1')), ['user', 'assistant', 'tool']);
  assert.deepEqual(rolesAt('mistral', image), ['user', 'assistant', 'tool']);
  assert.deepEqual(rolesAt('openai', text('1')), ['user', 'assistant', 'tool', 'user']);
});

test('effort becomes the nearest value that a server supports', () => {
  const sentAt = (name: DialectName) =>
    (['none', 'minimal', 'low', 'medium', 'high', 'max'] as const).map(
      (effort) => chat(ask([user(text('x'))], { reasoning: { effort } }), name).body['reasoning_effort'],
    );
  assert.deepEqual(sentAt('mistral'), ['none', 'none', 'high', 'high', 'high', 'high']);
  assert.deepEqual(sentAt('groq'), ['none', 'low', 'low', 'medium', 'high', 'high']);
  assert.deepEqual(sentAt('openai'), ['none', 'minimal', 'low', 'medium', 'high', 'max']);
});

test('required tool calls and thinking are never sent to DeepSeek together', () => {
  const forced = ask([user(text('x'))], { tools: [tool('go')], toolChoice: 'required' });
  const plain = chat(forced, 'deepseek').body;
  assert.deepEqual([plain['tool_choice'], plain['thinking']], ['required', { type: 'disabled' }]);
  const thinking = chat({ ...forced, reasoning: { effort: 'high' } }, 'deepseek');
  assert.deepEqual([thinking.body['tool_choice'], thinking.body['thinking']], [undefined, { type: 'enabled' }]);
  assert.equal(thinking.warnings[0]?.code, 'option-ignored');
});

test('reasoning is sent back in the middle of a task, only to its own server: pi#3636, langchain#39370, langchain#34166, llmgateway#3600', () => {
  const thought = (source: string): ContentBlock => ({
    type: 'reasoning',
    text: 'Hm.',
    opaque: { source, data: { field: 'reasoning_content' } },
  });
  const messages = (source: string) => [
    user(text('x')),
    model(thought(source), use('a')),
    user(result('a', text('1'))),
  ];
  const own = chat(ask(messages('openai/chat/test-model')), 'deepseek').messages[1];
  assert.equal(own?.['reasoning_content'], 'Hm.');
  assert.equal(chat(ask(messages('openai/chat/other')), 'deepseek').messages[1]?.['reasoning_content'], undefined);
  const done = [user(text('x')), model(thought('openai/chat/test-model'), text('Done.')), user(text('y'))];
  assert.equal(chat(ask(done), 'deepseek').messages[1]?.['reasoning_content'], undefined);
});

test('calls without reasoning are sent to a thinking DeepSeek model with empty reasoning', () => {
  const foreign: ContentBlock = {
    type: 'reasoning',
    text: 'Hm.',
    opaque: { source: 'anthropic/messages/m', data: {} },
  };
  const own: ContentBlock = {
    type: 'reasoning',
    text: 'Aha.',
    opaque: { source: 'openai/chat/test-model', data: { field: 'reasoning_content' } },
  };
  const messages = [
    user(text('x')),
    model(foreign, use('a')),
    user(result('a', text('1'))),
    model(own, use('b')),
    user(result('b', text('2'))),
    model(text('Done.')),
    user(text('y')),
  ];
  const reasoningAt = (effort: 'high' | 'none') =>
    chat(ask(messages, { reasoning: { effort } }), 'deepseek')
      .messages.filter(({ role }) => role === 'assistant')
      .map(({ reasoning_content: reasoning }) => reasoning);
  assert.deepEqual(reasoningAt('high'), ['', 'Aha.', undefined]);
  assert.deepEqual(reasoningAt('none'), [undefined, 'Aha.', undefined]);
});

test('encrypted reasoning is sent back whole, in place and with the item it led to, or not at all: agent-framework-go#784, open-swe#1941, ag2#3080', () => {
  const source = 'openai/responses/gpt-5';
  const thought = (data: JsonObject): ContentBlock => ({ type: 'reasoning', text: 'Hm.', opaque: { source, data } });
  const sealed = { type: 'reasoning', id: 'rs_1', summary: [], content: [], status: null, encrypted_content: 'sealed' };
  const items = (...content: ContentBlock[]) =>
    responses(ask([user(text('x')), model(...content)]))
      .input.slice(1)
      .map((item) => item as JsonObject);
  assert.deepEqual(items(thought(sealed), use('a'))[0], {
    type: 'reasoning',
    id: 'rs_1',
    summary: [],
    encrypted_content: 'sealed',
  });
  assert.deepEqual(items(thought({ ...sealed, encrypted_content: null }), text('Yes.')), [
    { role: 'assistant', content: 'Yes.' },
  ]);
  assert.deepEqual(items(text('Yes.'), thought(sealed)), [{ role: 'assistant', content: 'Yes.' }]);
  const { body } = responses(ask([user(text('x'))]));
  assert.deepEqual([body['store'], body['include']], [false, ['reasoning.encrypted_content']]);
});

test('without its reasoning, an item is sent back without the id that would require the reasoning', () => {
  const source = 'openai/responses/gpt-5';
  const settings = { ...settingsFor('openai', 'auto', 'gpt-5'), store: true };
  const inputOf = (...content: ContentBlock[]) => {
    const { body, warnings } = encodeResponses(ask([user(text('x')), model(...content)]), settings);
    const items = (body['input'] as readonly JsonObject[]).slice(1);
    return { items, ids: items.map(({ id }) => id), codes: warnings.map(({ code }) => code), body };
  };
  const kept = (data: JsonObject) => ({ opaque: { source, data } });
  const thought = (more: JsonObject = {}): ContentBlock => ({
    type: 'reasoning',
    text: '',
    ...kept({ type: 'reasoning', id: 'rs_1', summary: [], ...more }),
  });
  const said: ContentBlock = { ...text('Yes.'), ...kept({ id: 'msg_1', part: { type: 'output_text' } }) };
  const called = use('c1', kept({ id: 'fc_1', status: 'completed' }));
  const clicked = use('c2', {
    callType: 'computer_call',
    arguments: { action: { type: 'screenshot' }, pending_safety_checks: [] },
    ...kept({ id: 'cu_1', status: 'completed' }),
  });
  const searched: ContentBlock = { type: 'unknown', raw: { type: 'web_search_call', id: 'ws_1' }, source };

  const stripped = inputOf(thought(), said, searched, called, clicked);
  assert.deepEqual(stripped.body['include'], ['reasoning.encrypted_content']);
  assert.deepEqual(stripped.items.slice(0, 2), [
    { role: 'assistant', content: 'Yes.' },
    { type: 'function_call', status: 'completed', call_id: 'c1', name: 'go', arguments: '{}' },
  ]);
  assert.match(JSON.stringify(stripped.ids[2]), /^"cu_(?!1")/u);
  assert.deepEqual(stripped.codes, ['block-dropped']);
  const led = inputOf(thought({ encrypted_content: 'sealed' }), said, searched, called, clicked);
  assert.deepEqual(led.ids.slice(0, 5), ['rs_1', 'msg_1', 'ws_1', 'fc_1', 'cu_1']);
  const again = inputOf(thought(), called, thought({ id: 'rs_2', encrypted_content: 'sealed' }), clicked);
  assert.deepEqual(again.ids.slice(0, 3), [undefined, 'rs_2', 'cu_1']);
});

test('blocks of another provider are dropped in pairs', () => {
  const foreign: ContentBlock = { type: 'unknown', raw: { type: 'server_tool_use' }, source: 'anthropic/messages/m' };
  const own: ContentBlock = {
    type: 'unknown',
    raw: { type: 'web_search_call', id: 'ws' },
    source: 'openai/responses/gpt-5',
  };
  const { input } = responses(ask([user(text('x')), model(foreign, own, text('Yes.'))]));
  assert.deepEqual(
    input.map(({ type, role }) => type ?? role),
    ['user', 'web_search_call', 'assistant'],
  );
});

test('of a function and a custom tool with the same wire name the function is dropped, with both names', () => {
  const request = (provider: string, spec: JsonObject) => {
    const custom: ProviderSpec = { type: 'provider', name: 'grep', provider, spec };
    return ask([user(text('x'))], { tools: [tool('my.grep'), tool('go'), custom], toolChoice: { oneOf: ['my.grep'] } });
  };
  for (const { tools, body, warnings } of [
    responses(request('openai/responses', { type: 'custom', name: 'my_grep' })),
    chat(request('openai/chat', { type: 'custom', custom: { name: 'my_grep' } })),
  ]) {
    assert.equal(tools.length, 2);
    assert.equal(body['tool_choice'], undefined);
    assert.match(warnings[0]?.message ?? '', /my\.grep is not offered.*my_grep, like that of grep/u);
  }
});

test('dropped blocks, reasoning budgets and reasoning summaries have warnings, and output names are valid', () => {
  const foreign: ContentBlock = { type: 'unknown', raw: { type: 'server_tool_use' }, source: 'anthropic/messages/m' };
  const sources: ContentBlock = { type: 'unknown', raw: { groundingMetadata: {} } };
  const messages = [user(text('x')), model(foreign, foreign, sources, text('Yes.')), user(text('y'))];
  for (const { warnings } of [chat(ask(messages)), responses(ask(messages))]) {
    assert.deepEqual(
      warnings.map(({ code, message }) => [code, message.slice(0, 2)]),
      [['block-dropped', '2 ']],
    );
  }
  const reasoning = { budgetTokens: 5, summary: true };
  const count = (of: { readonly warnings: readonly unknown[] }) => of.warnings.length;
  assert.deepEqual(
    [chat(ask([], { reasoning })), chat(ask([], { reasoning }), 'openrouter'), responses(ask([], { reasoning }))].map(
      count,
    ),
    [2, 1, 1],
  );
  const output = { schema: { type: 'object' }, name: 'bad name!' };
  assert.match(JSON.stringify(chat(ask([], { output })).body['response_format']), /"name":"bad_name_"/u);
  assert.match(JSON.stringify(responses(ask([], { output })).body['text']), /"name":"bad_name_"/u);
});

test('at most 128 tools are sent to OpenAI, in order: zed#32946, opencode#4909', () => {
  const many = Array.from({ length: 130 }, (_, number) => tool(`t${number}`));
  const { tools, warnings } = chat(ask([], { tools: many }));
  assert.deepEqual(
    tools.map(({ function: f }) => f?.['name']),
    many.slice(0, 128).map(({ name }) => name),
  );
  assert.deepEqual(
    warnings.map(({ tool: name }) => name),
    ['t128', 't129'],
  );
  assert.equal(chat(ask([], { tools: many }), 'compatible').tools.length, 130);
});

test('only the sampling options that are set are sent, and unsupported ones have warnings: obot nanobot#329, llm-anthropic#86, vllm#58246', () => {
  assert.deepEqual(Object.keys(chat(ask([user(text('x'))])).body).toSorted(), [
    'messages',
    'model',
    'stream',
    'stream_options',
  ]);
  const { body, warnings } = responses(ask([], { sampling: { temperature: 0.2, topK: 4 } }));
  assert.equal(body['temperature'], 0.2);
  assert.match(warnings[0]?.message ?? '', /topK/u);
});
