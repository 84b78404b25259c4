import assert from 'node:assert/strict';
import { defineTool, isKernelError } from '@ravi/kernel';
import type { ModelEvent, ModelProvider, ModelRequest } from '@ravi/kernel';
import { createFakeClock, createScriptedModel } from '@ravi/testkit';
import { test } from 'vitest';
import { createFailover, ReActAgent } from '../../src/index.ts';

const busy = { code: 'E_MODEL_OVERLOADED', message: 'busy', retryable: true };
const options = { signal: new AbortController().signal };
const request: ModelRequest = { messages: [], tools: [] };

async function eventsOf(model: ModelProvider, asked: ModelRequest = request): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(asked, options)) events.push(event);
  return events;
}

test('a retryable failure before the first output is not visible', async () => {
  const first = createScriptedModel([{ error: busy }], { id: 'first' });
  const second = createScriptedModel([{ text: 'Hello' }], { id: 'second' });
  const events = await eventsOf(createFailover([first, second]));
  assert.equal(events.at(-1)?.type, 'finish');
  assert.equal(first.requests.length, 1);
});

test('a wrong key, an empty account or a refused request fails over, and a cancellation does not', async () => {
  const asked = async (code: string): Promise<number> => {
    const first = createScriptedModel([{ error: { code, message: 'no', retryable: false } }]);
    const second = createScriptedModel([{ text: 'Hello' }]);
    await eventsOf(createFailover([first, second]));
    return second.requests.length;
  };
  const codes = ['E_MODEL_AUTHENTICATION', 'E_MODEL_NO_CREDIT', 'E_MODEL_REFUSED_REQUEST', 'E_MODEL_UNREACHABLE'];
  for (const code of codes) assert.equal(await asked(code), 1, code);
  assert.equal(await asked('E_CANCELLED'), 0);
});

test('a model that refused one request is asked first about the next one, unlike a model with a wrong key', async () => {
  const requestsAfter = async (code: string): Promise<number> => {
    const failure = { error: { code, message: 'no', retryable: false } };
    const first = createScriptedModel([failure, failure]);
    const failover = createFailover([first, createScriptedModel([{ text: 'a' }, { text: 'b' }])]);
    await eventsOf(failover);
    await eventsOf(failover);
    return first.requests.length;
  };
  assert.equal(await requestsAfter('E_MODEL_CONTEXT_EXCEEDED'), 2);
  assert.equal(await requestsAfter('E_MODEL_AUTHENTICATION'), 1);
});

test('a mid-stream failure is reported, and the next request goes to the next model at once', async () => {
  const first = createScriptedModel([{ text: 'Hel', error: { ...busy, retryAfterMs: 9_000 } }], { id: 'first' });
  const second = createScriptedModel([{ text: 'Hello' }], { id: 'second' });
  const failover = createFailover([first, second]);
  assert.deepEqual((await eventsOf(failover)).at(-1), { type: 'error', error: busy });
  assert.equal((await eventsOf(failover)).at(-1)?.type, 'finish');
  assert.equal(first.requests.length, 1);
});

test('a failed model is asked again after its cooldown', async () => {
  const clock = createFakeClock();
  const first = createScriptedModel([{ error: busy }, { text: 'back' }], { id: 'first' });
  const second = createScriptedModel([{ text: 'a' }, { text: 'b' }], { id: 'second' });
  const failover = createFailover([first, second], { clock, cooldownMs: 1_000 });
  await eventsOf(failover);
  await eventsOf(failover);
  assert.equal(first.requests.length, 1);
  clock.advance(1_000);
  await eventsOf(failover);
  assert.equal(first.requests.length, 2);
});

test('if every model fails, the error names each failure; an exception counts as a failure', async () => {
  const throwing: ModelProvider = {
    id: 'throwing',
    stream() {
      throw new Error('no');
    },
  };
  const events = await eventsOf(createFailover([throwing, createScriptedModel([{ error: busy }])]));
  const message = 'All models failed: throwing: The model throwing failed: Error: no; scripted: busy';
  assert.deepEqual(events, [{ type: 'error', error: { code: 'E_MODEL_PROTOCOL', message, retryable: true } }]);
  assert.throws(
    () => createFailover([]),
    (error) => isKernelError(error, 'E_CONFIG_INVALID'),
  );
});

test('each model only receives its own provider tools', async () => {
  const first = createScriptedModel([{ error: busy }], { id: 'first' });
  const second = createScriptedModel([{ text: 'ok' }], { id: 'second' });
  const tools = [
    defineTool({ name: 'look', description: 'Looks', inputSchema: { type: 'object' }, execute: () => 'ok' }),
    { name: 'search', description: 'Searches', providerSpecs: { first: { type: 'a' }, second: { type: 'b' } } },
    { name: 'shell', description: 'Runs', providerSpecs: { second: { type: 'c' } } },
  ];
  await new ReActAgent({ name: 'clerk', model: createFailover([first, second]), tools }).run('go');
  const namesOf = (asked: ModelRequest | undefined): unknown =>
    asked?.tools.map((spec) => (spec.type === 'provider' ? spec.spec['type'] : spec.name));
  assert.deepEqual(namesOf(first.requests[0]), ['look', 'a']);
  assert.deepEqual(namesOf(second.requests[0]), ['look', 'b', 'c']);
  const spec = { type: 'provider', name: 'shell', provider: 'second', spec: {} } as const;
  const events = await eventsOf(createFailover([createScriptedModel([{ text: 'x' }], { id: 'first' })]), {
    ...request,
    tools: [spec],
  });
  const message = 'Tool shell is not offered: it has no spec for first';
  assert.deepEqual(events[0], { type: 'warning', warning: { code: 'tool-dropped', tool: 'shell', message } });
});

test('a failure after the finish event does not affect the response', async () => {
  const [finish] = (await eventsOf(createScriptedModel([{}]))).slice(-1);
  const iterator = {
    next: async () => ({ done: false, value: finish }),
    return: () => Promise.reject(new Error('no')),
  };
  const odd: ModelProvider = {
    id: 'odd',
    stream: () => ({ [Symbol.asyncIterator]: () => iterator as AsyncIterator<ModelEvent> }),
  };
  assert.deepEqual(await eventsOf(createFailover([odd, createScriptedModel([])])), [finish]);
});

test('usage of failed models is added to the response, and to the failure of all', async () => {
  const failing = (id: string, ...counts: readonly number[]): ModelProvider => ({
    id,
    async *stream() {
      for (const inputTokens of counts) yield { type: 'usage', usage: { inputTokens, outputTokens: 0 } };
      yield { type: 'error', error: busy };
    },
  });
  const usage = { inputTokens: 10, outputTokens: 1, cachedInputTokens: 4 };
  const answering = createScriptedModel([{ text: 'ok', usage }], { id: 'last' });
  const models = [failing('first', 3_000, 5_000), failing('silent'), failing('second', 200)];
  const answered = await new ReActAgent({ name: 'clerk', model: createFailover([...models, answering]) }).run('go');
  assert.deepEqual(answered.usage, { inputTokens: 5_210, outputTokens: 1, cachedInputTokens: 4 });
  const failed = await new ReActAgent({ name: 'clerk', model: createFailover(models), modelRetries: 0 }).run('go');
  assert.deepEqual([failed.status, failed.usage], ['failed', { inputTokens: 5_200, outputTokens: 0 }]);
});
