import { ReActAgent } from '@ravi/agents';
import { defineTool } from '@ravi/kernel';
import type { ModelEvent, ModelMessage, ModelRequest } from '@ravi/kernel';
import { collectAnswer, createFakeClock, pairingProblems } from '@ravi/testkit';
import { APICallError } from 'ai';
import { MockLanguageModelV3, MockLanguageModelV4, simulateReadableStream } from 'ai/test';
import { expect, test } from 'vitest';
import { createAiSdkProvider } from '../src/index.ts';
import { createModel } from './support.ts';

type Part = Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;

const usage = {
  inputTokens: { total: 10, noCache: 4, cacheRead: 6, cacheWrite: undefined },
  outputTokens: { total: 5, text: 3, reasoning: 2 },
};
const finish: Part = { type: 'finish', finishReason: { unified: 'stop', raw: 'end_turn' }, usage };
const hello: ModelRequest = { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }], tools: [] };

function modelOf(...chunks: readonly Part[]): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    provider: 'acme.chat',
    modelId: 'm1',
    doStream: async () => ({ stream: simulateReadableStream({ chunks: [...chunks] }) }),
  });
}

function answerOf(...chunks: readonly Part[]): ReturnType<typeof collectAnswer> {
  return collectAnswer(createAiSdkProvider(modelOf(...chunks), { maxRetries: 0 }), hello);
}

test('text, reasoning and usage arrive as the events of a response', async () => {
  const {
    blocks,
    finish: end,
    events,
  } = await answerOf(
    { type: 'stream-start', warnings: [{ type: 'unsupported', feature: 'seed' }] },
    { type: 'response-metadata', id: 'r1', modelId: 'm1-2026' },
    { type: 'reasoning-start', id: 'a' },
    { type: 'reasoning-delta', id: 'a', delta: 'Hm' },
    { type: 'reasoning-end', id: 'a', providerMetadata: { acme: { signature: 's' } } },
    { type: 'text-start', id: 'b' },
    { type: 'text-delta', id: 'b', delta: 'Hel' },
    { type: 'text-delta', id: 'b', delta: 'lo' },
    { type: 'text-end', id: 'b' },
    finish,
  );
  expect(events[0]).toEqual({ type: 'warning', warning: { code: 'option-ignored', message: 'seed' } });
  expect(blocks).toEqual([
    {
      type: 'reasoning',
      text: 'Hm',
      opaque: { source: 'acme/ai-sdk/acme.chat/m1', data: { acme: { signature: 's' } } },
    },
    { type: 'text', text: 'Hello' },
  ]);
  expect(end).toMatchObject({
    reason: 'end',
    providerReason: 'end_turn',
    responseId: 'r1',
    model: 'm1-2026',
    usage: { inputTokens: 10, outputTokens: 5, cachedInputTokens: 6, reasoningTokens: 2 },
  });
});

test('a call arrives in pieces and once as a block, parallel calls too', async () => {
  const {
    events,
    blocks,
    finish: end,
  } = await answerOf(
    { type: 'tool-input-start', id: 'c1', toolName: 'find' },
    { type: 'tool-input-delta', id: 'c1', delta: '{"id":' },
    { type: 'tool-input-start', id: 'c2', toolName: 'find' },
    { type: 'tool-input-delta', id: 'c1', delta: '1}' },
    { type: 'tool-call', toolCallId: 'c1', toolName: 'find', input: '{"id":1}' },
    { type: 'tool-call', toolCallId: 'c2', toolName: 'find', input: '{"id":2}' },
    { type: 'tool-call', toolCallId: 'c3', toolName: 'find', input: 'not json' },
    { ...finish, finishReason: { unified: 'tool-calls', raw: undefined } },
  );
  expect(blocks).toMatchObject([
    { id: 'c1', arguments: { id: 1 } },
    { id: 'c2', arguments: { id: 2 } },
    { id: 'c3', arguments: {}, invalid: { text: 'not json' } },
  ]);
  const pieces = events.filter((event) => event.type === 'tool-call-delta' && event.id === 'c1');
  expect(pieces.map((event) => (event as { readonly text: string }).text).join('')).toBe('{"id":1}');
  expect(end?.reason).toBe('tool-use');
});

test('a call that the end of the response cuts off is not complete', async () => {
  const { blocks, finish: end } = await answerOf(
    { type: 'tool-input-start', id: 'c1', toolName: 'find' },
    { type: 'tool-input-delta', id: 'c1', delta: '{"id":' },
    { ...finish, finishReason: { unified: 'length', raw: undefined } },
  );
  expect(blocks).toMatchObject([{ id: 'c1', invalid: { reason: 'truncated' } }]);
  expect(end?.reason).toBe('length');
});

test('a stream that ends without an end, has an error or throws ends with an error event', async () => {
  expect((await answerOf({ type: 'text-start', id: 't' })).error?.code).toBe('E_MODEL_TRUNCATED');
  expect((await answerOf({ type: 'error', error: new Error('bad') })).error).toMatchObject({ message: 'bad' });
  const refused = new APICallError({
    message: 'slow down',
    url: 'https://acme.example',
    requestBodyValues: {},
    statusCode: 429,
    responseHeaders: { 'retry-after': '2' },
  });
  const model = new MockLanguageModelV4({ doStream: () => Promise.reject(refused) });
  const { error } = await collectAnswer(createAiSdkProvider(model, { maxRetries: 0 }), hello);
  expect(error).toMatchObject({ code: 'E_MODEL_RATE_LIMITED', retryable: true, status: 429, retryAfterMs: 2_000 });
});

test('a failure before the first output is tried again, one after it is not', async () => {
  const clock = createFakeClock();
  const overloaded = new APICallError({
    message: 'busy',
    url: 'https://a.example',
    requestBodyValues: {},
    statusCode: 503,
  });
  let attempts = 0;
  const model = new MockLanguageModelV4({
    doStream: async () => {
      attempts++;
      if (attempts === 1) throw overloaded;
      const text: Part[] = [
        { type: 'text-start', id: 't' },
        { type: 'text-delta', id: 't', delta: 'a' },
      ];
      return { stream: simulateReadableStream({ chunks: [...text, { type: 'error', error: overloaded }] }) };
    },
  });
  const events: ModelEvent[] = [];
  const stream = createAiSdkProvider(model, { clock }).stream(hello, { signal: new AbortController().signal });
  const done = (async () => {
    for await (const event of stream) events.push(event);
  })();
  await expect.poll(() => clock.pendingTimers).toBe(1);
  clock.advance(60_000);
  await done;
  expect(attempts).toBe(2);
  expect(events.map(({ type }) => type)).toEqual(['text-delta', 'block', 'error']);
});

test('an abort ends a response at once, also if the model ignores it', async () => {
  const controller = new AbortController();
  const model = new MockLanguageModelV4({ doStream: () => new Promise(() => undefined) });
  const answer = collectAnswer(createAiSdkProvider(model), hello, controller.signal);
  controller.abort();
  expect((await answer).error?.code).toBe('E_CANCELLED');
});

test('a conversation is sent with results after their calls, own metadata, and no metadata of other models', async () => {
  const messages: ModelMessage[] = [
    { role: 'user', content: [{ type: 'text', text: 'Find' }] },
    {
      role: 'assistant',
      content: [
        {
          type: 'reasoning',
          text: 'a',
          opaque: { source: 'acme/ai-sdk/acme.chat/m1', data: { acme: { signature: 's' } } },
        },
        { type: 'reasoning', text: 'b', opaque: { source: 'other', data: { x: 1 } } },
        { type: 'tool_use', id: 'c1', name: 'files.find', arguments: { id: 1 } },
        { type: 'tool_use', id: 'c2', name: 'files.find', arguments: { id: 2 } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', toolUseId: 'c1', isError: false, content: [{ type: 'data', data: { n: 1 } }] },
        {
          type: 'tool_result',
          toolUseId: 'c2',
          isError: false,
          content: [
            { type: 'text', text: 'see' },
            { type: 'image', mediaType: 'image/png', source: { kind: 'bytes', bytes: new Uint8Array([1]) } },
          ],
        },
      ],
    },
  ];
  expect(pairingProblems(messages)).toEqual([]);
  const model = modelOf(finish);
  const parameters = { type: 'object', properties: { id: { type: 'number' } } } as const;
  await collectAnswer(createAiSdkProvider(model), {
    system: 'Be brief',
    messages,
    tools: [{ type: 'function', name: 'files.find', description: 'Finds', parameters }],
    toolChoice: { oneOf: ['files.find'] },
    sampling: { temperature: 0.5 },
    maxOutputTokens: 100,
    reasoning: { effort: 'low' },
    output: { schema: { type: 'object' } },
  });
  const [sent] = model.doStreamCalls;
  expect(sent).toMatchObject({
    maxOutputTokens: 100,
    temperature: 0.5,
    reasoning: 'low',
    responseFormat: { type: 'json', name: 'answer' },
    tools: [{ type: 'function', name: 'files_find' }],
    toolChoice: { type: 'tool', toolName: 'files_find' },
    prompt: [
      { role: 'system', content: 'Be brief' },
      { role: 'user', content: [{ type: 'text', text: 'Find' }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'a', providerOptions: { acme: { signature: 's' } } },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'files_find', input: { id: 1 } },
          { type: 'tool-call', toolCallId: 'c2' },
        ],
      },
      {
        role: 'tool',
        content: [
          { toolCallId: 'c1', output: { type: 'json', value: { n: 1 } } },
          {
            toolCallId: 'c2',
            output: { type: 'content', value: [{ text: 'see' }, { type: 'file', mediaType: 'image/png' }] },
          },
        ],
      },
    ],
  });
});

test('options without a counterpart are reported', async () => {
  const request: ModelRequest = { ...hello, parallelToolCalls: false, metadata: { a: 'b' }, model: 'other' };
  const { events } = await collectAnswer(createAiSdkProvider(modelOf(finish)), request);
  expect(events.filter(({ type }) => type === 'warning')).toHaveLength(3);
});

test('a model of an older version of the specification works too', async () => {
  const model = new MockLanguageModelV3({
    doStream: async () => ({
      stream: simulateReadableStream({
        chunks: [
          { type: 'text-start', id: 't' },
          { type: 'text-delta', id: 't', delta: 'Hi' },
          { type: 'text-end', id: 't' },
          { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage },
        ],
      }),
    }),
  });
  const { blocks } = await collectAnswer(createAiSdkProvider(model), hello);
  expect(blocks).toEqual([{ type: 'text', text: 'Hi' }]);
});

test('an agent of Ravi works with a model of the AI SDK', async () => {
  const found: unknown[] = [];
  const find = defineTool({
    name: 'find_order',
    description: 'Finds',
    risk: 'safe',
    inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
    execute: (args) => {
      found.push(args.id);
      return 'found';
    },
  });
  const model = createModel([{ id: 'c1', name: 'find_order', input: { id: 'A1' } }], 'It is there');
  const agent = new ReActAgent({ name: 'clerk', model: createAiSdkProvider(model), tools: [find] });
  const result = await agent.run('Find A1');
  expect(found).toEqual(['A1']);
  expect(result.text).toBe('It is there');
});
