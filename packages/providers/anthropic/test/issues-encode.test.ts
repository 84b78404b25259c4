import assert from 'node:assert/strict';
import type { ContentBlock, FunctionSpec, JsonObject, ModelRequest, ProviderSpec } from '@ravi/kernel';
import { wireJson } from '@ravi/provider-kit';
import { image, model, result, text, tool, use, user } from '@ravi/provider-testing';
import { test } from 'vitest';
import { encode, sonnet, source, typesOf } from './encoding.ts';

const thought = (words: string, by = source): ContentBlock => ({
  type: 'reasoning',
  text: words,
  opaque: { source: by, data: { type: 'thinking', signature: 'sig' } },
});
const native = (name: string, provider: string, spec: JsonObject): ProviderSpec => ({
  type: 'provider',
  name,
  provider,
  spec,
});

test('all results of a response come first in the message after it, also after an abort: claude-code#2959, bike4mind#197, TeXRA#7171, letta-code#578, opencode#10616', () => {
  const { messages } = encode({
    tools: [tool('go')],
    messages: [user(text('x')), model(use('a'), use('b')), user(text('continue'), result('b', text('2')))],
  });
  assert.deepEqual(typesOf(messages), [
    ['user', 'text'],
    ['assistant', 'tool_use', 'tool_use'],
    ['user', 'tool_result', 'tool_result', 'text'],
  ]);
  assert.deepEqual(
    messages[2]?.content.map(({ tool_use_id: id, is_error: error }) => [id, error]),
    [
      ['a', true],
      ['b', undefined],
      [undefined, undefined],
    ],
  );
});

test('calls come last in a response, also if another model wrote text after them: opencode#5750', () => {
  const { messages } = encode({
    tools: [tool('go')],
    messages: [user(text('x')), model(use('a'), text('Wait.')), user(result('a'))],
  });
  assert.deepEqual(typesOf(messages)[1], ['assistant', 'text', 'tool_use']);
});

test('truncated arguments are never sent back: codegraff#752, oh-my-pi#11104', () => {
  const invalid = { reason: 'truncated', text: '{"path": "/tm' } as const;
  const { body, messages } = encode({
    tools: [tool('go')],
    messages: [user(text('x')), model(use('a', { invalid }))],
  });
  assert.doesNotMatch(JSON.stringify(body), /\/tm/u);
  assert.deepEqual(messages[1]?.content[0]?.['input'], {});
});

test('an error is text and never empty; media in it are described', () => {
  const failed = (...content: ContentBlock[]): ContentBlock => ({ ...result('a', ...content), isError: true });
  for (const [content, expected] of [
    [[], /The call failed/u],
    [[text('No.'), image], /No\.\\n\[image/u],
  ] as const) {
    const { messages } = encode({
      tools: [tool('go')],
      messages: [user(text('x')), model(use('a')), user(failed(...content))],
    });
    assert.match(JSON.stringify(messages[2]?.content), expected);
    assert.equal(messages[2]?.content[0]?.['is_error'], true);
  }
});

test('thinking is sent back unchanged and in place, only to its own model: claude-code#19539, opencode#3077', () => {
  const redacted: ContentBlock = {
    type: 'reasoning',
    text: '',
    opaque: { source, data: { type: 'redacted_thinking', data: 'sealed' } },
  };
  const messages = [user(text('x')), model(thought('Hm.'), redacted, use('a')), user(result('a'))];
  assert.deepEqual(encode({ tools: [tool('go')], messages }).messages[1]?.content, [
    { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
    { type: 'redacted_thinking', data: 'sealed' },
    { type: 'tool_use', id: 'a', name: 'go', input: {} },
  ]);
  const elsewhere = encode({ tools: [tool('go')], messages }, { model: 'claude-opus-4-6' });
  assert.deepEqual(typesOf(elsewhere.messages)[1], ['assistant', 'tool_use']);
});

test('thinking without a signature is not sent back, except to servers without signatures', () => {
  const unsigned = (name: string): ContentBlock => ({
    type: 'reasoning',
    text: 'Hm.',
    opaque: { source: `anthropic/messages/${name}`, data: { type: 'thinking', signature: '' } },
  });
  const ask = (name: string) =>
    typesOf(encode({ messages: [user(text('x')), model(unsigned(name), text('Yes.'))] }, { model: name }).messages)[1];
  assert.deepEqual(ask(sonnet), ['assistant', 'text']);
  assert.deepEqual(ask('kimi-k3'), ['assistant', 'thinking', 'text']);
});

test('manual thinking is omitted if the response to continue began without it, as after another provider: opencode#3077', () => {
  const reasoning = { budgetTokens: 2000 };
  const asked = (...content: ContentBlock[]) =>
    encode({ tools: [tool('go')], reasoning, messages: [user(text('x')), model(...content), user(result('a'))] });
  const foreign = asked(thought('Hm.', 'openai/responses/gpt-5'), use('a'));
  assert.deepEqual([foreign.body['thinking'], foreign.codes], [undefined, ['option-ignored']]);
  assert.deepEqual(asked(thought('Hm.'), use('a')).body['thinking'], { type: 'enabled', budget_tokens: 2000 });
});

test('required tool calls and thinking are never sent together; several names become any tool', () => {
  const forced = { tools: [tool('go'), tool('stop')], toolChoice: { oneOf: ['go'] } } as const;
  assert.deepEqual(encode(forced).body['tool_choice'], { type: 'tool', name: 'go' });
  const thinking = encode({ ...forced, reasoning: { effort: 'high' } });
  assert.deepEqual([thinking.body['tool_choice'], thinking.codes], [undefined, ['option-ignored']]);
  assert.deepEqual(encode({ ...forced, toolChoice: { oneOf: ['go', 'stop'] } }).body['tool_choice'], { type: 'any' });
  assert.deepEqual(encode({ ...forced, toolChoice: 'required' }).body['tool_choice'], { type: 'any' });
  const single = encode({ tools: [tool('go')], parallelToolCalls: false });
  assert.deepEqual(single.body['tool_choice'], { type: 'auto', disable_parallel_tool_use: true });
  const none = encode({ tools: [tool('go')], toolChoice: 'none', parallelToolCalls: false });
  assert.deepEqual(none.body['tool_choice'], { type: 'none' });
});

test('a budget is limited by the output tokens, effort is sent to models that support it, and none disables thinking', () => {
  const body = (reasoning: ModelRequest['reasoning'], more: Partial<ModelRequest> = {}, name = sonnet) => {
    const {
      thinking,
      output_config: output,
      max_tokens: max,
    } = encode({ ...more, ...(reasoning && { reasoning }) }, { model: name }).body;
    return [thinking, output, max];
  };
  assert.deepEqual(body({ budgetTokens: 10 }), [{ type: 'enabled', budget_tokens: 1024 }, undefined, 32_000]);
  assert.deepEqual(body({ budgetTokens: 9000 }, { maxOutputTokens: 4000 }), [
    { type: 'enabled', budget_tokens: 3999 },
    undefined,
    4000,
  ]);
  assert.deepEqual(body({ budgetTokens: 2000 }, { maxOutputTokens: 500 }), [undefined, undefined, 500]);
  assert.deepEqual(body({ effort: 'minimal', summary: true }, {}, 'claude-opus-5'), [
    { type: 'adaptive', display: 'summarized' },
    { effort: 'low' },
    32_000,
  ]);
  assert.deepEqual(body({ effort: 'medium' }, {}, 'claude-sonnet-4-5-20250929'), [
    { type: 'enabled', budget_tokens: 8192 },
    undefined,
    32_000,
  ]);
  assert.deepEqual(body({ effort: 'none' }), [{ type: 'disabled' }, undefined, 32_000]);
  assert.deepEqual(body({ effort: 'high' }, {}, 'claude-3-5-sonnet-20241022'), [undefined, undefined, 8192]);
});

test('sampling is sent only if it is set and supported: nanobot#329, llm-anthropic#86, vllm#58246', () => {
  const sampling = { temperature: 0.5, topK: 3, seed: 1, stopSequences: ['END'] };
  const old = encode({ sampling });
  assert.deepEqual([old.body['temperature'], old.body['top_k'], old.codes], [0.5, 3, ['option-ignored']]);
  for (const options of [{ model: 'claude-opus-4-7' }, { apiVersion: '2026-10-21' }] as const) {
    const { body, codes } = encode({ sampling }, options);
    assert.deepEqual([body['temperature'], body['top_k'], body['stop_sequences']], [undefined, undefined, ['END']]);
    assert.equal(codes.length, 3);
  }
  assert.ok(!('temperature' in encode({}).body));
});

test('a tool of another provider, a bad schema and a repeated name are dropped alone: claude-code#19882', () => {
  const { tools, warnings } = encode({
    tools: [native('x', 'openai', { type: 'shell' }), tool('bad', { type: 'string' }), tool('go'), tool('go')],
  });
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['go'],
  );
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['tool-dropped', 'tool-dropped', 'tool-dropped'],
  );
});

test('strict applies to tools that ask for it, closes objects, and is refused for circular and untyped schemas', () => {
  const parameters = { type: 'object', properties: { a: { type: 'string', format: 'uri' } }, required: ['a'] };
  const circle = {
    ...parameters,
    properties: { a: { $ref: '#/$defs/A' } },
    $defs: { A: { type: 'object', properties: { a: { $ref: '#/$defs/A' } } } },
  };
  const asked = (schema: JsonObject, more: Partial<FunctionSpec> = { strict: true }, options = {}) =>
    encode({ tools: [tool('t', schema, more)] }, options);
  assert.deepEqual(asked(parameters).tools[0]?.['input_schema'], { ...parameters, additionalProperties: false });
  assert.equal(asked(parameters, {}).tools[0]?.['strict'], undefined);
  assert.equal(asked(parameters, {}, { strict: 'always' }).tools[0]?.['strict'], true);
  assert.deepEqual([asked(circle).tools[0]?.['strict'], asked(circle).codes], [undefined, ['tool-degraded']]);
  const old = asked(parameters, { strict: true }, { model: 'claude-3-7-sonnet-20250219' });
  assert.deepEqual([old.tools[0]?.['strict'], old.codes], [undefined, ['tool-degraded']]);
});

test('media of a failed result are described, with a warning', () => {
  const failed: ContentBlock = { type: 'tool_result', toolUseId: 'a', isError: true, content: [text('No.'), image] };
  const { messages, codes } = encode({
    tools: [tool('go')],
    messages: [user(text('x')), model(use('a')), user(failed)],
  });
  assert.match(JSON.stringify(messages[2]?.content), /No\.\\n\[image, image\/png/u);
  assert.deepEqual(codes, ['media-replaced']);
});

test('an output schema that does not describe an object is part of the prompt, with a warning', () => {
  const { body, codes } = encode({ output: { schema: { type: 'array', items: { type: 'string' } } } });
  assert.equal(body['output_config'], undefined);
  assert.match(body['system'] as string, /^Answer with one JSON value that fits/u);
  assert.deepEqual(codes, ['option-ignored']);
});

test('a circular schema is never strict, for any target of its reference', () => {
  const text = { type: 'string' };
  const object = (properties: object, more: object = {}): JsonObject => ({
    type: 'object',
    properties: properties as JsonObject,
    required: Object.keys(properties),
    ...more,
  });
  const optional = (properties: object): JsonObject => ({ ...object(properties), required: [] });
  const strictnessOf = (schema: JsonObject) => {
    const { tools, codes } = encode({ tools: [tool('t', schema, { strict: true })] });
    return [tools[0]?.['strict'], codes];
  };
  const none = [undefined, ['tool-degraded']];
  assert.deepEqual(strictnessOf(object({ n: optional({ next: { $ref: '#/properties/n' } }) })), none);
  const $defs = { A: object({ x: optional({ again: { $ref: '#/$defs/A/properties/x' } }) }) };
  assert.deepEqual(strictnessOf(object({ a: { $ref: '#/$defs/A' } }, { $defs })), none);
  assert.deepEqual(strictnessOf(object({ a: optional({ all: { $ref: '#' } }) })), none);
  const twice = object({ a: { $ref: '#/$defs/A' }, b: { $ref: '#/$defs/A' } }, { $defs: { A: object({ x: text }) } });
  assert.deepEqual(strictnessOf(twice), [true, []]);
});

test('a request with calls and without tools declares the called tools and allows none of them', () => {
  const { tools, body } = encode({ messages: [user(text('x')), model(use('a')), user(result('a'), text('Why?'))] });
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['go'],
  );
  assert.deepEqual(body['tool_choice'], { type: 'none' });
});

test('an image, a document and text are sent, and unsupported media are described', () => {
  const document = (mediaType: string, at: string): ContentBlock => ({
    type: 'document',
    mediaType,
    name: 'a.txt',
    source: { kind: 'url', url: at },
  });
  const plain: ContentBlock = {
    type: 'document',
    mediaType: 'text/markdown',
    source: { kind: 'bytes', bytes: new TextEncoder().encode('größe') },
  };
  const sound: ContentBlock = {
    type: 'audio',
    mediaType: 'audio/wav',
    source: { kind: 'bytes', bytes: Uint8Array.of(1) },
  };
  const { messages, codes } = encode({
    messages: [
      user(image, plain, sound, document('application/pdf', 'https://x/y'), document('application/pdf', 'http://x/y')),
    ],
  });
  assert.deepEqual(messages[0]?.content.slice(0, 2), [
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AQID' } },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'größe' } },
  ]);
  assert.deepEqual(typesOf(messages)[0], ['user', 'image', 'document', 'text', 'document', 'text']);
  assert.deepEqual(codes, ['media-replaced', 'media-replaced']);
});

test('blank text is omitted, and a response to continue does not end in white space', () => {
  assert.equal(encode({ system: ' \n' }, { cache: '5m' }).body['system'], undefined);
  const { messages } = encode({ messages: [user(text('x'), text(' \n')), model(text(' '), text('So: '))] });
  assert.deepEqual(messages, [
    { role: 'user', content: [{ type: 'text', text: 'x' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'So:' }] },
  ]);
});

test('a conversation that begins with the model gets a user message first', () => {
  assert.deepEqual(typesOf(encode({ messages: [model(text('Hello.')), user(text('x'))] }).messages), [
    ['user', 'text'],
    ['assistant', 'text'],
    ['user', 'text'],
  ]);
});

test('half a character is never sent: claude-code#56064, claude-code#60394, claude-code#5934', () => {
  const { body } = encode({ messages: [user(text(`cut ${'😀'.slice(0, 1)}`))] });
  assert.doesNotMatch(wireJson(body), /\\ud83d/u);
});

test('cache marks follow the system prompt or the last tool, and the end; a longer request has the same prefix as a shorter one', () => {
  const messages = [user(text('one')), model(text('1')), user(text('two'))];
  const first = encode({ system: 'Be brief.', messages: messages.slice(0, 1) }, { cache: '5m' });
  assert.deepEqual(first.body['system'], [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }]);
  assert.deepEqual(first.messages[0]?.content[0]?.['cache_control'], { type: 'ephemeral' });
  const tools = [
    tool('a'),
    tool('b', undefined, { lazySchema: true }),
    native('f', 'anthropic/messages', { type: 'tool_search_tool_regex', name: 'tool_search_tool_regex' }),
  ];
  const marked = encode({ tools }, { cache: '1h' }).tools.map(({ cache_control: mark }) => mark);
  assert.deepEqual(marked, [undefined, undefined, { type: 'ephemeral', ttl: '1h' }]);
  const plain = (count: number) => encode({ messages: messages.slice(0, count) }).messages;
  assert.deepEqual(plain(3).slice(0, 1), plain(1));
});

test('an output schema is enforced if possible, otherwise part of the prompt', () => {
  const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  assert.deepEqual(encode({ output: { schema } }).body['output_config'], {
    format: { type: 'json_schema', schema: { ...schema, additionalProperties: false } },
  });
  const open = encode({ system: 'Be brief.', output: { schema: { type: 'object', properties: { a: {} } } } }).body;
  assert.equal(open['output_config'], undefined);
  assert.match(JSON.stringify(open['system']), /^"Be brief\.\\n\\nAnswer with one JSON object/u);
});

test('provider options override fields, and only the user id of the metadata is sent', () => {
  const { body, codes } = encode({
    metadata: { user_id: 'u', team: 't' },
    providerOptions: { anthropic: { service_tier: 'auto', max_tokens: 7 }, openai: { store: true } },
  });
  assert.deepEqual(
    [body['metadata'], body['service_tier'], body['max_tokens'], body['store']],
    [{ user_id: 'u' }, 'auto', 7, undefined],
  );
  assert.deepEqual(codes, ['option-ignored']);
});
