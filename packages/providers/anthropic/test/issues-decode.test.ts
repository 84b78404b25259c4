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

/** Returns the calls, with a mark for those that must not run. */
function made(blocks: readonly ContentBlock[]): unknown[] {
  return blocks.flatMap((block) =>
    block.type === 'tool_use' ? [[block.name, block.invalid?.reason ?? block.arguments]] : [],
  );
}

test('blocks are complete and in order, equal their deltas, and token counts add up', () => {
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

test('a call is emitted as soon as its block ends, while the model still writes: streaming dispatch', () => {
  const [before] = callStream.split('event: content_block_start\ndata: {"type":"content_block_start","index":3');
  const events = decodeStream(decoderFor(), [before ?? '']).events;
  assert.equal(events.findLast(({ type }) => type === 'block')?.type, 'block');
  assert.deepEqual(made(read(before ?? '').blocks), [['math_add', { a: 1 }]]);
});

test('missing arguments are an empty object: agents-js#664, strands-ts#287, ellmer#228, cloud#4753, getomnico#402', () => {
  const empty = [start(0, use('a', 'now')), stop(0)];
  assert.deepEqual(made(read(message(empty)).blocks), [['now', {}]]);
  assert.deepEqual(made(read(message([start(0, use('a', 'now')), json(0, ''), stop(0)])).blocks), [['now', {}]]);
  assert.deepEqual(made(decodeBody(decoderFor(), body([use('a', 'now')])).blocks), [['now', {}]]);
});

test('a call that a limit cut never runs, also without any arguments: cline#13001, anton#342, livekit#4974', () => {
  for (const reason of ['max_tokens', 'model_context_window_exceeded', 'refusal', 'stop_sequence', 'unheard-of']) {
    const cuts = [[json(0, '{"path":"/tm')], [json(0, '')], []];
    for (const pieces of cuts) {
      const { blocks } = read(message([start(0, use('a', 'go')), ...pieces, stop(0)], reason));
      assert.deepEqual(made(blocks), [['go', 'truncated']], reason);
    }
    // In a whole response the input is what had arrived by then.
    const whole = decodeBody(decoderFor(), body([use('a', 'go', { input: { path: '/tm' } })], reason));
    assert.deepEqual(made(whole.blocks), [['go', 'truncated']], reason);
  }
});

test('only the last call of a cut whole response is doubtful', () => {
  const calls = [use('a', 'go', { input: { n: 1 } }), use('b', 'go', { input: { n: 2 } })];
  assert.deepEqual(made(decodeBody(decoderFor(), body(calls, 'max_tokens')).blocks), [
    ['go', { n: 1 }],
    ['go', 'truncated'],
  ]);
});

test('arguments that are not a JSON object are malformed and not empty, for any stop reason: claude-code#67765', () => {
  const { blocks, finish } = read(message([start(0, use('a', 'go')), json(0, '{"a":1}}'), stop(0)]));
  assert.deepEqual([made(blocks), finish?.reason], [[['go', 'malformed']], 'tool-use']);
});

test('complete arguments at the start of their block are used', () => {
  const { blocks } = read(message([start(0, use('a', 'go', { input: { n: 1 } })), stop(0)]));
  assert.deepEqual(made(blocks), [['go', { n: 1 }]]);
});

test('missing, empty or repeated ids are replaced: fireconnect#16, maki#991, langchain#40608, strands#2053', () => {
  const ids = ['a', '', 'a', undefined];
  const blocks = ids.flatMap((id, at) => [start(at, { ...use('', 'go'), id }), stop(at)]);
  const context = { ...plainContext, usedIds: ['a'] };
  const response = decodeStream(decoderFor(context), [message(blocks)]);
  const found = response.blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
  assert.equal(found.length, 4);
  assert.equal(new Set([...found, 'a', '']).size, 6);
});

test('streams of gateways: no event names, [DONE], comments, CRLF, unknown events, a repeated start', () => {
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

test('blocks without start or stop are read', () => {
  const text = [delta(0, { type: 'text_delta', text: 'Hi' }), start(1, use('a', 'go')), json(1, '{"n":1}')];
  const { blocks } = read(message(text));
  assert.deepEqual(blocks[0], { type: 'text', text: 'Hi' });
  assert.deepEqual(made(blocks), [['go', { n: 1 }]]);
});

test('a response with a stop reason but no stop event is complete; one with neither is truncated', () => {
  const unsaid = callStream.slice(0, callStream.indexOf('event: message_stop'));
  assert.equal(read(unsaid).finish?.reason, 'tool-use');
  const { error, blocks } = read(message([start(0, use('a', 'go')), json(0, '{"n":1}')], null));
  assert.deepEqual([error?.code, error?.retryable], ['E_MODEL_TRUNCATED', true]);
  assert.deepEqual(made(blocks), []);
});

test('an error during a stream ends it with the matching code', () => {
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

test('an error without an event type also ends the stream', () => {
  const { error } = read('data: {"error":{"type":"overloaded_error","message":"x"}}\n\n');
  assert.deepEqual([error?.code, error?.retryable], ['E_MODEL_OVERLOADED', true]);
});

test('a body that is not a message is an error', () => {
  const decode = (value: unknown) => decodeBody(decoderFor(), value).error;
  assert.equal(decode('Bad gateway')?.code, 'E_MODEL_PROTOCOL');
  assert.equal(decode({ id: 'x' })?.code, 'E_MODEL_PROTOCOL');
  assert.equal(
    decode({ type: 'error', error: { type: 'overloaded_error', message: 'x' } })?.code,
    'E_MODEL_OVERLOADED',
  );
  assert.equal(read('data: {"type":\n\n').error?.code, 'E_MODEL_PROTOCOL');
});

test('redacted thinking keeps its place and its signature', () => {
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

test('provider-executed calls are kept unchanged with their arguments; incomplete ones are not', () => {
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

test('a call of a script has the caller chain and keeps its origin, and the script container is kept', () => {
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

test('keep-alive events, JSON that is not an object, are skipped, and deeply nested JSON is an error', () => {
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

test('a block without a stop is complete if another block takes its index', () => {
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

test('a call without arguments and without a stop is complete only if the response is', () => {
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

test('thinking and text without a stop keep their signature and their citations', () => {
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
