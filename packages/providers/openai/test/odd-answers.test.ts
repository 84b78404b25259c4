import assert from 'node:assert/strict';
import { test } from 'vitest';
import { call, calls, chat, made } from './chat-answers.ts';
import { decodeBody, decodeStream } from './decode-recorded.ts';

const apis = ['chat', 'responses'] as const;

/** Arguments that no JSON writer can write again. */
function nested(depth: number): string {
  return `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
}

test('nothing where a part of reasoning should be is passed over', () => {
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

test('names, ids and models that are no text are none', () => {
  const { blocks, finish } = decodeBody('chat', {
    id: 7,
    model: {},
    choices: [{ message: calls({ id: 8, function: { name: 9, arguments: '{}' } }), finish_reason: 'stop' }],
  });
  assert.deepEqual([made(blocks), finish?.responseId, finish?.model], [[['', {}]], undefined, undefined]);
});

test('arguments that are nested too deep to be written again are malformed, as text and as an object', () => {
  const deep = nested(20_000);
  assert.deepEqual(made(chat(calls(call('go', deep, { index: 0, id: 'a' })), 'tool_calls').blocks), [
    ['go', 'malformed'],
  ]);
  for (const [api, before, behind] of [
    ['chat', '{"choices":[{"message":{"tool_calls":[{"function":{"name":"go","arguments":', '}}]}}]}'],
    ['responses', '{"output":[{"type":"function_call","name":"go","arguments":', '}]}'],
  ] as const) {
    const text = before + deep + behind;
    assert.equal(decodeBody(api, JSON.parse(text)).error?.code, 'E_MODEL_PROTOCOL');
    assert.equal(decodeStream(api, [`data: ${text}\n\n`]).error?.code, 'E_MODEL_PROTOCOL');
  }
  const shallow = chat(calls(call('go', nested(100), { index: 0, id: 'a' })), 'tool_calls');
  assert.deepEqual(made(shallow.blocks), [['go', JSON.parse(nested(100))]]);
});

test('signs of life, JSON that is no object, are passed over in the middle of a stream', () => {
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
