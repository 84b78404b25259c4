import assert from 'node:assert/strict';
import { GoogleGenAI } from '@google/genai';
import type { FunctionSpec, ModelRequest } from '@ravi/kernel';
import { collectAnswer, readRecordings, startLoopbackServer } from '@ravi/testkit';
import type { LoopbackAnswer, LoopbackServer } from '@ravi/testkit';
import { test } from 'vitest';
import { createGoogleProvider } from '../src/index.ts';
import type { GoogleOptions } from '../src/index.ts';
import { streamIn } from './decode-recorded.ts';
import { callStream, chunk } from './streams.ts';

const add: FunctionSpec = {
  type: 'function',
  name: 'math.add',
  description: 'Adds.',
  parameters: { type: 'object', properties: { a: { type: 'number' } } },
};
const question: ModelRequest = {
  system: 'Be brief.',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Add 1 and 2.' }] }],
  tools: [add],
  maxOutputTokens: 100,
};

function providerAt({ url }: LoopbackServer, options: Partial<GoogleOptions> = {}) {
  return createGoogleProvider({
    model: 'gemini-3-pro',
    baseUrl: `${url}/v1beta`,
    apiKey: 'key-very-secret',
    maxRetryDelayMs: 0,
    ...options,
  });
}

function libraryAt({ url }: LoopbackServer) {
  return new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: url, apiVersion: 'v1beta' } });
}

/** Starts a server that sends these responses in turn and then repeats the last one. */
function serving(...responses: readonly LoopbackAnswer[]): Promise<LoopbackServer> {
  let asked = 0;
  return startLoopbackServer(() => responses[Math.min(asked++, responses.length - 1)] as LoopbackAnswer);
}

/** Returns the text and the calls that the official library streams. */
async function readByLibrary(server: LoopbackServer): Promise<{ text: string; calls: unknown[] }> {
  const stream = await libraryAt(server).models.generateContentStream({ model: 'gemini-3-pro', contents: 'x' });
  const read = { text: '', calls: [] as unknown[] };
  for await (const { candidates } of stream) {
    for (const { text, thought, functionCall } of candidates?.[0]?.content?.parts ?? []) {
      if (thought !== true) read.text += text ?? '';
      if (functionCall !== undefined) read.calls.push([functionCall.name, functionCall.args ?? {}]);
    }
  }
  return read;
}

async function readByUs(server: LoopbackServer): Promise<{ text: string; calls: unknown[] }> {
  const { blocks } = await collectAnswer(providerAt(server), question);
  return {
    text: blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    calls: blocks.flatMap((block) => (block.type === 'tool_use' ? [[block.name, block.arguments]] : [])),
  };
}

test('the official library and the provider read the same response from one server, at the same URL', async () => {
  await using server = await serving({ body: callStream });
  assert.deepEqual(await readByUs(server), await readByLibrary(server));
  const [ours, theirs] = server.requests;
  assert.equal(ours?.path, '/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse');
  assert.equal(ours?.path, theirs?.path);
  assert.equal(ours?.headers['x-goog-api-key'], 'key-very-secret');
});

test('the official library sends the same body for the same request', async () => {
  await using server = await serving({ body: chunk([{ text: 'Three.' }], { finishReason: 'STOP' }) });
  await collectAnswer(providerAt(server, { stream: false }), question);
  await libraryAt(server).models.generateContent({
    model: 'gemini-3-pro',
    contents: [{ role: 'user', parts: [{ text: 'Add 1 and 2.' }] }],
    config: {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      maxOutputTokens: 100,
      tools: [
        { functionDeclarations: [{ name: add.name, description: 'Adds.', parametersJsonSchema: add.parameters }] },
      ],
    },
  });
  const [ours, theirs] = server.requests;
  assert.deepEqual(ours?.body, theirs?.body);
  assert.equal(ours?.path, theirs?.path);
});

const recordings = readRecordings(/^gemini(-vertex)?$/u);
(recordings === undefined ? test.skip : test)(
  'the official library and the provider read the same text and calls from recorded streams over sockets (needs the shared recordings)',
  async () => {
    let count = 0;
    for (const { interactions } of recordings ?? []) {
      for (const interaction of interactions) {
        const text = streamIn(interaction);
        // The official library does not read arguments in pieces.
        if (text === undefined || interaction.expected === undefined || text.includes('partialArgs')) continue;
        count++;
        // Split in the middle of an event.
        await using server = await serving({ body: text.match(/[\s\S]{1,997}/gu) ?? [] });
        assert.deepEqual(await readByUs(server), await readByLibrary(server));
      }
    }
    console.log(`${count} recorded streams read by both over sockets`);
    assert.ok(count > 20);
  },
);

test('a whole body is read if the server does not stream', async () => {
  await using server = await serving({ body: chunk([{ text: 'Three.' }], { finishReason: 'STOP' }) });
  const { blocks, finish } = await collectAnswer(providerAt(server, { stream: false }), question);
  assert.deepEqual(blocks, [{ type: 'text', text: 'Three.' }]);
  assert.deepEqual([finish?.reason, finish?.responseId, finish?.model], ['end', 'r-1', 'gemini-3-pro']);
  assert.equal(server.requests[0]?.path, '/v1beta/models/gemini-3-pro:generateContent');
});

test('a stream that arrives as one list of chunks is read as a stream', async () => {
  const body = [chunk([{ text: 'Thr' }]), chunk([{ text: 'ee.' }], { finishReason: 'STOP' })];
  await using server = await serving({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const { blocks } = await collectAnswer(providerAt(server), question);
  assert.deepEqual(blocks, [{ type: 'text', text: 'Three.' }]);
});

test('the retry delay in an error body is respected, and one that is too long is part of the error', async () => {
  const refused = (retryDelay: string): LoopbackAnswer => ({
    status: 429,
    body: {
      error: {
        code: 429,
        message: 'Quota exceeded',
        status: 'RESOURCE_EXHAUSTED',
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }],
      },
    },
  });
  await using patient = await serving(refused('0s'), { body: callStream });
  assert.equal((await collectAnswer(providerAt(patient), question)).error, undefined);
  assert.equal(patient.requests.length, 2);

  await using busy = await serving(refused('34.4s'));
  const { error } = await collectAnswer(providerAt(busy), question);
  assert.deepEqual(
    [error?.code, error?.retryAfterMs, error?.providerCode],
    ['E_MODEL_RATE_LIMITED', 34_400, 'RESOURCE_EXHAUSTED'],
  );
});

test('a limit per minute is retried after its wait, although its message mentions billing', async () => {
  const limited: LoopbackAnswer = {
    status: 429,
    body: {
      error: {
        code: 429,
        message: 'You exceeded your current quota, please check your plan and billing details.',
        status: 'RESOURCE_EXHAUSTED',
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '14.4s' }],
      },
    },
  };
  await using server = await serving(limited);
  const { error } = await collectAnswer(providerAt(server), question);
  assert.deepEqual([error?.code, error?.retryable, error?.retryAfterMs], ['E_MODEL_RATE_LIMITED', true, 14_400]);
});

test('a rejected key is detected by the message, is not retried, and is never shown', async () => {
  const error = {
    code: 400,
    message: 'API key not valid: key-very-secret',
    status: 'INVALID_ARGUMENT',
    details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
  };
  await using server = await serving({ status: 400, body: JSON.stringify([{ error }]) });
  const response = await collectAnswer(providerAt(server), question);
  assert.deepEqual([response.error?.code, response.error?.providerCode], ['E_MODEL_AUTHENTICATION', 'API_KEY_INVALID']);
  assert.doesNotMatch(JSON.stringify(response.error), /very-secret/u);
  assert.equal(server.requests.length, 1);
});

test('a truncated response is an error, and an unfinished call is not a call', async () => {
  const half = callStream.slice(0, callStream.indexOf('"c2"'));
  await using server = await serving({ body: half, breaks: true });
  const { error, blocks } = await collectAnswer(providerAt(server), question);
  assert.deepEqual([error?.code, error?.retryable], ['E_MODEL_TRUNCATED', true]);
  assert.equal(blocks.filter(({ type }) => type === 'tool_use').length, 1);
});

test('an abort during a response ends it', async () => {
  await using server = await serving({ body: callStream.slice(0, 400), hangs: true });
  const abort = new AbortController();
  const codes: string[] = [];
  for await (const event of providerAt(server).stream(question, { signal: abort.signal })) {
    abort.abort();
    codes.push(event.type === 'error' ? event.error.code : event.type);
  }
  assert.equal(codes.at(-1), 'E_CANCELLED');
});

test('each request to Vertex AI has its own token, and a model name with a path is used as a path', async () => {
  await using server = await serving({ body: callStream });
  let issued = 0;
  const provider = createGoogleProvider({
    model: 'gemini-3-pro',
    baseUrl: `${server.url}/v1/projects/p/locations/l/publishers/google`,
    accessToken: () => `token-${++issued}`,
  });
  await collectAnswer(provider, { ...question, metadata: { team: 'a' } });
  await collectAnswer(provider, { ...question, model: 'tunedModels/mine' });
  const [first, second] = server.requests;
  assert.equal(
    first?.path,
    '/v1/projects/p/locations/l/publishers/google/models/gemini-3-pro:streamGenerateContent?alt=sse',
  );
  assert.match(second?.path ?? '', /publishers\/google\/tunedModels\/mine:/u);
  assert.deepEqual([first?.headers.authorization, second?.headers.authorization], ['Bearer token-1', 'Bearer token-2']);
  assert.match(JSON.stringify(first?.body), /"labels":\{"team":"a"\}/u);
});

test('a key that is not a valid header value is rejected at once and not shown, a token once it is used', async () => {
  assert.throws(
    () => createGoogleProvider({ model: 'm', apiKey: 'key-very\nsecret' }),
    ({ code, message }: { code?: string; message: string }) =>
      code === 'E_CONFIG_INVALID' && !/key-very|secret/u.test(message),
  );
  await using server = await serving({ body: callStream });
  const { error } = await collectAnswer(providerAt(server, { accessToken: () => 'token-very\nsecret' }), question);
  assert.deepEqual([error?.code, error?.retryable, server.requests.length], ['E_CONFIG_INVALID', false, 0]);
  assert.doesNotMatch(error?.message ?? '', /token-very|secret/u);
});

test('an unavailable token is an error, and an abort ends the wait for one', async () => {
  await using server = await serving({ body: callStream });
  const broken = providerAt(server, { accessToken: () => Promise.reject(new TypeError('no metadata server')) });
  const { error } = await collectAnswer(broken, question);
  assert.deepEqual([error?.code, error?.retryable], ['E_MODEL_PROTOCOL', false]);
  assert.match(error?.message ?? '', /no metadata server/u);

  const abort = new AbortController();
  const slow = providerAt(server, {
    accessToken() {
      queueMicrotask(() => abort.abort());
      return new Promise(() => undefined);
    },
  });
  assert.equal((await collectAnswer(slow, question, abort.signal)).error?.code, 'E_CANCELLED');
  assert.equal(server.requests.length, 0);
});

test('no model name leaves the path of the API version', async () => {
  const leaving = ['../../../admin', 'models/../x', 'a/..', './x/'];
  for (const model of leaving) {
    const message = /must not contain/u;
    assert.throws(() => createGoogleProvider({ model }), { code: 'E_CONFIG_INVALID', message }, model);
  }
  await using server = await serving({ body: callStream });
  for (const model of leaving) {
    const { error } = await collectAnswer(providerAt(server), { ...question, model });
    assert.deepEqual([error?.code, error?.retryable], ['E_CONFIG_INVALID', false]);
  }
  assert.equal(server.requests.length, 0);
  const names = ['a?b#c', String.raw`x\..\..\y`, '%2e%2e/admin', 'models/gemini@001'];
  for (const model of names) await collectAnswer(providerAt(server), { ...question, model });
  assert.deepEqual(
    server.requests.map(({ path }) => path.replace(':streamGenerateContent?alt=sse', '')),
    [
      '/v1beta/models/a%3Fb%23c',
      '/v1beta/models/x%5C..%5C..%5Cy',
      '/v1beta/%252e%252e/admin',
      '/v1beta/models/gemini@001',
    ],
  );
});
