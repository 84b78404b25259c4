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

test('a retryable failure before anything was said is never seen', async () => {
  const first = createScriptedModel([{ error: busy }], { id: 'first' });
  const second = createScriptedModel([{ text: 'Hello' }], { id: 'second' });
  const events = await eventsOf(createFailover([first, second]));
  assert.equal(events.at(-1)?.type, 'finish');
  assert.equal(first.requests.length, 1);
});

test('a failure that is not retryable is not moved on', async () => {
  const first = createScriptedModel([{ error: { ...busy, retryable: false } }]);
  const second = createScriptedModel([{ text: 'Hello' }]);
  assert.equal((await eventsOf(createFailover([first, second]))).at(-1)?.type, 'error');
  assert.equal(second.requests.length, 0);
});

test('a failure after something was said is told, and the next request goes to the next model at once', async () => {
  const first = createScriptedModel([{ text: 'Hel', error: { ...busy, retryAfterMs: 9_000 } }], { id: 'first' });
  const second = createScriptedModel([{ text: 'Hello' }], { id: 'second' });
  const failover = createFailover([first, second]);
  assert.deepEqual((await eventsOf(failover)).at(-1), { type: 'error', error: busy });
  assert.equal((await eventsOf(failover)).at(-1)?.type, 'finish');
  assert.equal(first.requests.length, 1);
});

test('a model that failed is asked again once its time is over', async () => {
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

test('when every model fails the last failure is told, and a model that throws is one that failed', async () => {
  const throwing: ModelProvider = {
    id: 'throwing',
    stream() {
      throw new Error('no');
    },
  };
  const events = await eventsOf(createFailover([throwing, createScriptedModel([{ error: busy }])]));
  assert.deepEqual(events, [{ type: 'error', error: busy }]);
  assert.throws(
    () => createFailover([]),
    (error) => isKernelError(error, 'E_CONFIG_INVALID'),
  );
});

test('each model is told of its own provider tools and of no other’s', async () => {
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
});

test('a model that fails after the end of its answer has answered', async () => {
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

test('what models that failed used counts with the answer, and when all have failed', async () => {
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
