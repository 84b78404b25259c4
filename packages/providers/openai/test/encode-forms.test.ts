import assert from 'node:assert/strict';
import type { ContentBlock, JsonObject, ProviderSpec, ToolUseBlock } from '@ravi/kernel';
import { collectAnswer, startLoopbackServer } from '@ravi/testkit';
import { test } from 'vitest';
import { createOpenAiProvider, dialectAt, encodeChat, encodeResponses } from '../src/index.ts';
import { decodeBody, plainContext } from './decode-recorded.ts';
import { ask, chat, image, model, responses, result, text, tool, use, user } from './encoding.ts';
import { oracleTest, requestOracles } from './oracles.ts';
import { settingsFor } from './settings.ts';

test('provider-defined calls and their results are sent back in the shape of OpenAI', () => {
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

test('the result of a denied computer call is a screenshot, followed by the reason', () => {
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

test('provider tools are sent as their specs, and those of other providers are dropped with a warning', () => {
  const spec = (provider: string): ProviderSpec => ({
    type: 'provider',
    name: `search-${provider}`,
    provider,
    spec: { type: 'web_search' },
  });
  const { tools, warnings } = responses(ask([], { tools: [spec('openai/responses'), spec('openai/chat')] }));
  assert.deepEqual(tools, [{ type: 'web_search' }]);
  assert.deepEqual(
    warnings.map(({ tool: name }) => name),
    ['search-openai/chat'],
  );
});

test('the allowed callers of a tool are sent if the provider runs scripts', () => {
  const scripts: ProviderSpec = {
    type: 'provider',
    name: 'scripts',
    provider: 'openai/responses',
    spec: { type: 'programmatic_tool_calling' },
  };
  const scripted = tool('a', { type: 'object' }, { allowedCallers: ['chain'] });
  assert.deepEqual(responses(ask([], { tools: [scripted, scripts] })).tools[0]?.['allowed_callers'], ['programmatic']);
  const without = responses(ask([], { tools: [scripted] }));
  assert.deepEqual([without.tools, without.warnings[0]?.code], [undefined, 'tool-dropped']);
});

test('a choice of several tools is sent as precisely as the API allows', () => {
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

test('a provider tool that cannot be required alone becomes any tool, with a warning', oracleTest, () => {
  const judges = requestOracles().responses;
  const chosen = (spec: JsonObject) => {
    const tools: ProviderSpec[] = [{ type: 'provider', name: 'n', provider: 'openai/responses', spec }];
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

test('a generated image is a media block and is sent back to its model in its own item', () => {
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
  const inputOf = (...response: ContentBlock[]) =>
    responses(ask([user(text('Paint')), model(...response), asked])).input;
  const [, back, ...others] = inputOf(picture, frame);
  const { output_format: _format, ...asWritten } = item;
  assert.deepEqual([back, others.length], [asWritten, 1]);
  // Another model gets a description, and so does its own model if the bytes are gone.
  const foreign = { ...frame, source: 'another' } as ContentBlock;
  const gone = { ...picture, source: { kind: 'blob', ref: 'b' } } as ContentBlock;
  for (const response of [
    [picture, foreign],
    [gone, frame],
  ]) {
    const input = inputOf(...response);
    assert.equal(input.length, 3);
    assert.match(String(input[1]?.['content']), /^\[image, image\/webp.*: cannot be shown to this model\]$/u);
  }
  assert.equal(inputOf(text('It is lost'), frame).length, 3);
});

test('the text of a failed result marks the failure, because no field does', () => {
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

test('an output schema is strict if it needs no change, and part of the prompt if it cannot be sent', () => {
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

test('an output schema that does not describe an object is part of the prompt, with a warning', () => {
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

test('DeepSeek has strict mode only at its beta URL, and its dialect is detected from its URL', () => {
  assert.notEqual(dialectAt('https://api.deepseek.com/beta').strict, undefined);
  assert.equal(dialectAt('https://api.deepseek.com/v1').strict, undefined);
  const names = ['https://x.openai.azure.com/openai/v1', 'http://127.0.0.1:11434/v1', 'https://api.mistral.ai/v1'].map(
    (url) => dialectAt(url).name,
  );
  assert.deepEqual(names, ['openai', 'compatible', 'mistral']);
});

test('in strict mode of DeepSeek an optional property is an alternative without mixed types and without references', () => {
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

test('Chat at OpenAI stores responses on request, and accepts metadata only for those', () => {
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

test('provider options of a request override fields of the encoder', () => {
  const { body } = chat(
    ask([user(text('x'))], { providerOptions: { openai: { stream: false, user: 'u' }, other: { no: 1 } } }),
  );
  assert.deepEqual([body['stream'], body['user'], body['no']], [false, 'u', undefined]);
});

test('an unknown server gets strict schemas if the caller always wants them', async () => {
  const parameters = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } as const;
  for (const strict of ['always', 'auto'] as const) {
    await using server = await startLoopbackServer(() => ({ body: { choices: [] } }));
    const options = { model: 'm', baseUrl: `${server.url}/v1`, api: 'chat', stream: false, strict } as const;
    await collectAnswer(createOpenAiProvider(options), ask([], { tools: [tool('t', parameters)] }));
    const { tools } = (server.requests[0] ?? assert.fail('no request')).body as {
      readonly tools: readonly { readonly function: { readonly strict?: boolean } }[];
    };
    assert.equal(tools[0]?.function.strict, strict === 'always' ? true : undefined);
  }
});
