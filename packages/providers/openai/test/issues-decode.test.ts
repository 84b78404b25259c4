import assert from 'node:assert/strict';
import { test } from 'vitest';
import { call, calls, chat, idsOf, made } from './chat-responses.ts';
import type { WireObject } from './chat-responses.ts';
import { decodeBody, decodeStream, plainContext } from './decode-recorded.ts';

test('empty arguments are an empty object: agents-js#664, strands-ts#287, ellmer#228, Kilo cloud#4753, getomnico#402', () => {
  for (const args of ['', null, '{}', ' ', 'null']) {
    assert.deepEqual(made(chat(calls(call('go', args, { index: 0, id: 'a' })), 'tool_calls').blocks), [['go', {}]]);
  }
});

test('malformed arguments are not an empty object: claude-code#67765', () => {
  const { blocks } = chat(calls(call('go', '{"a": oops}', { index: 0, id: 'a' })), 'tool_calls');
  assert.deepEqual(made(blocks), [['go', 'malformed']]);
});

test('truncated arguments never run, for any finish reason: cline#13001, anton#342, jac#6766, livekit#4974', () => {
  for (const reason of ['length', 'tool_calls', 'stop', 'model_length']) {
    const { blocks } = chat(calls(call('rm', '{"path":"/tm', { index: 0, id: 'a' })), reason);
    assert.deepEqual(made(blocks), [['rm', 'truncated']]);
  }
  assert.deepEqual(made(chat(calls(call('rm', '', { index: 0, id: 'a' })), 'length').blocks), [['rm', 'truncated']]);
});

test('a used index with a new id is another call: maka#1976, LibreChat-agents#260, ollama#15457, vercel/ai#14277', () => {
  const { blocks } = chat(
    calls(call('a', '{"n":1}', { index: 0, id: 'x' })),
    calls(call('b', '{"n":2}', { index: 0, id: 'y' })),
    'tool_calls',
  );
  assert.deepEqual(made(blocks), [
    ['a', { n: 1 }],
    ['b', { n: 2 }],
  ]);
});

test('calls without index are separated by their ids: langchain-oracle#108', () => {
  const { blocks } = chat(calls(call('a', '{"n":1}', { id: 'x' }), call('b', '{"n":2}', { id: 'y' })), 'tool_calls');
  assert.deepEqual(made(blocks), [
    ['a', { n: 1 }],
    ['b', { n: 2 }],
  ]);
});

test('calls without index and id are separated by complete arguments: Qwen-Agent#943', () => {
  const { blocks } = chat(calls(call('a', '{"n":1}')), calls(call('a', '{"n":2}')), 'tool_calls');
  assert.deepEqual(made(blocks), [
    ['a', { n: 1 }],
    ['a', { n: 2 }],
  ]);
  assert.equal(new Set(idsOf(blocks)).size, 2);
});

test('a later piece with an empty id or the word null belongs to the same call: langchainjs#11373, spring-ai#5973', () => {
  const { blocks } = chat(
    calls(call('a', '{"n"', { index: 0, id: 'x' })),
    calls(call(undefined, ':', { index: 0, id: 'null' })),
    calls(call('', '1}', { index: 0, id: '' })),
    'tool_calls',
  );
  assert.deepEqual([made(blocks), idsOf(blocks)], [[['a', { n: 1 }]], ['x']]);
});

test('an id or a name repeated in each piece does not start another call: term-llm#314, plexus#691', () => {
  const { blocks } = chat(
    calls(call('a', '{"n"', { index: 0, id: 'x' })),
    calls(call('a', ':1', { index: 0, id: 'x' })),
    calls(call('a', '}', { index: 0, id: 'x' })),
    calls(call('a', '', { index: 0, id: 'x' })),
    'tool_calls',
  );
  assert.deepEqual(made(blocks), [['a', { n: 1 }]]);
  const rotating = chat(
    calls(call('a', '{"n"', { index: 0, id: 'x1' })),
    calls(call(undefined, ':1}', { index: 0, id: 'x2' })),
    'tool_calls',
  );
  assert.deepEqual([made(rotating.blocks), idsOf(rotating.blocks)], [[['a', { n: 1 }]], ['x1']]);
});

test('an id that the conversation already uses is replaced: fireconnect#16, maki#991, langchain#40608, strands#2053, sglang#33343, qwen-code#8382', () => {
  const chunk = {
    choices: [{ index: 0, delta: calls(call('a', '{}', { index: 0, id: 'a:0' })), finish_reason: 'tool_calls' }],
  };
  const context = { ...plainContext, usedIds: ['a:0', 'call-2'] };
  const { blocks } = decodeStream('chat', [`data: ${JSON.stringify(chunk)}\n\n`], context);
  assert.ok(!context.usedIds.includes(idsOf(blocks)[0] ?? 'a:0'));
});

test('calls with the finish reason stop are calls: ollama PR#7963', () => {
  const { finish } = chat(calls(call('a', '{}', { index: 0, id: 'x' })), 'stop');
  assert.equal(finish?.reason, 'tool-use');
});

test('interleaved pieces of two calls stay separate and are emitted in order', () => {
  const { blocks } = chat(
    calls(call('a', '', { index: 0, id: 'x' })),
    calls(call('b', '{"n":', { index: 1, id: 'y' })),
    calls(call(undefined, '{"n":1}', { index: 0 })),
    calls(call(undefined, '2}', { index: 1 })),
    'tool_calls',
  );
  assert.deepEqual(made(blocks), [
    ['a', { n: 1 }],
    ['b', { n: 2 }],
  ]);
});

test('arguments that arrive as an object are used as they are: Ollama', () => {
  assert.deepEqual(made(chat(calls(call('a', { n: 1 }, { id: 'x' })), 'stop').blocks), [['a', { n: 1 }]]);
});

test('a complete call is emitted before the next one ends, so that it can run meanwhile', () => {
  const { events } = chat(
    calls(call('a', '{"n":1}', { index: 0, id: 'x' })),
    calls(call('b', '', { index: 1, id: 'y' })),
    calls(call(undefined, '{"n":2}', { index: 1 })),
    'tool_calls',
  );
  const types = events.map(({ type }) => type);
  assert.ok(types.indexOf('block') < types.lastIndexOf('tool-call-delta'));
});

test('an error object or an error event in a stream ends it with its message: Groq, OpenRouter, llama.cpp', () => {
  const named = decodeStream('chat', [
    'event: error\ndata: {"error":{"message":"tool_use_failed","code":"tool_use_failed"}}\n\n',
  ]);
  assert.deepEqual([named.error?.providerCode, named.error?.retryable], ['tool_use_failed', true]);
  const inChunk = decodeStream('chat', ['data: {"choices":[],"error":{"message":"Overloaded","code":503}}\n\n']);
  assert.deepEqual([inChunk.error?.code, inChunk.error?.retryable], ['E_MODEL_OVERLOADED', true]);
  const context = decodeStream('chat', [
    'data: {"error":{"code":400,"type":"exceed_context_size_error","message":"request exceeds the context"}}\n\n',
  ]);
  assert.equal(context.error?.code, 'E_MODEL_CONTEXT_EXCEEDED');
});

test('a body without choices is an error, or the error that it contains', () => {
  assert.equal(decodeBody('chat', { id: 'x' }).error?.code, 'E_MODEL_PROTOCOL');
  assert.equal(decodeBody('chat', 'Bad gateway').error?.code, 'E_MODEL_PROTOCOL');
  assert.match(decodeBody('chat', { error: { message: 'no' } }).error?.message ?? '', /no/u);
});

test('thinking in content parts, in a field, and in details becomes reasoning and is sent back to its server', () => {
  const mistral = chat(
    {
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
        { type: 'text', text: 'Yes.' },
      ],
    },
    'stop',
  );
  assert.deepEqual(mistral.blocks, [
    { type: 'reasoning', text: 'Hm.', opaque: { source: 'test', data: { field: 'thinking' } } },
    { type: 'text', text: 'Yes.' },
  ]);
  const detail = (text: string, more: WireObject = {}): WireObject => ({
    type: 'reasoning.text',
    index: 0,
    text,
    ...more,
  });
  const router = chat(
    { reasoning: 'H', reasoning_details: [detail('H')] },
    { reasoning: 'm.', reasoning_details: [detail('m.', { signature: 's' })] },
    { content: 'Yes.' },
    'stop',
  );
  const details = [{ type: 'reasoning.text', index: 0, text: 'Hm.', signature: 's' }];
  assert.deepEqual(router.blocks[0], {
    type: 'reasoning',
    text: 'Hm.',
    opaque: { source: 'test', data: { field: 'reasoning', details } },
  });
});

test('the codex server omits the output at the end; Copilot changes ids; Bedrock sends events without type', () => {
  const item = {
    type: 'function_call',
    id: 'fc_a',
    call_id: 'call_a',
    name: 'go',
    arguments: '{"n":1}',
    status: 'completed',
  };
  const events = [
    { type: 'response.created', response: { id: 'r1' } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, id: 'fc_b', arguments: '' } },
    { heartbeat: true },
    { type: 'response.output_item.done', output_index: 0, item: { ...item, id: 'fc_c' } },
    { type: 'response.completed', response: { id: 'r2', output: [] } },
  ];
  const { blocks, finish } = decodeStream(
    'responses',
    events.map((event) => `data: ${JSON.stringify(event)}\n\n`),
  );
  assert.deepEqual(made(blocks), [['go', { n: 1 }]]);
  assert.equal(finish?.reason, 'tool-use');
});

test('an item that a limit cut, or whose end is missing, is not a runnable call', () => {
  const item = { type: 'function_call', id: 'f', call_id: 'c', name: 'go', arguments: '', status: 'in_progress' };
  const added = { type: 'response.output_item.added', output_index: 0, item };
  const delta = { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"n":1}' };
  const end = {
    type: 'response.incomplete',
    response: { incomplete_details: { reason: 'max_output_tokens' }, output: [] },
  };
  const cut = {
    type: 'response.output_item.done',
    output_index: 0,
    item: { ...item, arguments: '{"n":', status: 'incomplete' },
  };
  for (const events of [
    [added, delta, end],
    [added, delta, cut, end],
  ]) {
    const { blocks, finish } = decodeStream(
      'responses',
      events.map((event) => `data: ${JSON.stringify(event)}\n\n`),
    );
    assert.deepEqual([made(blocks), finish?.reason], [[['go', 'truncated']], 'length']);
  }
});

test('interleaved pieces of Responses items, numbered and padded as OpenAI does, stay separate', () => {
  const call = (at: number): WireObject => ({
    type: 'function_call',
    id: `f${at}`,
    call_id: `c${at}`,
    name: `go${at}`,
  });
  const delta = (at: number, text: string): WireObject => ({
    type: 'response.function_call_arguments.delta',
    item_id: `f${at}`,
    output_index: at,
    delta: text,
    obfuscation: 'x'.repeat(text.length % 3),
  });
  const events = [
    ...[0, 1].map((at) => ({ type: 'response.output_item.added', output_index: at, item: call(at) })),
    ...['{"a', '":', '"1'].map((text) => delta(0, text)),
    ...['{', '"b":"', String.raw`\n`, '2'].map((text) => delta(1, text)),
    ...['0', '"}'].flatMap((text) => [delta(0, text), delta(1, text)]),
    ...[0, 1].map((at) => ({ type: 'response.output_item.done', output_index: at, item: call(at) })),
    { type: 'response.completed', response: { output: [] } },
  ];
  const numbered = events.map((event, at) => `data: ${JSON.stringify({ sequence_number: at, ...event })}\n\n`);
  const { blocks, finish } = decodeStream('responses', numbered);
  assert.deepEqual(made(blocks), [
    ['go0', { a: '10' }],
    ['go1', { b: '\n20' }],
  ]);
  assert.equal(finish?.reason, 'tool-use');
});

test('a call of the pseudo tool multi_tool_use.parallel becomes the intended calls: craft-agents-oss#449', () => {
  const meant = (name: string, parameters: unknown): WireObject => ({
    recipient_name: `functions.${name}`,
    parameters,
  });
  const written = JSON.stringify({ tool_uses: [meant('go', { n: 1 }), meant('stay', { at: 'home' })] });
  const start = { index: 0, id: 'c1', type: 'function' };
  const wrapper = call('multi_tool_use.parallel', written.slice(0, 30), start);
  const chatted = chat(calls(wrapper), calls(call(undefined, written.slice(30), { index: 0 })), 'tool_calls');
  const item = {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'c1',
    name: 'multi_tool_use.parallel',
    arguments: written,
  };
  const responded = decodeBody('responses', { status: 'completed', output: [{ ...item, status: 'completed' }] });
  for (const { blocks, finish, events } of [chatted, responded]) {
    assert.deepEqual(made(blocks), [
      ['go', { n: 1 }],
      ['stay', { at: 'home' }],
    ]);
    assert.deepEqual([new Set(idsOf(blocks)).size, idsOf(blocks)[0], finish?.reason], [2, 'c1', 'tool-use']);
    assert.ok(!JSON.stringify(events).includes('multi_tool_use'));
    // Opaque data of the one call must not be sent back twice.
    assert.ok(!JSON.stringify(blocks).includes('fc_1'));
  }
});

test('a multi_tool_use.parallel that was cut or contains anything else runs nothing', () => {
  const wrapper = (written: string): WireObject =>
    calls(call('multi_tool_use.parallel', written, { index: 0, id: 'c1' }));
  assert.deepEqual(made(chat(wrapper('{"tool_uses":[{"recipient_name":"functions.go"'), 'length').blocks), [
    ['multi_tool_use.parallel', 'truncated'],
  ]);
  for (const written of ['{"tool_uses":[]}', '{"tool_uses":["go"]}', '{"tool_uses":[{"parameters":{}}]}', '{}']) {
    assert.deepEqual(made(chat(wrapper(written), 'tool_calls').blocks), [
      ['multi_tool_use.parallel', JSON.parse(written)],
    ]);
  }
  const unreadable = '{"tool_uses":[{"recipient_name":"go","parameters":"{"}]}';
  assert.deepEqual(made(chat(wrapper(unreadable), 'tool_calls').blocks), [['go', 'truncated']]);
});

test('audio output is read whole and in pieces, with its transcript as text', () => {
  const context = { ...plainContext, audioFormat: 'wav' };
  const spoken = (data: string): string => Buffer.from(data).toString('base64');
  const pieces = [{ id: 'audio_1' }, { transcript: 'Good ' }, { data: spoken('a') }, { transcript: 'day' }];
  const deltas = [...pieces, { data: spoken('bc') }, { expires_at: 1 }].map((audio) => ({ delta: { audio } }));
  const chunks = [...deltas, { delta: {}, finish_reason: 'stop' }].map((choice) => ({ choices: [choice] }));
  const streamed = decodeStream(
    'chat',
    chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`),
    context,
  );
  const audio = { id: 'audio_1', data: spoken('abc'), transcript: 'Good day', expires_at: 1 };
  const message = { role: 'assistant', content: null, audio };
  const whole = decodeBody('chat', { choices: [{ message, finish_reason: 'stop' }] }, context);
  for (const { blocks } of [streamed, whole]) {
    assert.deepEqual(blocks, [
      { type: 'text', text: 'Good day' },
      { type: 'audio', mediaType: 'audio/wav', source: { kind: 'bytes', bytes: Buffer.from('abc') } },
    ]);
  }
});

test('an error of Responses is read nested and flat', () => {
  for (const event of [
    { type: 'error', error: { type: 'server_error', code: 'server_error', message: 'broke' } },
    { type: 'error', code: 'server_error', message: 'broke' },
    { type: 'response.failed', response: { error: { code: 'server_error', message: 'broke' } } },
  ]) {
    const { error } = decodeStream('responses', [`data: ${JSON.stringify(event)}\n\n`]);
    assert.deepEqual([error?.providerCode, error?.retryable], ['server_error', true]);
  }
});

test('provider-defined calls reach the tool that declared them, and hosted calls stay opaque', () => {
  const context = { ...plainContext, toolOfCallType: (type: string) => (type === 'shell_call' ? 'shell' : undefined) };
  const output = [
    { type: 'shell_call', id: 'sh_1', call_id: 'call_1', status: 'completed', action: { commands: ['ls'] } },
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search' } },
  ];
  const { blocks, finish } = decodeBody('responses', { status: 'completed', output }, context);
  assert.deepEqual(blocks, [
    {
      type: 'tool_use',
      id: 'call_1',
      name: 'shell',
      arguments: { action: { commands: ['ls'] } },
      callType: 'shell_call',
      opaque: { source: 'test', data: { id: 'sh_1', status: 'completed' } },
    },
    { type: 'unknown', raw: output[1], source: 'test' },
  ]);
  assert.equal(finish?.reason, 'tool-use');
});

test('a call from a provider-run script has the caller chain and keeps its origin', () => {
  const caller = { type: 'program', caller_id: 'prog_1' };
  const item = {
    type: 'function_call',
    id: 'f',
    call_id: 'c',
    name: 'go',
    arguments: '{}',
    status: 'completed',
    caller,
  };
  const [block] = decodeBody('responses', { status: 'completed', output: [item] }).blocks;
  assert.ok(block?.type === 'tool_use');
  assert.equal(block.caller, 'chain');
  assert.deepEqual(block.opaque?.data, { id: 'f', status: 'completed', caller });
});
