import assert from 'node:assert/strict';
import type { ContentBlock, JsonObject, ProviderSpec, ToolUseBlock } from '@ravi/kernel';
import { test } from 'vitest';
import { dialectAt, encodeChat, encodeResponses } from '../src/index.ts';
import { decodeBody, plainContext } from './decode-recorded.ts';
import { ask, chat, image, model, responses, result, text, tool, use, user } from './encoding.ts';
import { oracleTest, requestOracles } from './oracles.ts';
import { settingsFor } from './settings.ts';

test('calls whose shape OpenAI defined, and their results, go back in that shape', () => {
  const native = (callType: string, args: JsonObject): ToolUseBlock => use('call_1', { callType, arguments: args });
  const answered = (block: ToolUseBlock, ...content: ContentBlock[]) =>
    responses(ask([user(text('x')), model(block), user(result('call_1', ...content))])).input.slice(
      1,
    ) as readonly JsonObject[];
  const shell = { action: { commands: ['ls'] } };
  const output = [{ stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } }];
  assert.deepEqual(answered(native('shell_call', shell), { type: 'data', data: { output } }), [
    { type: 'shell_call', call_id: 'call_1', ...shell },
    { type: 'shell_call_output', call_id: 'call_1', output },
  ]);
  assert.deepEqual(answered(native('shell_call', shell), text('a'))[1]?.['output'], output);
  const patch = { operation: { type: 'delete_file', path: 'a' } };
  assert.deepEqual(answered(native('apply_patch_call', patch), text('gone'))[1], {
    type: 'apply_patch_call_output',
    call_id: 'call_1',
    status: 'completed',
    output: 'gone',
  });
  assert.deepEqual(answered(native('computer_call', { action: { type: 'screenshot' } }), image)[1]?.['output'], {
    type: 'computer_screenshot',
    image_url: 'data:image/png;base64,AQID',
  });
  assert.deepEqual(answered(native('custom_tool_call', { name: 'sql', input: 'SELECT 1' }), text('1'))[1], {
    type: 'custom_tool_call_output',
    call_id: 'call_1',
    output: '1',
  });
});

test('a denied computer call is answered with a picture all the same, and with the reason behind it', () => {
  const call = use('call_1', { callType: 'computer_call', arguments: { action: { type: 'click' } } });
  const denied: ContentBlock = {
    type: 'tool_result',
    toolUseId: 'call_1',
    isError: true,
    content: [text('Not allowed.')],
  };
  const [output, note] = responses(ask([user(text('x')), model(call), user(denied)])).input.slice(2);
  assert.match(output?.['output']?.['image_url'] ?? '', /^data:image\/png/u);
  assert.match(note?.['content'] ?? '', /Error: Not allowed/u);
});

test('tools of the provider go out in its own words, those of another are dropped and told', () => {
  const spec = (provider: string): ProviderSpec => ({
    type: 'provider',
    name: `search-${provider}`,
    provider,
    spec: { type: 'web_search' },
  });
  const { tools, warnings } = responses(ask([], { tools: [spec('openai'), spec('anthropic')] }));
  assert.deepEqual(tools, [{ type: 'web_search' }]);
  assert.deepEqual(
    warnings.map(({ tool: name }) => name),
    ['search-anthropic'],
  );
});

test('who may call a tool is told where the provider runs scripts', () => {
  const scripts: ProviderSpec = {
    type: 'provider',
    name: 'scripts',
    provider: 'openai',
    spec: { type: 'programmatic_tool_calling' },
  };
  const scripted = tool('a', { type: 'object' }, { allowedCallers: ['chain'] });
  assert.deepEqual(responses(ask([], { tools: [scripted, scripts] })).tools[0]?.['allowed_callers'], ['programmatic']);
  const without = responses(ask([], { tools: [scripted] }));
  assert.deepEqual([without.tools, without.warnings[0]?.code], [undefined, 'tool-dropped']);
});

test('a choice among several tools is told as narrowly as the interface can', () => {
  const request = ask([], { tools: [tool('a'), tool('b.c'), tool('d')], toolChoice: { oneOf: ['a', 'b.c', 'gone'] } });
  assert.deepEqual(responses(request).body['tool_choice'], {
    type: 'allowed_tools',
    mode: 'required',
    tools: [
      { type: 'function', name: 'a' },
      { type: 'function', name: 'b_c' },
    ],
  });
  assert.equal(chat(request).body['tool_choice'], 'required');
  assert.equal(responses(ask([], { toolChoice: 'required' })).body['tool_choice'], undefined);
});

test('a tool of the provider that cannot be demanded alone is one of all, with a warning', oracleTest, () => {
  const judges = requestOracles().responses;
  const chosen = (spec: JsonObject) => {
    const tools: ProviderSpec[] = [{ type: 'provider', name: 'n', provider: 'openai', spec }];
    const { body, warnings } = responses(ask([user(text('x'))], { tools, toolChoice: { oneOf: ['n'] } }));
    for (const [name, judge] of judges) assert.equal(judge?.({ ...body, tools: [] }), undefined, name);
    return [body['tool_choice'], warnings.map(({ code }) => code)];
  };
  for (const type of ['web_search', 'web_search_2025_08_26', 'tool_search', 'local_shell']) {
    assert.deepEqual(chosen({ type }), ['required', ['option-ignored']]);
  }
  assert.deepEqual(chosen({ type: 'web_search_preview' }), [{ type: 'web_search_preview' }, []]);
  assert.deepEqual(chosen({ type: 'custom', name: 'c' }), [{ type: 'custom', name: 'c' }, []]);
});

test('a picture that a model painted is a medium, and goes back to its model in its own item', () => {
  const item = {
    type: 'image_generation_call',
    id: 'ig_1',
    status: 'completed',
    output_format: 'webp',
    result: Buffer.from('painted').toString('base64'),
  };
  const request = ask([]);
  const { source } = encodeResponses(request, settingsFor('openai', 'auto', 'gpt-5')).context;
  const { blocks } = decodeBody('responses', { status: 'completed', output: [item] }, { ...plainContext, source });
  const [picture, frame] = blocks;
  assert.ok(picture?.type === 'image' && frame !== undefined);
  assert.deepEqual(
    [picture.mediaType, picture.source],
    ['image/webp', { kind: 'bytes', bytes: Buffer.from('painted') }],
  );
  assert.ok(!JSON.stringify(frame).includes(item.result));
  const asked = user(text('Again, in red'));
  const inputOf = (...answer: ContentBlock[]) => responses(ask([user(text('Paint')), model(...answer), asked])).input;
  const [, back, ...others] = inputOf(picture, frame);
  const { output_format: _format, ...asWritten } = item;
  assert.deepEqual([back, others.length], [asWritten, 1]);
  // Another model is told of it in words, and so is its own when the bytes are gone.
  const foreign = { ...frame, source: 'another' } as ContentBlock;
  const gone = { ...picture, source: { kind: 'blob', ref: 'b' } } as ContentBlock;
  for (const answer of [
    [picture, foreign],
    [gone, frame],
  ]) {
    const input = inputOf(...answer);
    assert.equal(input.length, 3);
    assert.match(String(input[1]?.['content']), /^\[image, image\/webp.*: cannot be shown to this model\]$/u);
  }
  assert.equal(inputOf(text('It is lost'), frame).length, 3);
});

test('a failed result says so in words, since no field does', () => {
  const failed: ContentBlock = {
    type: 'tool_result',
    toolUseId: 'a',
    isError: true,
    content: [{ type: 'error', message: 'No such file' }],
  };
  assert.equal(
    chat(ask([user(text('x')), model(use('a')), user(failed)])).messages.at(-1)?.['content'],
    'Error: No such file',
  );
});

test('a schema for the answer is strict where it may stay as it is; where none can be sent it stands in words', () => {
  const closed = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  };
  const format = responses(ask([], { output: { schema: closed } })).body['text'] as JsonObject;
  assert.deepEqual(format['format'], { type: 'json_schema', name: 'answer', schema: closed, strict: true });
  const { body, messages } = chat(ask([user(text('x'))], { output: { schema: closed } }), 'deepseek');
  assert.deepEqual(body['response_format'], { type: 'json_object' });
  assert.match(messages[0]?.['content'] ?? '', /JSON Schema/u);
});

test('a schema of an answer that is no object stands in words, with a warning', () => {
  const request = ask([user(text('x'))], { system: 'Be brief.', output: { schema: { type: 'array', items: {} } } });
  const words = /^Be brief\.\n\nAnswer with one JSON value that fits.*"array"/u;
  for (const name of ['openai', 'deepseek'] as const) {
    const { body, messages, warnings } = chat(request, name);
    assert.match(messages[0]?.['content'] ?? '', words);
    assert.deepEqual([body['response_format'], warnings[0]?.code], [undefined, 'option-ignored']);
  }
  const { body, warnings } = responses(request);
  assert.match(body['instructions'] as string, words);
  assert.deepEqual([body['text'], warnings[0]?.code], [undefined, 'option-ignored']);
});

test('strict mode of DeepSeek is there at its beta address only, and its dialect is known by its address', () => {
  assert.notEqual(dialectAt('https://api.deepseek.com/beta').strict, undefined);
  assert.equal(dialectAt('https://api.deepseek.com/v1').strict, undefined);
  const names = ['https://x.openai.azure.com/openai/v1', 'http://127.0.0.1:11434/v1', 'https://api.mistral.ai/v1'].map(
    (url) => dialectAt(url).name,
  );
  assert.deepEqual(names, ['openai', 'compatible', 'mistral']);
});

test('what is optional is an alternative in strict mode of DeepSeek, without types that it refuses beside null, and without references', () => {
  const closed = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
  const strictOf = (properties: object, $defs: object = {}) => {
    const parameters = { type: 'object', properties, $defs };
    const [wire] = chat(ask([], { tools: [tool('t', parameters, { strict: true })] }), 'deepseek').tools;
    const sent = wire?.['function']?.['parameters'] as { readonly properties?: unknown } | undefined;
    return [wire?.['function']?.['strict'], sent?.properties];
  };
  const none = { type: 'null' };
  const list = { type: 'array', items: { type: 'string' } };
  const A = { ...closed, additionalProperties: false };
  assert.deepEqual(
    strictOf(
      { s: { type: 'string' }, l: list, o: { ...closed, description: 'd' }, r: { $ref: '#/$defs/A' } },
      { A: closed },
    ),
    [
      true,
      {
        s: { type: ['string', 'null'] },
        l: { anyOf: [list, none] },
        o: { description: 'd', anyOf: [A, none] },
        r: { anyOf: [A, none] },
      },
    ],
  );
  const circle = { A: { type: 'object', properties: { next: { $ref: '#/$defs/A' } } } };
  assert.equal(strictOf({ r: { $ref: '#/$defs/A' } }, circle)[0], undefined);
  const endless = { A: { anyOf: [{ $ref: '#/$defs/A' }, { type: 'string' }] } };
  assert.equal(strictOf({ r: { $ref: '#/$defs/A' } }, endless)[0], undefined);
});

test('Chat at OpenAI keeps answers where it is asked to, and takes metadata for those alone', () => {
  const request = ask([user(text('x'))], { metadata: { a: 'b' } });
  const kept = (store: boolean, own: JsonObject = {}) => {
    const settings = { ...settingsFor('openai'), store };
    const { body, warnings } = encodeChat({ ...request, providerOptions: { openai: own } }, settings);
    return [body['store'], body['metadata'], warnings.map(({ code }) => code)];
  };
  assert.deepEqual(kept(false), [undefined, undefined, ['option-ignored']]);
  assert.deepEqual(kept(true), [true, { a: 'b' }, []]);
  assert.deepEqual(kept(false, { store: true }), [true, { a: 'b' }, []]);
  assert.deepEqual(kept(true, { store: false }), [false, undefined, ['option-ignored']]);
  assert.deepEqual(chat(request, 'mistral').body['metadata'], { a: 'b' });
});

test('own fields of a request win over what the encoder wrote', () => {
  const { body } = chat(
    ask([user(text('x'))], { providerOptions: { openai: { stream: false, user: 'u' }, other: { no: 1 } } }),
  );
  assert.deepEqual([body['stream'], body['user'], body['no']], [false, 'u', undefined]);
});
