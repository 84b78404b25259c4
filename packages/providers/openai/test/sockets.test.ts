import assert from 'node:assert/strict';
import type { ModelRequest } from '@ravi/kernel';
import { collectAnswer, createFakeClock, readRecordings, startLoopbackServer } from '@ravi/testkit';
import type { LoopbackAnswer, LoopbackServer } from '@ravi/testkit';
import OpenAI from 'openai';
import { test } from 'vitest';
import { createOpenAiProvider } from '../src/index.ts';
import type { OpenAiOptions } from '../src/index.ts';
import { apiOf } from './decode-recorded.ts';
import { chatCallStream, responsesCallStream } from './streams.ts';

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

function providerAt({ url }: LoopbackServer, options: Partial<OpenAiOptions> = {}) {
  return createOpenAiProvider({
    model: 'm',
    baseUrl: `${url}/v1`,
    apiKey: 'sk-very-secret',
    maxRetryDelayMs: 0,
    ...options,
  });
}

/** Starts a server that sends these responses in turn and then repeats the last one. */
function serving(...responses: readonly LoopbackAnswer[]): Promise<LoopbackServer> {
  let asked = 0;
  return startLoopbackServer(() => responses[Math.min(asked++, responses.length - 1)] as LoopbackAnswer);
}

test('the official library and the provider read the same calls from one chat server', async () => {
  await using server = await serving({ body: chatCallStream });
  const client = new OpenAI({ apiKey: 'k', baseURL: `${server.url}/v1` });
  const theirs = await client.chat.completions
    .stream({ model: 'm', messages: [{ role: 'user', content: 'x' }] })
    .finalChatCompletion();
  const ours = await collectAnswer(providerAt(server, { api: 'chat' }), question);
  assert.deepEqual(
    ours.blocks.map((block) => (block.type === 'tool_use' ? [block.id, block.name, block.arguments] : [])),
    theirs.choices[0]?.message.tool_calls?.map((call) =>
      call.type === 'function'
        ? [call.id, call.function.name.replace('_', '.'), JSON.parse(call.function.arguments)]
        : [],
    ),
  );
  assert.equal(server.requests[1]?.path, '/v1/chat/completions');
});

test('the official library and the provider read the same calls from one Responses server', async () => {
  await using server = await serving({ body: responsesCallStream });
  const client = new OpenAI({ apiKey: 'k', baseURL: `${server.url}/v1` });
  const theirs = await client.responses.stream({ model: 'm', input: 'x' }).finalResponse();
  const ours = await collectAnswer(providerAt(server, { api: 'responses' }), question);
  assert.deepEqual(
    ours.blocks.flatMap((block) => (block.type === 'tool_use' ? [[block.id, block.arguments]] : [])),
    theirs.output.flatMap((item) =>
      item.type === 'function_call' ? [[item.call_id, JSON.parse(item.arguments)]] : [],
    ),
  );
  assert.equal(ours.finish?.usage.outputTokens, theirs.usage?.output_tokens);
});

const recordings = readRecordings(/^openai-(chat|responses)$/u);
(recordings === undefined ? test.skip : test)(
  'the official library and the provider read the same text and calls from recorded streams over sockets (needs the shared recordings)',
  async () => {
    let count = 0;
    for (const { interactions } of recordings ?? []) {
      for (const interaction of interactions) {
        const { text } = interaction.response;
        if (text === undefined || interaction.expected === undefined) continue;
        count++;
        // Split in the middle of an event.
        const pieces = text.match(/[\s\S]{1,37}/gu) ?? [];
        await using server = await serving({ body: pieces });
        const api = apiOf(interaction);
        const client = new OpenAI({ apiKey: 'k', baseURL: `${server.url}/v1` });
        const ours = await collectAnswer(providerAt(server, { api }), { ...question, tools: [] });
        const said = ours.blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
        const called = ours.blocks.flatMap((block) => (block.type === 'tool_use' ? [block.name] : []));
        if (api === 'chat') {
          const theirs = await client.chat.completions.stream({ model: 'm', messages: [] }).finalChatCompletion();
          const message = theirs.choices[0]?.message;
          assert.equal(said, message?.content ?? '');
          assert.deepEqual(
            called,
            (message?.tool_calls ?? []).map((call) => (call.type === 'function' ? call.function.name : '')),
          );
        } else {
          const theirs = await client.responses.stream({ model: 'm', input: 'x' }).finalResponse();
          assert.equal(said, theirs.output_text);
          assert.deepEqual(
            called,
            theirs.output.flatMap((item) => (item.type === 'function_call' ? [item.name] : [])),
          );
        }
      }
    }
    console.log(`${count} recorded streams read by both over sockets`);
    assert.ok(count > 10);
  },
);

test('a whole body is read if the server does not stream', async () => {
  const message = { role: 'assistant', content: 'Three.' };
  await using server = await serving({ body: { id: 'r', choices: [{ index: 0, message, finish_reason: 'stop' }] } });
  const { blocks } = await collectAnswer(providerAt(server, { stream: false }), question);
  assert.deepEqual(blocks, [{ type: 'text', text: 'Three.' }]);
});

test('a retryable error is retried as the server asks, a final one is not, and the key is never shown', async () => {
  const limited = {
    status: 429,
    headers: { 'retry-after-ms': '0' },
    body: { error: { message: 'slow', code: 'rate_limit_exceeded' } },
  };
  await using patient = await serving(limited, limited, { body: chatCallStream });
  assert.equal((await collectAnswer(providerAt(patient), question)).error, undefined);
  assert.equal(patient.requests.length, 3);

  const wrongKey = { status: 401, body: { error: { message: 'Incorrect API key provided: sk-very-secret' } } };
  await using strict = await serving(wrongKey);
  const { error } = await collectAnswer(providerAt(strict), question);
  assert.equal(error?.code, 'E_MODEL_AUTHENTICATION');
  assert.doesNotMatch(JSON.stringify(error), /very-secret/u);
  assert.equal(strict.requests.length, 1);

  const empty = {
    status: 429,
    body: { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } },
  };
  await using broke = await serving(empty);
  assert.equal((await collectAnswer(providerAt(broke), question)).error?.retryable, false);
  assert.equal(broke.requests.length, 1);
});

test('requests are retried after the wait in the rate limit messages of Groq, OpenAI and Gemini', async () => {
  const limits: [error: Record<string, unknown>, waitMs: number][] = [
    [
      {
        message:
          'Rate limit reached for model `llama-3.3-70b-versatile` on tokens per minute (TPM): Limit 12000, Used 11380, ' +
          'Requested 1630. Please try again in 5.05s. Need more tokens? Upgrade to Dev Tier today at ' +
          'https://console.groq.com/settings/billing',
        type: 'tokens',
        code: 'rate_limit_exceeded',
      },
      5050,
    ],
    [{ message: 'Please try again in 2s. Visit https://platform.openai.com/account/rate-limits.', code: '' }, 2000],
    [{ message: 'Please try again in 6m0s.', type: 'tokens' }, 360_000],
    [
      {
        code: 429,
        message: 'You exceeded your current quota, please check your plan and billing details. Please retry in 14.4s.',
        status: 'RESOURCE_EXHAUSTED',
      },
      14_400,
    ],
  ];
  for (const [error, waitMs] of limits) {
    await using server = await serving({ status: 429, body: { error } });
    const told = (await collectAnswer(providerAt(server), question)).error;
    assert.deepEqual([told?.retryable, told?.retryAfterMs], [true, waitMs], told?.message);
  }
  const empty = { code: '429', type: 'insufficient_quota', message: 'Please try again in 2s.' };
  await using broke = await serving({ status: 429, body: { error: empty } });
  const { error } = await collectAnswer(providerAt(broke), question);
  assert.deepEqual([error?.retryable, error?.providerCode], [false, 'insufficient_quota']);
});

test('a wait that is too long is not waited and is part of the error', async () => {
  await using server = await serving({
    status: 503,
    headers: { 'retry-after': '120' },
    body: { error: { message: 'busy' } },
  });
  const { error } = await collectAnswer(providerAt(server), question);
  assert.deepEqual([error?.code, error?.retryable, error?.retryAfterMs], ['E_MODEL_OVERLOADED', true, 120_000]);
  assert.equal(server.requests.length, 1);
});

test('a truncated response is an error, and its open call is not a block', async () => {
  const half = chatCallStream.slice(0, chatCallStream.indexOf('finish_reason":"tool_calls') - 120);
  await using server = await serving({ body: half, breaks: true });
  const { error, blocks } = await collectAnswer(providerAt(server), question);
  assert.equal(error?.code, 'E_MODEL_TRUNCATED');
  assert.equal(error?.retryable, true);
  assert.deepEqual(blocks.filter(({ type }) => type === 'tool_use').length, 1);
});

test('an abort during a response ends it and closes the connection', async () => {
  await using server = await serving({ body: chatCallStream.slice(0, 400), hangs: true });
  const abort = new AbortController();
  const types: string[] = [];
  for await (const event of providerAt(server).stream(question, { signal: abort.signal })) {
    types.push(event.type);
    abort.abort();
    if (event.type === 'error') assert.equal(event.error.code, 'E_CANCELLED');
  }
  assert.equal(types.at(-1), 'error');
  const before = await collectAnswer(providerAt(server), question, AbortSignal.abort());
  assert.equal(before.error?.code, 'E_CANCELLED');
  assert.equal(server.requests.length, 1);
});

test('a server that is silent for too long times out', async () => {
  await using server = await serving({ body: chatCallStream.slice(0, 400), hangs: true });
  const clock = createFakeClock();
  const events: string[] = [];
  for await (const event of providerAt(server, { clock, idleTimeoutMs: 1000 }).stream(question, {
    signal: new AbortController().signal,
  })) {
    events.push(event.type === 'error' ? event.error.code : event.type);
    // Every byte restarts the timeout; after the last piece it expires.
    setImmediate(() => clock.advance(1000));
  }
  assert.equal(events.at(-1), 'E_MODEL_TIMEOUT');
});

test('a refused connection is a retryable error', async () => {
  const server = await serving({ body: '' });
  await server[Symbol.asyncDispose]();
  const { error } = await collectAnswer(providerAt(server), question);
  assert.deepEqual([error?.code, error?.retryable], ['E_MODEL_UNREACHABLE', true]);
  assert.match(error?.message ?? '', /at 127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED: nothing listens there\)/u);
});

test('a query of the URL stays after the path, and headers are sent', async () => {
  await using server = await serving({ body: chatCallStream });
  const baseUrl = `${server.url}/openai/v1?api-version=preview`;
  const provider = createOpenAiProvider({ model: 'm', baseUrl, headers: { 'api-key': 'k' } });
  await collectAnswer(provider, question);
  assert.equal(server.requests[0]?.path, '/openai/v1/chat/completions?api-version=preview');
  assert.equal(server.requests[0]?.headers['api-key'], 'k');
});

test('a key that is not a valid header value is rejected at once and not shown, and headers override the key', async () => {
  const baseUrl = 'http://127.0.0.1:9';
  assert.throws(
    () => createOpenAiProvider({ model: 'm', baseUrl, apiKey: 'sk-very\nsecret' }),
    ({ code, message }: { code?: string; message: string }) =>
      code === 'E_CONFIG_INVALID' && !/sk-very|secret/u.test(message),
  );
  await using server = await serving({ body: chatCallStream });
  await collectAnswer(providerAt(server, { headers: { Authorization: 'Bearer other' } }), question);
  assert.equal(server.requests[0]?.headers.authorization, 'Bearer other');
});

test('an error wrapped by a router contains the message of the upstream server, without the key', async () => {
  const routed = (raw: unknown, code = 400): LoopbackAnswer => ({
    status: code,
    body: { error: { code, message: 'Provider returned error', metadata: { provider_name: 'Google', raw } } },
  });
  const said = { error: { message: 'tools.3: invalid schema sk-very-secret', code: 400, status: 'INVALID_ARGUMENT' } };
  for (const raw of [JSON.stringify(said), said, [said]]) {
    await using server = await serving(routed(raw));
    const { error } = await collectAnswer(providerAt(server), question);
    assert.match(error?.message ?? '', /: Provider returned error: tools\.3: invalid schema \[key\]$/u);
    assert.equal(error?.providerCode, 'INVALID_ARGUMENT');
  }
  const texts: [raw: unknown, message: RegExp][] = [
    ['upstream broke', /Provider returned error: upstream broke$/u],
    ['x'.repeat(5000), /Provider returned error: x+…$/u],
    ['', /Provider returned error$/u],
    [null, /Provider returned error$/u],
  ];
  for (const [raw, message] of texts) {
    await using server = await serving(routed(raw));
    assert.match((await collectAnswer(providerAt(server), question)).error?.message ?? '', message);
  }
  await using limited = await serving(routed('Please try again in 2s. See /settings/billing', 429));
  const { error } = await collectAnswer(providerAt(limited), question);
  assert.deepEqual([error?.retryable, error?.retryAfterMs], [true, 2000]);
});
