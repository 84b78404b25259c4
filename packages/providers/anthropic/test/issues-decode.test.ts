import assert from 'node:assert/strict';
import type { ContentBlock } from '@ravi/kernel';
import { decodeBody, decodeStream } from '@ravi/provider-testing';
import type { CollectedAnswer } from '@ravi/testkit';
import { test } from 'vitest';
import { decoderFor, plainContext } from './settings.ts';
import { callStream, delta, json, message, sse, start, stop, use } from './streams.ts';

function read(stream: string): CollectedAnswer {
  return decodeStream(decoderFor(), [stream]);
}

/** What would run, and what is marked as not to. */
function made(blocks: readonly ContentBlock[]): unknown[] {
  return blocks.flatMap((block) =>
    block.type === 'tool_use' ? [[block.name, block.invalid?.reason ?? block.arguments]] : [],
  );
}

test('blocks come whole and in order, what they announced joins to them, and counts add up', () => {
  const { blocks, events, finish } = read(callStream);
  assert.deepEqual(blocks, [
    {
      type: 'reasoning',
      text: 'Add them.',
      opaque: { source: 'test', data: { type: 'thinking', signature: 'c2ln' } },
    },
    { type: 'text', text: 'One moment.' },
    { type: 'tool_use', id: 'toolu_1', name: 'math_add', arguments: { a: 1 } },
    { type: 'tool_use', id: 'toolu_2', name: 'now', arguments: {} },
  ]);
  const said = (type: string): string =>
    events.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('');
  assert.deepEqual(
    [said('reasoning-delta'), said('text-delta'), said('tool-call-delta')],
    ['Add them.', 'One moment.', '{"a":1}'],
  );
  assert.deepEqual(finish, {
    type: 'finish',
    reason: 'tool-use',
    usage: { inputTokens: 17, outputTokens: 25, cachedInputTokens: 4, cacheWriteTokens: 3 },
    providerReason: 'tool_use',
    responseId: 'msg_1',
    model: 'claude-sonnet-4-6',
  });
});

test('a call is there as soon as its block ends, while the model still writes: streaming dispatch', () => {
  const [before] = callStream.split('event: content_block_start\ndata: {"type":"content_block_start","index":3');
  const events = decodeStream(decoderFor(), [before ?? '']).events;
  assert.equal(events.findLast(({ type }) => type === 'block')?.type, 'block');
  assert.deepEqual(made(read(before ?? '').blocks), [['math_add', { a: 1 }]]);
});

test('nothing as arguments is an empty object: agents-js#664, strands-ts#287, ellmer#228, cloud#4753, getomnico#402', () => {
  const empty = [start(0, use('a', 'now')), stop(0)];
  assert.deepEqual(made(read(message(empty)).blocks), [['now', {}]]);
  assert.deepEqual(made(read(message([start(0, use('a', 'now')), json(0, ''), stop(0)])).blocks), [['now', {}]]);
  assert.deepEqual(made(decodeBody(decoderFor(), body([use('a', 'now')])).blocks), [['now', {}]]);
});

test('a call that a limit cut never runs, also when nothing of its arguments was there: cline#13001, anton#342, livekit#4974', () => {
  for (const reason of ['max_tokens', 'model_context_window_exceeded', 'refusal', 'stop_sequence', 'unheard-of']) {
    const cuts = [[json(0, '{"path":"/tm')], [json(0, '')], []];
    for (const pieces of cuts) {
      const { blocks } = read(message([start(0, use('a', 'go')), ...pieces, stop(0)], reason));
      assert.deepEqual(made(blocks), [['go', 'truncated']], reason);
    }
    // A whole answer has what was there by then as its input.
    const whole = decodeBody(decoderFor(), body([use('a', 'go', { input: { path: '/tm' } })], reason));
    assert.deepEqual(made(whole.blocks), [['go', 'truncated']], reason);
  }
});

test('of a whole answer that was cut only the last call is in doubt', () => {
  const calls = [use('a', 'go', { input: { n: 1 } }), use('b', 'go', { input: { n: 2 } })];
  assert.deepEqual(made(decodeBody(decoderFor(), body(calls, 'max_tokens')).blocks), [
    ['go', { n: 1 }],
    ['go', 'truncated'],
  ]);
});

test('arguments that are no JSON object are malformed and not empty, whatever the reason says: claude-code#67765', () => {
  const { blocks, finish } = read(message([start(0, use('a', 'go')), json(0, '{"a":1}}'), stop(0)]));
  assert.deepEqual([made(blocks), finish?.reason], [[['go', 'malformed']], 'tool-use']);
});

test('arguments that come whole at the start of their block are taken from there', () => {
  const { blocks } = read(message([start(0, use('a', 'go', { input: { n: 1 } })), stop(0)]));
  assert.deepEqual(made(blocks), [['go', { n: 1 }]]);
});

test('ids that are missing, empty or repeated become new ones: fireconnect#16, maki#991, langchain#40608, strands#2053', () => {
  const ids = ['a', '', 'a', undefined];
  const blocks = ids.flatMap((id, at) => [start(at, { ...use('', 'go'), id }), stop(at)]);
  const context = { ...plainContext, usedIds: ['a'] };
  const answer = decodeStream(decoderFor(context), [message(blocks)]);
  const found = answer.blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
  assert.equal(found.length, 4);
  assert.equal(new Set([...found, 'a', '']).size, 6);
});

test('streams of gateways: no names of events, the word [DONE], comments, CRLF, unknown events, a start that comes twice', () => {
  const plain = callStream.replaceAll(/^event: .*\n/gmu, '');
  const [head = '', ...rest] = plain.split('\n\n');
  const odd = [
    ': hello',
    head,
    head,
    'data: {"type":"vertex_event","index":0}',
    ...rest.filter((event) => event !== ''),
    'data: [DONE]',
  ];
  const expected = read(callStream).blocks;
  assert.deepEqual(read(`${odd.join('\n\n')}\n\n`).blocks, expected);
  assert.deepEqual(read(callStream.replaceAll('\n', '\r\n')).blocks, expected);
  assert.deepEqual(read(callStream.trimEnd()).blocks, expected);
});

test('blocks without start or stop are read all the same', () => {
  const text = [delta(0, { type: 'text_delta', text: 'Hi' }), start(1, use('a', 'go')), json(1, '{"n":1}')];
  const { blocks } = read(message(text));
  assert.deepEqual(blocks[0], { type: 'text', text: 'Hi' });
  assert.deepEqual(made(blocks), [['go', { n: 1 }]]);
});

test('an answer that says why it stopped but not that it did is whole; one that says neither broke off', () => {
  const unsaid = callStream.slice(0, callStream.indexOf('event: message_stop'));
  assert.equal(read(unsaid).finish?.reason, 'tool-use');
  const { error, blocks } = read(message([start(0, use('a', 'go')), json(0, '{"n":1}')], null));
  assert.deepEqual([error?.code, error?.retryable], ['E_MODEL_TRUNCATED', true]);
  assert.deepEqual(made(blocks), []);
});

test('an error in the middle of a stream ends it, with what it means', () => {
  const cases = [
    ['overloaded_error', 'E_MODEL_OVERLOADED', true],
    ['api_error', 'E_MODEL_UNAVAILABLE', true],
    ['rate_limit_error', 'E_MODEL_RATE_LIMITED', true],
    ['invalid_request_error', 'E_MODEL_REFUSED_REQUEST', false],
    ['authentication_error', 'E_MODEL_AUTHENTICATION', false],
    ['request_too_large', 'E_MODEL_CONTEXT_EXCEEDED', false],
  ] as const;
  for (const [type, code, retryable] of cases) {
    const failure = sse([{ type: 'error', error: { type, message: 'x' } }]);
    const { error } = read(message([start(0, { type: 'text', text: 'Hm' })], null) + failure);
    assert.deepEqual([error?.code, error?.retryable, error?.providerCode], [code, retryable, type]);
  }
});

test('an error without the type of an event ends the stream too', () => {
  const { error } = read('data: {"error":{"type":"overloaded_error","message":"x"}}\n\n');
  assert.deepEqual([error?.code, error?.retryable], ['E_MODEL_OVERLOADED', true]);
});

test('a body that is no answer is an error', () => {
  const decode = (value: unknown) => decodeBody(decoderFor(), value).error;
  assert.equal(decode('Bad gateway')?.code, 'E_MODEL_PROTOCOL');
  assert.equal(decode({ id: 'x' })?.code, 'E_MODEL_PROTOCOL');
  assert.equal(
    decode({ type: 'error', error: { type: 'overloaded_error', message: 'x' } })?.code,
    'E_MODEL_OVERLOADED',
  );
  assert.equal(read('data: {"type":\n\n').error?.code, 'E_MODEL_PROTOCOL');
});

test('thinking that is hidden keeps its place and its signature', () => {
  const redacted = { type: 'redacted_thinking', data: 'sealed' };
  const { blocks } = read(
    message([
      start(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'signature_delta', signature: 's1' }),
      stop(0),
      start(1, redacted),
      stop(1),
      start(2, { type: 'text', text: 'Yes.' }),
      stop(2),
    ]),
  );
  assert.deepEqual(blocks, [
    { type: 'reasoning', text: '', opaque: { source: 'test', data: { type: 'thinking', signature: 's1' } } },
    { type: 'reasoning', text: '', opaque: { source: 'test', data: redacted } },
    { type: 'text', text: 'Yes.' },
  ]);
});

test('what the provider ran itself is kept as it came, with its arguments; half of it is not', () => {
  const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
  const pieces = [start(0, search), json(0, '{"query"'), json(0, ':"x"}'), stop(0), start(1, found), stop(1)];
  assert.deepEqual(read(message(pieces, 'pause_turn')).blocks, [
    { type: 'unknown', raw: { ...search, input: { query: 'x' } }, source: 'test' },
    { type: 'unknown', raw: found, source: 'test' },
  ]);
  assert.equal(read(message(pieces, 'pause_turn')).finish?.reason, 'pause');
  assert.deepEqual(read(message([start(0, search), json(0, '{"qu'), stop(0)], 'max_tokens')).blocks, []);
});

test('citations stay with their text', () => {
  const citation = { type: 'web_search_result_location', url: 'u', title: 't', cited_text: 'c', encrypted_index: 'e' };
  const { blocks } = read(
    message([
      start(0, { type: 'text', text: '', citations: [] }),
      delta(0, { type: 'citations_delta', citation }),
      delta(0, { type: 'text_delta', text: 'So it is.' }),
      stop(0),
    ]),
  );
  const opaque = { source: 'test', data: { citations: [citation] } };
  assert.deepEqual(blocks, [{ type: 'text', text: 'So it is.', opaque }]);
});

test('a call of a script says so and carries where it comes from, and the container of scripts is kept', () => {
  const caller = { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' };
  const container = { id: 'container_1', expires_at: '2026-11-20T12:00:00Z' };
  const direct = { caller: { type: 'direct' } };
  const calls = [start(0, use('a', 'go', { caller })), stop(0), start(1, use('b', 'go', direct)), stop(1)];
  assert.deepEqual(read(message(calls, 'tool_use', { container })).blocks, [
    {
      type: 'tool_use',
      id: 'a',
      name: 'go',
      arguments: {},
      caller: 'chain',
      opaque: { source: 'test', data: { caller } },
    },
    { type: 'tool_use', id: 'b', name: 'go', arguments: {} },
    { type: 'unknown', raw: { ...container, type: 'container' }, source: 'test' },
  ]);
});

test('signs of life, JSON that is no object, are passed over, and what is nested too deep is no answer', () => {
  const alive = ['null', '"ping"', '1'].map((data) => `data: ${data}\n\n`).join('');
  assert.deepEqual(read(alive + callStream).blocks, read(callStream).blocks);
  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  const block = `{"type":"tool_use","name":"go","input":${deep}}`;
  const started = read(`data: {"type":"content_block_start","content_block":${block}}\n\n`);
  const whole = decodeBody(decoderFor(), JSON.parse(`{"content":[${block}]}`));
  assert.deepEqual([started.error?.code, whole.error?.code], ['E_MODEL_PROTOCOL', 'E_MODEL_PROTOCOL']);
  const written = read(message([start(0, use('a', 'go')), json(0, deep), stop(0)]));
  assert.deepEqual(made(written.blocks), [['go', 'malformed']]);
});

test('a block whose stop never came is whole where another takes its place', () => {
  const first = [start(0, use('a', 'f')), json(0, '{"x":1}')];
  const second = [start(0, use('b', 'g')), json(0, '{"y":2}')];
  assert.deepEqual(made(read(message([...first, ...second])).blocks), [
    ['f', { x: 1 }],
    ['g', { y: 2 }],
  ]);
  const half = [start(0, use('a', 'f')), json(0, '{"x":')];
  assert.deepEqual(made(read(message([...half, ...second])).blocks), [
    ['f', 'truncated'],
    ['g', { y: 2 }],
  ]);
  const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
  const { blocks } = read(message([start(0, search), json(0, '{"query":"x"}'), ...second]));
  assert.deepEqual(blocks[0], { type: 'unknown', raw: { ...search, input: { query: 'x' } }, source: 'test' });
});

test('a call without arguments and without a stop is whole only where the answer is', () => {
  const calls = [start(0, use('a', 'rm')), start(0, use('b', 'g')), json(0, '{"y":2}')];
  const bare = (reason: string) => made(read(message(calls, reason)).blocks);
  assert.deepEqual(bare('tool_use'), [
    ['rm', {}],
    ['g', { y: 2 }],
  ]);
  assert.deepEqual(bare('max_tokens'), [
    ['rm', 'truncated'],
    ['g', { y: 2 }],
  ]);
  const again = { type: 'message_start', message: {} };
  const spliced = [start(0, use('a', 'rm')), again, start(0, { type: 'text', text: 'Hi' })];
  assert.deepEqual(made(read(message(spliced, 'end_turn')).blocks), [['rm', 'truncated']]);
});

test('thinking and text whose stop never came keep their signature and their citations', () => {
  const thinking = [
    start(0, { type: 'thinking', thinking: '' }),
    delta(0, { type: 'thinking_delta', thinking: 'Hm' }),
    delta(0, { type: 'signature_delta', signature: 's1' }),
  ];
  const text = [
    start(1, { type: 'text', text: 'Hi' }),
    delta(1, { type: 'citations_delta', citation: { title: 't' } }),
    start(2, use('a', 'go')),
  ];
  const opaque = { source: 'test', data: { type: 'thinking', signature: 's1' } };
  for (const between of [[], [delta(1, { type: 'text_delta', text: '' })]]) {
    const { blocks } = read(message([...thinking, ...between, ...text]));
    assert.deepEqual(blocks, [
      { type: 'reasoning', text: 'Hm', opaque },
      { type: 'text', text: 'Hi', opaque: { source: 'test', data: { citations: [{ title: 't' }] } } },
      { type: 'tool_use', id: 'a', name: 'go', arguments: {} },
    ]);
  }
});

function body(content: readonly object[], reason = 'tool_use'): object {
  return { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content, stop_reason: reason, usage: {} };
}
