import assert from 'node:assert/strict';
import type { ContentBlock } from '@ravi/kernel';
import { test } from 'vitest';
import { decodeBody, decodeStream, plainContext, streamOf } from './decode-recorded.ts';
import { call, callStream, chunk, partialStream } from './streams.ts';

const stop = { finishReason: 'STOP' };

/** Returns a stream with one chunk per part; the last one has the finish reason. */
function read(parts: readonly object[], end: object = stop, context = plainContext) {
  return decodeStream([streamOf([...parts.map((part) => chunk([part])), chunk([], end)])], context);
}

function made(blocks: readonly ContentBlock[]): unknown[] {
  return blocks.flatMap((block) =>
    block.type === 'tool_use' ? [[block.name, block.invalid?.reason ?? block.arguments]] : [],
  );
}

function idsOf(blocks: readonly ContentBlock[]): string[] {
  return blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
}

test('thoughts, text and calls keep their order, and each signature stays with its part: js-genai#1275, adk-go#764, vercel/ai#16298', () => {
  const { blocks, finish } = decodeStream([callStream]);
  assert.deepEqual(blocks, [
    { type: 'reasoning', text: 'Hm.', opaque: { source: 'test', data: { thought: true } } },
    { type: 'text', text: 'I will add.' },
    {
      type: 'tool_use',
      id: 'c1',
      name: 'math.add',
      arguments: { a: 1 },
      opaque: { source: 'test', data: { thoughtSignature: 'c2ln' } },
    },
    { type: 'tool_use', id: 'c2', name: 'math.add', arguments: { a: 2 } },
  ]);
  assert.deepEqual(finish, {
    type: 'finish',
    reason: 'tool-use',
    providerReason: 'STOP',
    usage: { inputTokens: 10, outputTokens: 8, reasoningTokens: 3 },
    responseId: 'r-1',
    model: 'gemini-3-pro',
  });
});

test('a part with a signature is not joined with others, and an empty one keeps its signature', () => {
  const { blocks } = read([
    { text: 'One' },
    { text: ' two', thoughtSignature: 'YQ==' },
    { text: ' three' },
    { text: '', thoughtSignature: 'Yg==' },
  ]);
  assert.deepEqual(blocks, [
    { type: 'text', text: 'One' },
    { type: 'text', text: ' two', opaque: { source: 'test', data: { thoughtSignature: 'YQ==' } } },
    { type: 'text', text: ' three' },
    { type: 'reasoning', text: '', opaque: { source: 'test', data: { thoughtSignature: 'Yg==' } } },
  ]);
});

test('calls without ids get ids, and repeated ids are replaced: fireconnect#16, maki#991, langchain#40608', () => {
  const parts = [call('a', {}), call('a', {}, { id: 'x' }), call('a', {}, { id: 'x' }), call('a', {}, { id: '' })];
  const { blocks } = read(parts, stop, { ...plainContext, usedIds: ['call-1', 'y'] });
  const ids = idsOf(blocks);
  assert.equal(new Set([...ids, 'call-1', 'y']).size, 6);
  assert.equal(ids[1], 'x');
});

test('missing arguments are an empty object, in every form: agents-js#664, strands-ts#287', () => {
  for (const functionCall of [{ name: 'go' }, { name: 'go', args: null }, { name: 'go', args: {} }]) {
    assert.deepEqual(made(read([{ functionCall }]).blocks), [['go', {}]]);
  }
});

test('arguments that are not an object do not make a runnable call', () => {
  assert.deepEqual(made(read([{ functionCall: { name: 'go', args: [1] } }]).blocks), [['go', 'malformed']]);
  assert.deepEqual(made(read([{ functionCall: { name: 'go', args: '{"a":' } }]).blocks), [['go', 'truncated']]);
});

test('arguments in pieces are assembled at any depth', () => {
  const { blocks } = decodeStream([partialStream]);
  assert.deepEqual(made(blocks), [
    ['write', { path: '/tmp/a', lines: [{ text: 'x' }, null], force: true }],
    ['math.add', { a: 2 }],
  ]);
  const [first] = blocks;
  assert.ok(first?.type === 'tool_use');
  assert.deepEqual(first.opaque?.data, { thoughtSignature: 'c2ln' });
});

test('strings in many similar pieces are assembled at their paths', () => {
  const begun = { functionCall: { name: 'write', willContinue: true } };
  const more = (at: string, stringValue: string, willContinue = true) => ({
    functionCall: { partialArgs: [{ jsonPath: `$.${at}`, stringValue, willContinue }], willContinue: true },
  });
  const words = ['one ', 'two\n', '"three" ', '\\four ', '😀', ''];
  const parts = [
    ...words.map((text) => ({ text, thought: true })),
    ...words.map((text) => ({ text })),
    begun,
    ...words.map((text) => more('a', text)),
    more('a', '', false),
    ...words.map((text) => more('b', text)),
    ...words.map((text) => more('b', text)),
    more('b', '.', false),
    { functionCall: {} },
  ];
  const { blocks } = read(parts);
  const whole = words.join('');
  assert.deepEqual(
    blocks.flatMap((block) => (block.type === 'text' || block.type === 'reasoning' ? [[block.type, block.text]] : [])),
    [
      ['reasoning', whole],
      ['text', whole],
    ],
  );
  assert.deepEqual(made(blocks), [['write', { a: whole, b: `${whole}${whole}.` }]]);
});

test('a call in pieces without an end, or with an unfinished string, is truncated', () => {
  const start = { functionCall: { name: 'go', willContinue: true } };
  const piece = (more: object, willContinue: boolean): object => ({
    functionCall: { partialArgs: [{ jsonPath: '$.a', stringValue: 'x', ...more }], willContinue },
  });
  for (const parts of [
    [start],
    [start, piece({}, true)],
    [start, piece({ willContinue: true }, false)],
    [start, piece({}, true), call('next', {})],
    [start, piece({ willContinue: true }, true), piece({ jsonPath: '$.b' }, false)],
  ]) {
    assert.deepEqual(made(read(parts).blocks)[0], ['go', 'truncated']);
  }
});

test('complete arguments after pieces make the call malformed, and any piece may carry a signature', () => {
  const piece = { partialArgs: [{ jsonPath: '$.a', numberValue: 1 }], willContinue: true };
  const start = { functionCall: { name: 'go', ...piece } };
  assert.deepEqual(made(read([start, { functionCall: { args: { b: 2 } } }]).blocks), [['go', 'malformed']]);
  assert.deepEqual(made(read([start, call('next', { b: 2 })]).blocks), [
    ['go', 'truncated'],
    ['next', { b: 2 }],
  ]);
  const [block] = read([start, { functionCall: {}, thoughtSignature: 'YQ==' }]).blocks;
  assert.ok(block?.type === 'tool_use');
  assert.deepEqual([block.arguments, block.opaque?.data], [{ a: 1 }, { thoughtSignature: 'YQ==' }]);
});

test('a piece with an impossible path makes the call malformed', () => {
  for (const piece of [
    { jsonPath: 'a', stringValue: 'x' },
    { jsonPath: '$', stringValue: 'x' },
    { jsonPath: 7, stringValue: 'x' },
    { jsonPath: '$.list[4000000000]', stringValue: 'x' },
    { jsonPath: '$[0]', stringValue: 'x' },
    { jsonPath: `$${'.a'.repeat(1000)}`, stringValue: 'x' },
    { jsonPath: '$.a' },
  ]) {
    const functionCall = { name: 'go', partialArgs: [{ jsonPath: '$.first', numberValue: 1 }, piece] };
    assert.deepEqual(made(read([{ functionCall }]).blocks), [['go', 'malformed']], String(piece.jsonPath).slice(0, 40));
  }
  const names = { name: 'go', partialArgs: [{ jsonPath: '$.__proto__.polluted', boolValue: true }] };
  read([{ functionCall: names }]);
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
});

test('a call of an unknown tool is a call, which the caller rejects', () => {
  const { finish, blocks } = read([call('nowhere', {})], { finishReason: 'UNEXPECTED_TOOL_CALL' });
  assert.deepEqual([finish?.reason, made(blocks).length], ['tool-use', 1]);
});

test('a malformed call of the model is a retryable error', () => {
  const { error } = read([], { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'call: print(' });
  assert.deepEqual(
    [error?.code, error?.retryable, error?.providerCode],
    ['E_MODEL_PROTOCOL', true, 'MALFORMED_FUNCTION_CALL'],
  );
  assert.match(error?.message ?? '', /print\(/u);
});

test('filters are refusals: by a finish reason of the response or a block reason of the request', () => {
  for (const finishReason of ['SAFETY', 'RECITATION', 'PROHIBITED_CONTENT', 'SPII', 'IMAGE_SAFETY']) {
    assert.equal(read([{ text: 'Well' }], { finishReason }).finish?.reason, 'refusal');
  }
  const blocked = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: { promptTokenCount: 4 } };
  for (const answer of [decodeBody(blocked), decodeStream([streamOf([blocked])])]) {
    assert.deepEqual([answer.finish?.reason, answer.finish?.providerReason], ['refusal', 'PROHIBITED_CONTENT']);
    assert.equal(answer.finish?.usage.inputTokens, 4);
  }
});

test('a response cut by a limit has the reason length, also without text', () => {
  assert.equal(read([], { finishReason: 'MAX_TOKENS' }).finish?.reason, 'length');
  assert.equal(decodeBody({ candidates: [{ finishReason: 'MAX_TOKENS' }] }).finish?.reason, 'length');
});

test('a stream without a finish reason is truncated', () => {
  assert.equal(decodeStream([streamOf([chunk([{ text: 'Hal' }])])]).error?.code, 'E_MODEL_TRUNCATED');
  assert.equal(decodeStream(['']).error?.code, 'E_MODEL_TRUNCATED');
  assert.equal(decodeBody([chunk([{ text: 'Hal' }])]).error?.code, 'E_MODEL_TRUNCATED');
});

test('a body without candidates and invalid JSON are errors', () => {
  for (const body of [{}, { candidates: [] }, [], 'Bad gateway', null]) {
    assert.equal(decodeBody(body).error?.code, 'E_MODEL_PROTOCOL');
  }
  assert.equal(decodeStream(['data: {"candidates"\n\n']).error?.code, 'E_MODEL_PROTOCOL');
});

test('an error during a stream ends it with its message and retry delay', () => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' }];
  const error = { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE', details };
  const answer = decodeStream([streamOf([chunk([{ text: 'Hal' }]), { error }, chunk([], stop)])]);
  assert.deepEqual(
    [answer.error?.code, answer.error?.retryable, answer.error?.retryAfterMs, answer.error?.providerCode],
    ['E_MODEL_OVERLOADED', true, 7000, 'UNAVAILABLE'],
  );
});

test('hosted calls stay opaque and in place; sources are for people and are never sent back', () => {
  const code = { executableCode: { language: 'PYTHON', code: 'print(1)' } };
  const result = { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } };
  const groundingMetadata = { webSearchQueries: ['one'] };
  const { blocks } = read([code, result, { text: 'One.' }], { ...stop, groundingMetadata });
  assert.deepEqual(blocks, [
    { type: 'unknown', raw: code, source: 'test' },
    { type: 'unknown', raw: result, source: 'test' },
    { type: 'text', text: 'One.' },
    { type: 'unknown', raw: { groundingMetadata } },
  ]);
});

test('a hosted call is not one of ours', () => {
  const context = { ...plainContext, isHosted: (name: string) => name.startsWith('server_') };
  const { blocks, finish } = read(
    [call('server_look', { a: 1 }), { functionResponse: { name: 'server_look', response: {} } }, { text: 'Done.' }],
    stop,
    context,
  );
  assert.deepEqual(
    blocks.map(({ type }) => type),
    ['unknown', 'unknown', 'text'],
  );
  assert.equal(finish?.reason, 'end');
});

test('a provider-defined call reaches its tool with its type', () => {
  const context = { ...plainContext, nameOf: () => 'browser', toolOfCallType: () => 'browser' };
  const [block] = read([call('click_at', { x: 1, y: 2 })], stop, context).blocks;
  assert.ok(block?.type === 'tool_use');
  assert.deepEqual([block.name, block.callType, block.arguments], ['browser', 'click_at', { x: 1, y: 2 }]);
});

test('an image of a response is a media block with its bytes', () => {
  const { blocks } = read([{ inlineData: { mimeType: 'image/png', data: 'AQID' } }]);
  assert.deepEqual(blocks, [
    { type: 'image', mediaType: 'image/png', source: { kind: 'bytes', bytes: Buffer.from([1, 2, 3]) } },
  ]);
});

test('tokens that hosted tools read count as input', () => {
  const usageMetadata = { promptTokenCount: 10, toolUsePromptTokenCount: 90, cachedContentTokenCount: 4 };
  const { finish } = decodeBody({ ...chunk([{ text: 'x' }], stop), usageMetadata });
  assert.deepEqual(finish?.usage, { inputTokens: 100, outputTokens: 0, cachedInputTokens: 4 });
});

test('keep-alive events, JSON that is not an object, are skipped, and deeply nested JSON is an error', () => {
  const alive = ['null', '"ping"', '1'].map((data) => `data: ${data}\n\n`);
  assert.deepEqual(decodeStream([...alive, callStream]).blocks, decodeStream([callStream]).blocks);
  const args = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  const answer = `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"go","args":${args},"willContinue":true}}]}}]}`;
  assert.equal(decodeStream([`data: ${answer}\n\n`]).error?.code, 'E_MODEL_PROTOCOL');
  assert.equal(decodeBody(JSON.parse(answer)).error?.code, 'E_MODEL_PROTOCOL');
});

test('a call without arguments is complete only if the response continues or ends normally', () => {
  const bare = { functionCall: { name: 'rm' } };
  for (const finishReason of ['MAX_TOKENS', 'SAFETY', 'OTHER']) {
    for (const parts of [[bare], [bare, { text: '' }], [call('rm', {})]]) {
      assert.deepEqual(made(read(parts, { finishReason }).blocks), [['rm', 'truncated']]);
    }
    const first = read([bare, call('go', { n: 1 })], { finishReason });
    assert.deepEqual(made(first.blocks), [
      ['rm', {}],
      ['go', { n: 1 }],
    ]);
    assert.notEqual(first.finish?.reason, 'tool-use');
  }
  for (const finishReason of ['STOP', 'UNEXPECTED_TOOL_CALL']) {
    const { blocks, finish } = read([bare], { finishReason });
    assert.deepEqual([made(blocks), finish?.reason], [[['rm', {}]], 'tool-use']);
  }
});
