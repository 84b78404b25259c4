import assert from 'node:assert/strict';
import { startLoopbackServer } from '@ravi/testkit';
import type { LoopbackRequest } from '@ravi/testkit';
import { test } from 'vitest';
import { chooseModel } from '../src/model/choose-model.ts';
import { readEvents } from './support/event-reader.ts';
import { startServer } from './support/server.ts';

interface ChatRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content?: string }[];
  readonly tools: readonly { readonly function: { readonly name: string; readonly strict?: boolean } }[];
}

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

const call = { id: 'call_a', index: 0, type: 'function', function: { name: 'echo', arguments: '{"word":' } };

/** Responds as Ollama and others do: calls the tool, then repeats its result once a reader has the beginning of the text. */
function answer({ body }: LoopbackRequest, isRead: Promise<void>) {
  const told = (body as ChatRequest).messages.findLast(({ role }) => role === 'tool')?.content;
  return { body: told === undefined ? callOfTool() : textOf(told, isRead) };
}

function callOfTool(): readonly string[] {
  const rest = { index: 0, function: { arguments: '"hello"}' } };
  return [
    chunk({ role: 'assistant', tool_calls: [call] }),
    chunk({ tool_calls: [rest] }),
    chunk({}, 'tool_calls'),
    'data: [DONE]\n\n',
  ];
}

async function* textOf(told: string, isRead: Promise<void>): AsyncGenerator<string> {
  yield chunk({ content: 'It said ' });
  await isRead;
  yield chunk({ content: told });
  yield chunk({}, 'stop');
  yield 'data: [DONE]\n\n';
}

for (const [how, key] of [
  ['the address of a model server', {}],
  ['an address and a key', { OPENAI_API_KEY: 'sk-loopback' }],
] as const) {
  test(`with ${how} in its environment the server uses that model, calls included`, async () => {
    const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
    await using models = await startLoopbackServer((request) => answer(request, isRead));
    const env = { OPENAI_BASE_URL: `${models.url}/v1`, RAVI_MODEL: 'llama3.2', ...key };
    await using server = await startServer({}, {}, { isServer: true, env });
    const { body: started } = await server.post('/v1/runs', { kind: 'agent', task: 'Say hello' });
    const types: (string | undefined)[] = [];
    for await (const { event } of readEvents(await fetch(`${server.url}/v1/runs/${started.id}/events`))) {
      types.push(event);
      if (event === 'model-delta') read();
    }
    const { body: run } = await server.get(`/v1/runs/${started.id}`);
    assert.deepEqual([run.status, run.outcome.result.text, run.steps], ['completed', 'It said {"word":"hello"}', 2]);
    assert.deepEqual(
      run.trace.map(({ tool, status }: { tool: string; status: string }) => [tool, status]),
      [['echo', 'ok']],
    );
    for (const type of ['model-delta', 'tool-call', 'tool-result', 'run-end']) assert.ok(types.includes(type), type);
    assert.deepEqual(
      models.requests.map(({ method, path, headers }) => [method, path, headers.authorization]),
      Array.from({ length: 2 }, () => [
        'POST',
        '/v1/chat/completions',
        'OPENAI_API_KEY' in key ? 'Bearer sk-loopback' : undefined,
      ]),
    );
    const [first] = models.requests.map(({ body }) => body as ChatRequest);
    assert.equal(first?.model, 'llama3.2');
    assert.deepEqual(first?.messages.at(-1), { role: 'user', content: 'Say hello' });
    assert.ok(first?.tools.some(({ function: { name } }) => name === 'echo'));
  });
}

test('a key selects its provider, in the order of the three', () => {
  const keys = { OPENAI_API_KEY: 'o', ANTHROPIC_API_KEY: 'a', GOOGLE_API_KEY: 'g' };
  const idOf = (env: Readonly<Record<string, string | undefined>>): string =>
    chooseModel(env, { script: undefined }).id;
  assert.equal(idOf(keys), 'openai');
  assert.equal(idOf({ ...keys, OPENAI_API_KEY: '' }), 'anthropic');
  assert.equal(idOf({ GOOGLE_API_KEY: 'g' }), 'google');
  assert.equal(chooseModel({ ...keys, RAVI_MODEL: 'gpt-9' }, { script: undefined }).model, 'gpt-9');
  assert.equal(idOf({}), idOf({ OPENAI_API_KEY: '' }));
});

/** Takes any names, which strict schemas cannot say. */
const free = `export default {
  name: 'free', description: 'Takes any names.', risk: 'safe',
  inputSchema: { type: 'object', additionalProperties: { type: 'string' } }, execute: async () => ({ content: [], isError: false }),
};`;

test('with strict mode the declarations of a model server are strict, except where a schema cannot be strict', async () => {
  await using models = await startLoopbackServer(() => ({
    body: [chunk({ content: 'ok' }), chunk({}, 'stop'), 'data: [DONE]\n\n'],
  }));
  const use = { use: '@ravi/provider-openai', model: 'm', baseUrl: `${models.url}/v1`, strict: 'always' };
  await using server = await startServer(
    { plugins: { modelProvider: [use] } },
    { 'tools/free.mjs': free },
    { isServer: true },
  );
  const { body: started } = await server.post('/v1/runs', { kind: 'agent', task: 'Say hello' });
  for await (const { event } of readEvents(await fetch(`${server.url}/v1/runs/${started.id}/events`)))
    if (event === 'run-end') break;
  const [asked] = models.requests.map(({ body }) => body as ChatRequest);
  const strict = Object.fromEntries(
    (asked?.tools ?? []).map(({ function: { name, strict: is = false } }) => [name, is]),
  );
  assert.deepEqual([strict['launch'], strict['free']], [true, false]);
});

/** Parts of a response of a model without function calling: a block that is cut off, a block in pieces, and the end. */
const written = [
  ['I look it up. <tool_call>\n{"name": "echo", "arguments": {"word": \n</tool_call>'],
  ['Once more. <tool', '_call>\n{"name": "echo", "argu', 'ments": {"word": "hello"}}\n</tool', '_call>'],
  ['It said ', 'hello.'],
];

async function* chunksOf(parts: readonly string[], isRead: Promise<void>): AsyncGenerator<string> {
  for (const content of parts) {
    if (content === written.at(-1)?.at(-1)) await isRead;
    yield chunk({ content });
  }
  yield chunk({}, 'stop');
  yield 'data: [DONE]\n\n';
}

test('a model without function calling gets its tools as text, and its calls are read from its text', async () => {
  let step = 0;
  const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
  await using models = await startLoopbackServer(() => ({ body: chunksOf(written[step++] ?? [], isRead) }));
  const use = { use: '@ravi/provider-openai', model: 'm', baseUrl: `${models.url}/v1`, tools: 'text' };
  const config = { agent: { system: 'First write a plan.' }, plugins: { modelProvider: [use] } };
  await using server = await startServer(config, {}, { isServer: true });
  const { body: started } = await server.post('/v1/runs', { kind: 'agent', task: 'Say hello' });
  const texts: string[] = [];
  for await (const { event, data } of readEvents(await fetch(`${server.url}/v1/runs/${started.id}/events`))) {
    if (event === 'model-delta') texts.push(data);
    if (event === 'model-delta' && models.requests.length === written.length) read();
    if (event === 'run-end') break;
  }
  const { body: run } = await server.get(`/v1/runs/${started.id}`);
  assert.deepEqual([run.status, run.outcome.result.text, run.steps], ['completed', 'It said hello.', 3]);
  assert.deepEqual(
    run.trace.map(({ tool, status }: { tool: string; status: string }) => [tool, status]),
    [['echo', 'ok']],
  );
  assert.doesNotMatch(texts.join(''), /tool_call|arguments/);
  const asked = models.requests.map(({ body }) => body as ChatRequest);
  assert.deepEqual(
    asked.map(({ tools }) => tools),
    [undefined, undefined, undefined],
  );
  assert.match(
    asked[0]?.messages[0]?.content ?? '',
    /First write a plan\..*<tool_call>.*\{"name":"echo","description"/s,
  );
  assert.match(asked[1]?.messages.at(-1)?.content ?? '', /<tool_result name="echo" status="error">/);
  assert.match(asked[2]?.messages.at(-1)?.content ?? '', /<tool_result name="echo">\n\{"word":"hello"\}/);
});
