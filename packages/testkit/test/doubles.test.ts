import assert from 'node:assert/strict';
import type { HookEventType, ModelEvent, ModelProvider, ModelRequest } from '@ravi/kernel';
import { test } from 'vitest';
import { createMemoryLogger, createRecordingHooks, createScriptedModel } from '../src/index.ts';

const question: ModelRequest = { messages: [], tools: [] };

async function answer(
  model: ModelProvider,
  request = question,
  signal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request, { signal })) events.push(event);
  return events;
}

test('a scripted model streams text in pieces that join to the text, and then finishes', async () => {
  const events = await answer(createScriptedModel([{ text: ' Two  words\n' }]));
  const pieces = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []));
  assert.equal(pieces.join(''), ' Two  words\n');
  assert.ok(pieces.length > 1);
  assert.deepEqual(events.at(-2), { type: 'block', block: { type: 'text', text: ' Two  words\n' } });
  assert.deepEqual(events.at(-1), { type: 'finish', reason: 'end', usage: { inputTokens: 0, outputTokens: 0 } });
});

test('a scripted model gives tool calls distinct ids and stops for tool use', async () => {
  const model = createScriptedModel([{ toolCalls: [{ name: 'a', arguments: { x: 1 } }, { name: 'b' }] }]);
  const events = await answer(model);
  assert.deepEqual(
    events.map((event) => (event.type === 'block' ? event.block : event.type)),
    [
      'tool-call-start',
      'tool-call-delta',
      { type: 'tool_use', id: 'call-1-1', name: 'a', arguments: { x: 1 } },
      'tool-call-start',
      'tool-call-delta',
      { type: 'tool_use', id: 'call-1-2', name: 'b', arguments: {} },
      'finish',
    ],
  );
});

test('a scripted model records requests, shows them to function turns, and reports a request too many', async () => {
  const model = createScriptedModel([(request) => ({ text: request.system ?? 'none' })]);
  const [first] = await answer(model, { ...question, system: 'sys' });
  assert.deepEqual(first, { type: 'text-delta', text: 'sys' });
  const [surplus] = await answer(model);
  assert.match(surplus?.type === 'error' ? surplus.error.message : '', /has 1 turns and was asked for turn 2/);
  assert.equal(model.requests.length, 2);
});

test('a scripted error and an aborted request both end the stream with an error event', async () => {
  const error = { code: 'E_RATE', message: 'slow down', retryable: true };
  assert.deepEqual(await answer(createScriptedModel([{ error }])), [{ type: 'error', error }]);
  const events = await answer(createScriptedModel([{ text: 'hi' }]), question, AbortSignal.abort());
  assert.deepEqual(
    events.map((event) => event.type),
    ['error'],
  );
});

test('recording hooks attach to every event and keep the order of arrival', () => {
  const hooks = createRecordingHooks();
  const observers = new Map<HookEventType, (event: never) => unknown>();
  hooks.attach({ observe: (type, observer) => observers.set(type, observer) });
  const scope = { runId: 'r', sessionId: 's' };
  const opened = { type: 'session-opened', ...scope };
  observers.get('tool-dropped')?.({ type: 'tool-dropped', ...scope, tool: 't', provider: 'p' } as never);
  observers.get('session-opened')?.(opened as never);
  assert.deepEqual(hooks.types, ['tool-dropped', 'session-opened']);
  assert.deepEqual(hooks.of('session-opened'), [opened]);
  assert.deepEqual(hooks.of('tool-result'), []);
});

test('a memory logger keeps level, message and fields', () => {
  const logger = createMemoryLogger();
  logger.warn('careful', { at: 1 });
  logger.info('fine');
  assert.deepEqual(logger.records, [
    { level: 'warn', message: 'careful', fields: { at: 1 } },
    { level: 'info', message: 'fine' },
  ]);
  assert.deepEqual(logger.messages('warn'), ['careful']);
});
