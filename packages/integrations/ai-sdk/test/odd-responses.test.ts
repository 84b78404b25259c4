import type { ModelRequest } from '@ravi/kernel';
import { collectAnswer, createSeededRandom, pairingProblems } from '@ravi/testkit';
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';
import { expect, test } from 'vitest';
import { createAiSdkProvider } from '../src/index.ts';

type Part = Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;

const usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};
const user: ModelRequest['messages'][number] = { role: 'user', content: [{ type: 'text', text: 'Hello' }] };
const hello: ModelRequest = { messages: [user], tools: [] };

function answerTo(request: ModelRequest, chunks: Part[]): ReturnType<typeof collectAnswer> {
  const model = new MockLanguageModelV4({ doStream: async () => ({ stream: simulateReadableStream({ chunks }) }) });
  return collectAnswer(createAiSdkProvider(model, { maxRetries: 0 }), request);
}

const metadata = { acme: { key: 'value' } };
const ids = ['a', 'b', ''];
const kinds: readonly ((id: string, text: string) => Part)[] = [
  () => ({ type: 'stream-start', warnings: [{ type: 'other', message: 'careful' }] }),
  (id) => ({ type: 'response-metadata', id, modelId: id }),
  (id) => ({ type: 'text-start', id }),
  (id, delta) => ({ type: 'text-delta', id, delta }),
  (id) => ({ type: 'text-end', id, providerMetadata: metadata }),
  (id) => ({ type: 'reasoning-start', id }),
  (id, delta) => ({ type: 'reasoning-delta', id, delta }),
  (id) => ({ type: 'reasoning-end', id, providerMetadata: metadata }),
  (id) => ({ type: 'tool-input-start', id, toolName: 'find' }),
  (id, delta) => ({ type: 'tool-input-delta', id, delta }),
  (id) => ({ type: 'tool-input-end', id }),
  (id, input) => ({ type: 'tool-call', toolCallId: id, toolName: 'find', input }),
  (id, input) => ({ type: 'tool-call', toolCallId: id, toolName: 'search', input, providerExecuted: true }),
  (id) => ({ type: 'tool-result', toolCallId: id, toolName: 'search', result: { found: true } }),
  () => ({ type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AQ==' } }),
  () => ({ type: 'file', mediaType: 'application/pdf', data: { type: 'url', url: new URL('https://a.example/x') } }),
  (id) => ({ type: 'source', sourceType: 'url', id, url: 'https://a.example' }),
  () => ({ type: 'custom', kind: 'acme.thing' }),
  () => ({ type: 'ping' }),
  (_, rawValue) => ({ type: 'raw', rawValue }),
  (_, text) => ({ type: 'error', error: text }),
  () => ({ type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage }),
  () => ({ type: 'finish', finishReason: { unified: 'length', raw: 'max' }, usage }),
  () => ({ type: 'finish', finishReason: { unified: 'error', raw: undefined }, usage }),
];
const texts = ['', '{', '{"id":1}', '{"id":', 'x', 'null', '[]'];

test('any order of parts is a response with one end and calls that have ids of their own', async () => {
  const random = createSeededRandom(7);
  for (let round = 0; round < 400; round++) {
    const chunks = Array.from({ length: 1 + random.below(14) }, () =>
      random.pick(kinds)(random.pick(ids), random.pick(texts)),
    );
    const { blocks } = await answerTo(hello, chunks);
    const openCalls = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
    const assistant = { role: 'assistant' as const, content: blocks };
    expect(pairingProblems([user, assistant], { openCalls }), JSON.stringify(chunks)).toEqual([]);
  }
});

test('a conversation with any response can be sent again', async () => {
  const random = createSeededRandom(11);
  for (let round = 0; round < 200; round++) {
    const chunks = Array.from({ length: 1 + random.below(10) }, () =>
      random.pick(kinds)(random.pick(ids), random.pick(texts)),
    );
    const { blocks } = await answerTo(hello, chunks);
    const messages = [user, { role: 'assistant' as const, content: blocks }, user];
    const { error } = await answerTo({ messages, tools: [] }, [
      { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage },
    ]);
    expect(error, JSON.stringify(chunks)).toBeUndefined();
  }
});

test('what the provider ran and thought comes back to it in its own form, and to no other model', async () => {
  const { blocks } = await answerTo(hello, [
    { type: 'tool-call', toolCallId: 's', toolName: 'search', input: '{"q":"a"}', providerExecuted: true },
    { type: 'tool-result', toolCallId: 's', toolName: 'search', result: { n: 1 }, providerMetadata: metadata },
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-end', id: 'r', providerMetadata: metadata },
    { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage },
  ]);
  const messages = [user, { role: 'assistant' as const, content: blocks }, user];
  const model = new MockLanguageModelV4({
    doStream: async () => ({ stream: simulateReadableStream<Part>({ chunks: [] }) }),
  });
  await collectAnswer(createAiSdkProvider(model, { maxRetries: 0 }), { messages, tools: [] });
  expect(model.doStreamCalls[0]?.prompt[1]).toMatchObject({
    role: 'assistant',
    content: [
      { type: 'tool-call', toolCallId: 's', input: { q: 'a' }, providerExecuted: true },
      { type: 'tool-result', toolCallId: 's', output: { type: 'json', value: { n: 1 } }, providerOptions: metadata },
      { type: 'reasoning', text: '', providerOptions: metadata },
    ],
  });
  const other = new MockLanguageModelV4({
    modelId: 'other',
    doStream: async () => ({ stream: simulateReadableStream<Part>({ chunks: [] }) }),
  });
  const { events } = await collectAnswer(createAiSdkProvider(other, { maxRetries: 0 }), { messages, tools: [] });
  expect(other.doStreamCalls[0]?.prompt.map(({ role }) => role)).toEqual(['user', 'user']);
  expect(events.some((event) => event.type === 'warning' && event.warning.code === 'block-dropped')).toBe(true);
});

test('a URL is passed on only if the model fetches it', async () => {
  const image = (url: string): ModelRequest => ({
    messages: [{ role: 'user', content: [{ type: 'image', mediaType: 'image/png', source: { kind: 'url', url } }] }],
    tools: [],
  });
  const model = new MockLanguageModelV4({
    supportedUrls: { 'image/*': [/^https:\/\/a\.example\//] },
    doStream: async () => ({ stream: simulateReadableStream<Part>({ chunks: [] }) }),
  });
  const provider = createAiSdkProvider(model, { maxRetries: 0 });
  for (const url of ['https://a.example/x.png', 'https://b.example/x.png', 'data:image/png;base64,AQ==']) {
    await collectAnswer(provider, image(url));
  }
  expect(model.doStreamCalls.map(({ prompt }) => prompt[0]?.content)).toMatchObject([
    [{ type: 'file', data: { type: 'url' } }],
    [{ type: 'text' }],
    [{ type: 'file', data: { type: 'data', data: 'AQ==' } }],
  ]);
});
