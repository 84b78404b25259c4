import assert from 'node:assert/strict';
import type { ModelEvent } from '@ravi/kernel';
import { createSseSplitter } from '@ravi/provider-kit';
import { collectAnswer } from '@ravi/testkit';
import { test } from 'vitest';
import { createChatDecoder, createOpenAiProvider } from '../src/index.ts';
import { call, calls, chat, made } from './chat-responses.ts';
import { decodeBody, decodeStream, plainContext } from './decode-recorded.ts';

const apis = ['chat', 'responses'] as const;

/** Arguments that `JSON.stringify` cannot serialize again. */
function nested(depth: number): string {
  return `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
}

test('null in place of a part of reasoning is skipped', () => {
  const detail = { type: 'reasoning.text', text: 'Hm.' };
  const { blocks } = chat(
    { reasoning_details: [null, detail, 'x'] },
    { content: [{ type: 'thinking', thinking: [null, { type: 'text', text: 'So.' }, { text: 7 }] }] },
    'stop',
  );
  assert.deepEqual(blocks, [
    {
      type: 'reasoning',
      text: 'So.',
      opaque: { source: 'test', data: { field: 'thinking', details: [detail] } },
    },
  ]);
});

test('names, ids and models that are not text are ignored', () => {
  const { blocks, finish } = decodeBody('chat', {
    id: 7,
    model: {},
    choices: [{ message: calls({ id: 8, function: { name: 9, arguments: '{}' } }), finish_reason: 'stop' }],
  });
  assert.deepEqual([made(blocks), finish?.responseId, finish?.model], [[['', {}]], undefined, undefined]);
});

test('arguments nested too deeply to be serialized again are malformed, as text and as an object', () => {
  const deep = nested(20_000);
  assert.deepEqual(made(chat(calls(call('go', deep, { index: 0, id: 'a' })), 'tool_calls').blocks), [
    ['go', 'malformed'],
  ]);
  for (const [api, before, after] of [
    ['chat', '{"choices":[{"message":{"tool_calls":[{"function":{"name":"go","arguments":', '}}]}}]}'],
    ['responses', '{"output":[{"type":"function_call","name":"go","arguments":', '}]}'],
  ] as const) {
    const text = before + deep + after;
    assert.equal(decodeBody(api, JSON.parse(text)).error?.code, 'E_MODEL_PROTOCOL');
    assert.equal(decodeStream(api, [`data: ${text}\n\n`]).error?.code, 'E_MODEL_PROTOCOL');
  }
  const shallow = chat(calls(call('go', nested(100), { index: 0, id: 'a' })), 'tool_calls');
  assert.deepEqual(made(shallow.blocks), [['go', JSON.parse(nested(100))]]);
});

test('keep-alive events, JSON that is not an object, are skipped in a stream', () => {
  const alive = ['null', '"ping"', '1', 'true', '[]'].map((data) => `data: ${data}\n\n`);
  const ends = {
    chat: 'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n',
    responses:
      'data: {"type":"response.output_text.delta","delta":"Hi"}\n\ndata: {"type":"response.completed","response":{}}\n\n',
  };
  for (const api of apis) {
    const { blocks, finish } = decodeStream(api, [...alive, ends[api]]);
    assert.deepEqual([blocks, finish?.reason], [[{ type: 'text', text: 'Hi' }], 'end']);
    assert.equal(decodeStream(api, [...alive, 'data: nul\n\n']).error?.code, 'E_MODEL_PROTOCOL');
  }
});

test('of parallel calls that were announced and then cut, none without arguments runs', () => {
  const announced = calls(call('rm', '', { index: 0, id: 'a' }), call('g', '', { index: 1, id: 'b' }));
  for (const reason of ['length', 'content_filter', 'abort', 'insufficient_system_resource', 'unheard-of']) {
    assert.deepEqual(made(chat(announced, reason).blocks), [
      ['rm', 'truncated'],
      ['g', 'truncated'],
    ]);
    const second = calls(call(undefined, '{"n":1}', { index: 1 }));
    assert.deepEqual(made(chat(announced, second, reason).blocks), [
      ['rm', 'truncated'],
      ['g', { n: 1 }],
    ]);
    assert.deepEqual(made(chat(calls(call('rm', '', { index: 0, id: 'a' })), reason).blocks), [['rm', 'truncated']]);
  }
  for (const reason of ['stop', 'eos', 'tool_calls', 'function_call']) {
    const { blocks, finish } = chat(announced, reason);
    assert.deepEqual(made(blocks), [
      ['rm', {}],
      ['g', {}],
    ]);
    assert.equal(finish?.reason, 'tool-use');
  }
});

test('an unknown finish reason is other, with and without calls', () => {
  for (const reason of ['abort', 'insufficient_system_resource']) {
    const called = chat(calls(call('go', '{"n":1}', { index: 0, id: 'a' })), reason);
    assert.deepEqual([made(called.blocks), called.finish?.reason], [[['go', { n: 1 }]], 'other']);
    assert.equal(chat({ content: 'Hm' }, reason).finish?.reason, 'other');
  }
});

test('input of a custom tool in a cut response never runs, because its end is unknown', () => {
  const custom = (index: number, input: string) => ({
    index,
    id: `c${index}`,
    type: 'custom',
    custom: { name: 'sh', input },
  });
  const { blocks } = chat(calls(custom(0, 'rm -rf /tmp'), custom(1, '')), 'length');
  assert.deepEqual(made(blocks), [
    ['sh', 'truncated'],
    ['sh', 'truncated'],
  ]);
});

test('an item of Responses without arguments and status is complete only if the response is', () => {
  const item = { type: 'function_call', call_id: 'c', name: 'rm', arguments: '' };
  const done = { type: 'response.output_item.done', output_index: 0, item };
  const ends = [
    [{ type: 'response.completed', response: { output: [] } }, {}, 'tool-use'],
    [{ type: 'response.incomplete', response: { output: [] } }, 'truncated', 'length'],
  ] as const;
  for (const [end, args, reason] of ends) {
    const status = end.type.slice('response.'.length);
    const streamed = decodeStream(
      'responses',
      [done, end].map((event) => `data: ${JSON.stringify(event)}\n\n`),
    );
    for (const { blocks, finish } of [streamed, decodeBody('responses', { status, output: [item] })]) {
      assert.deepEqual([made(blocks), finish?.reason], [[['rm', args]], reason]);
    }
    // An item that the server marks as completed is complete.
    const said = decodeBody('responses', { status, output: [{ ...item, status: 'completed' }] });
    assert.deepEqual(made(said.blocks), [['rm', {}]]);
  }
});

test('a response of Responses that is queued, in progress or cancelled is truncated', () => {
  for (const status of ['queued', 'in_progress', 'cancelled']) {
    const { error } = decodeBody('responses', { status, output: [] });
    assert.deepEqual([error?.code, error?.retryable], ['E_MODEL_TRUNCATED', true]);
    assert.match(error?.message ?? '', new RegExp(status, 'u'));
  }
  const unheard = decodeBody('responses', { status: 'unheard-of', output: [] });
  assert.equal(unheard.finish?.reason, 'other');
  // The event name is newer than the response in it.
  const old = { type: 'response.completed', response: { status: 'in_progress', output: [] } };
  assert.equal(decodeStream('responses', [`data: ${JSON.stringify(old)}\n\n`]).finish?.reason, 'end');
});

test('a late piece for an ended call does not start another if it is blank or names that call', () => {
  const ended = [calls(call('f', '{}', { index: 0, id: 'a' })), calls(call('g', '{"x":', { index: 1, id: 'b' }))];
  const late = [
    { index: 0, function: { arguments: '' } },
    { index: 0, function: { arguments: '\n' } },
    { index: 0, id: 'a', function: { arguments: '' } },
    { index: 0, id: 'a', function: { arguments: '{}' } },
    { index: 0, id: 'a', function: { name: 'f', arguments: '{}' } },
  ];
  for (const piece of late) {
    const { blocks } = chat(...ended, calls(piece), calls(call(undefined, '1}', { index: 1 })), 'tool_calls');
    assert.deepEqual(made(blocks), [
      ['f', {}],
      ['g', { x: 1 }],
    ]);
  }
});

test('a piece that repeats id and name after complete arguments, with whitespace or with all of them, does not start another call', () => {
  const whole = call('f', '{"x":1}', { index: 0, id: 'a' });
  for (const args of ['\n', '', ' ', '{"x":1}']) {
    const { blocks } = chat(calls(whole), calls(call('f', args, { index: 0, id: 'a' })), 'tool_calls');
    assert.deepEqual(made(blocks), [['f', { x: 1 }]]);
  }
  // Without ids two calls may be equal.
  const { blocks } = chat(calls(call('f', '{"x":1}')), calls(call('f', '{"x":1}')), 'tool_calls');
  assert.equal(made(blocks).length, 2);
});

test('text after late whitespace is read the same in similar and in different events', () => {
  const begun = [calls(call('f', '{}', { index: 0, id: 'a' })), calls(call('g', '{}', { index: 1, id: 'b' }))];
  const piece = (text: string) => calls(call(undefined, text, { index: 0 }));
  const alike = chat(...begun, piece(' '), piece('{"n"'), piece(':1}'), 'tool_calls');
  const other = chat(...begun, ...[' ', '{"n"', ':1}'].map((text, at) => ({ at, ...piece(text) })), 'tool_calls');
  assert.deepEqual(alike.blocks, other.blocks);
});

test('a chat stream ends at [DONE], whether or not the server closes the connection', () => {
  const said = 'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n';
  for (const last of ['[DONE]', '[DONE] ']) {
    const events: ModelEvent[] = [];
    const decoder = createChatDecoder(plainContext, (event) => events.push(event));
    const splitter = createSseSplitter((data, name) => decoder.event(data, name));
    splitter.push(`${said}data: ${last}\n\n`);
    assert.equal(events.at(-1)?.type, 'finish');
    splitter.push(said);
    decoder.end();
    assert.equal(events.filter(({ type }) => type === 'finish').length, 1);
  }
});

test('a connection that stays open after [DONE] is closed', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const said = 'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
      controller.enqueue(new TextEncoder().encode(said));
    },
    cancel: () => release(),
  });
  const answering = () => Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  const provider = createOpenAiProvider({ model: 'm', api: 'chat', apiKey: 'k', fetch: answering });
  const { finish } = await collectAnswer(provider, { messages: [], tools: [] });
  assert.equal(finish?.reason, 'end');
  await released;
});

test('of several choices the first one is read, at any position', () => {
  const choice = (index: number, content: string) => ({ index, delta: { content } });
  const chunks = [
    { choices: [choice(1, 'no'), choice(0, 'Y')] },
    { choices: [choice(1, ' never')] },
    { choices: [choice(0, 'es')] },
    { choices: [{ index: 1, delta: {}, finish_reason: 'length' }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  ];
  const stream = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  const { blocks, finish } = decodeStream('chat', stream);
  assert.deepEqual([blocks, finish?.reason], [[{ type: 'text', text: 'Yes' }], 'end']);
  // A server that counts from one also has one response.
  const only = decodeStream('chat', [stream[1] ?? '', stream[3] ?? '']);
  assert.deepEqual([only.blocks, only.finish?.reason], [[{ type: 'text', text: ' never' }], 'length']);
});

test('a refusal of Responses is detected also in a whole response', () => {
  const item = { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'refusal', refusal: 'I cannot' }] };
  const events = [
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { output: [] } },
  ];
  const streamed = decodeStream(
    'responses',
    events.map((event) => `data: ${JSON.stringify(event)}\n\n`),
  );
  for (const { blocks, finish } of [streamed, decodeBody('responses', { status: 'completed', output: [item] })]) {
    assert.equal(blocks[0]?.type === 'text' ? blocks[0].text : '', 'I cannot');
    assert.equal(finish?.reason, 'refusal');
  }
});
