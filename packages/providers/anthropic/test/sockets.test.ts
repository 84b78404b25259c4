import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import type { ModelProvider, ModelRequest } from '@ravi/kernel';
import { collectAnswer, readRecordings, startLoopbackServer } from '@ravi/testkit';
import type { LoopbackAnswer, LoopbackServer } from '@ravi/testkit';
import { test } from 'vitest';
import { createAnthropicProvider } from '../src/index.ts';
import type { AnthropicOptions } from '../src/index.ts';
import { callStream } from './streams.ts';

const question: ModelRequest = {
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Add 1 and 2.' }] }],
  tools: [
    {
      type: 'function',
      name: 'math.add',
      description: 'Adds.',
      parameters: { type: 'object', properties: { a: { type: 'number' } } },
    },
  ],
};
const model = 'claude-sonnet-4-6';

function providerAt({ url }: LoopbackServer, options: Partial<AnthropicOptions> = {}): ModelProvider {
  return createAnthropicProvider({ model, baseUrl: url, apiKey: 'sk-ant-secret', maxRetryDelayMs: 0, ...options });
}

function officialAt({ url }: LoopbackServer): Anthropic {
  return new Anthropic({ apiKey: 'sk-ant-secret', baseURL: url, maxRetries: 0 });
}

/** Starts a server that sends these responses in turn and then repeats the last one. */
function serving(...responses: readonly LoopbackAnswer[]): Promise<LoopbackServer> {
  let asked = 0;
  return startLoopbackServer(() => responses[Math.min(asked++, responses.length - 1)] as LoopbackAnswer);
}

function finalMessage(client: Anthropic): Promise<Anthropic.Message> {
  const stream = client.messages.stream({ model, max_tokens: 10, messages: [{ role: 'user', content: 'x' }] });
  return stream.finalMessage();
}

test('the official library and the provider read the same calls and counts from one server', async () => {
  await using server = await serving({ body: callStream });
  const theirs = await finalMessage(officialAt(server));
  const ours = await collectAnswer(providerAt(server), question);
  assert.deepEqual(
    ours.blocks.flatMap((block) => (block.type === 'tool_use' ? [[block.id, block.name, block.arguments]] : [])),
    theirs.content.flatMap((block) =>
      block.type === 'tool_use' ? [[block.id, block.name.replace('_', '.'), block.input]] : [],
    ),
  );
  assert.equal(ours.finish?.usage.outputTokens, theirs.usage.output_tokens);
});

test('a server receives the same request from the provider and the official library', async () => {
  await using server = await serving({ body: callStream });
  const request = { ...question, maxOutputTokens: 10, toolChoice: 'required' } as const;
  await collectAnswer(providerAt(server, { apiVersion: '2026-10-21', cache: 'none', betas: ['a-1', 'b-2'] }), request);
  const stream = officialAt(server).beta.messages.stream({
    model,
    max_tokens: 10,
    betas: ['a-1', 'b-2'],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Add 1 and 2.' }] }],
    tools: [
      {
        name: 'math_add',
        description: 'Adds.',
        input_schema: { type: 'object', properties: { a: { type: 'number' } } },
      },
    ],
    tool_choice: { type: 'any' },
  });
  await stream.finalMessage();
  const [ours, theirs] = server.requests;
  assert.deepEqual(ours?.body, theirs?.body);
  for (const name of ['content-type', 'authorization', 'x-api-key', 'anthropic-version', 'anthropic-beta']) {
    assert.equal(ours?.headers[name], theirs?.headers[name], name);
  }
  assert.equal(ours?.path, theirs?.path.replace('?beta=true', ''));
});

const recordings = readRecordings(/^anthropic-messages$/u);
(recordings === undefined ? test.skip : test)(
  'the official library and the provider read the same text and calls from recorded responses over sockets (needs the shared recordings)',
  async () => {
    const responses = (recordings ?? [])
      .flatMap(({ interactions }) => interactions)
      .filter(({ expected, request }) => expected !== undefined && request.path.startsWith('/v1/messages'));
    let current: LoopbackAnswer = { body: '' };
    await using server = await startLoopbackServer(() => current);
    for (const { response } of responses) {
      // Split in the middle of an event.
      current = { body: response.text?.match(/[\s\S]{1,61}/gu) ?? response.body };
      const ours = await collectAnswer(providerAt(server), { ...question, tools: [] });
      const client = officialAt(server);
      const theirs =
        response.text === undefined
          ? await client.messages.create({ model, max_tokens: 10, messages: [] })
          : await finalMessage(client);
      const said = ours.blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
      assert.equal(said, theirs.content.map((block) => (block.type === 'text' ? block.text : '')).join(''));
      assert.deepEqual(
        ours.blocks.flatMap((block) => (block.type === 'tool_use' ? [[block.id, block.name, block.arguments]] : [])),
        theirs.content.flatMap((block) => (block.type === 'tool_use' ? [[block.id, block.name, block.input]] : [])),
      );
    }
    console.log(`${responses.length} recorded responses read by both over sockets`);
    assert.ok(responses.length > 100);
  },
);

test('the wait of an overloaded server is respected, a rejected request is not retried, and the key is never shown', async () => {
  const failure = (type: string, message: string): object => ({ type: 'error', error: { type, message } });
  const overloaded = { status: 529, headers: { 'retry-after': '0' }, body: failure('overloaded_error', 'Overloaded') };
  await using patient = await serving(overloaded, overloaded, { body: callStream });
  assert.equal((await collectAnswer(providerAt(patient), question)).error, undefined);
  assert.equal(patient.requests.length, 3);

  const wrong = { status: 401, body: failure('authentication_error', 'invalid x-api-key sk-ant-secret') };
  await using strict = await serving(wrong);
  const { error } = await collectAnswer(providerAt(strict), question);
  assert.equal(error?.code, 'E_MODEL_AUTHENTICATION');
  assert.doesNotMatch(JSON.stringify(error), /ant-secret/u);
  assert.equal(strict.requests.length, 1);

  const final = { ...overloaded, headers: { 'x-should-retry': 'false', 'request-id': 'req_1' } };
  await using stubborn = await serving(final);
  const told = await collectAnswer(providerAt(stubborn), question);
  assert.deepEqual([told.error?.retryable, told.error?.requestId], [false, 'req_1']);
  assert.equal(stubborn.requests.length, 1);
});

test('an error keeps its most specific provider code', async () => {
  const details = { error_code: 'tool_name_conflict' };
  const error = { type: 'invalid_request_error', message: 'Two tools have one name', details };
  await using server = await serving({ status: 400, body: { type: 'error', error } });
  const response = await collectAnswer(providerAt(server), question);
  assert.deepEqual(
    [response.error?.providerCode, response.error?.code],
    ['tool_name_conflict', 'E_MODEL_REFUSED_REQUEST'],
  );
  const long = { ...error, message: 'prompt is too long: 200001 tokens > 200000 maximum', details: undefined };
  await using full = await serving({ status: 400, body: { type: 'error', error: long } });
  assert.equal((await collectAnswer(providerAt(full), question)).error?.code, 'E_MODEL_CONTEXT_EXCEEDED');
});

test('an abort during a response ends it and closes the connection', async () => {
  await using server = await serving({ body: callStream.slice(0, 900), hangs: true });
  const abort = new AbortController();
  const types: string[] = [];
  for await (const event of providerAt(server).stream(question, { signal: abort.signal })) {
    types.push(event.type === 'error' ? event.error.code : event.type);
    abort.abort();
  }
  assert.equal(types.at(-1), 'E_CANCELLED');
});

test('a truncated response is an error, and its open call is not a block', async () => {
  await using server = await serving({ body: callStream.slice(0, callStream.indexOf('{\\"a\\"') + 30), breaks: true });
  const { error, blocks } = await collectAnswer(providerAt(server), question);
  assert.deepEqual([error?.code, error?.retryable], ['E_MODEL_TRUNCATED', true]);
  assert.deepEqual(
    blocks.filter(({ type }) => type === 'tool_use'),
    [],
  );
});

test('a model without native tools gets them in the prompt and returns the same blocks', async () => {
  const words = '```tool_call\n{"name": "math.add", "arguments": {"a": 1}}\n```';
  const body = { type: 'message', content: [{ type: 'text', text: words }], stop_reason: 'end_turn', usage: {} };
  await using server = await serving({ body });
  const { blocks } = await collectAnswer(providerAt(server, { tools: 'text' }), question);
  const call = blocks.find((block) => block.type === 'tool_use');
  assert.deepEqual([call?.name, call?.arguments], ['math.add', { a: 1 }]);
  assert.equal((server.requests[0]?.body as { readonly tools?: unknown } | undefined)?.tools, undefined);
});

test('a key that is not a valid header value is rejected at once and not shown, and headers override those of the provider', async () => {
  assert.throws(
    () => createAnthropicProvider({ model, apiKey: 'sk-ant\nsecret' }),
    ({ code, message }: { code?: string; message: string }) =>
      code === 'E_CONFIG_INVALID' && !/sk-ant|secret/u.test(message),
  );
  await using server = await serving({ body: callStream });
  const headers = { 'Anthropic-Version': '2026-10-21', 'X-Api-Key': 'other' };
  await collectAnswer(providerAt(server, { headers }), question);
  const sent = server.requests[0]?.headers;
  assert.deepEqual([sent?.['anthropic-version'], sent?.['x-api-key']], ['2026-10-21', 'other']);
});
