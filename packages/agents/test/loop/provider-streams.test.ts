import assert from 'node:assert/strict';
import type { ModelEvent, ModelProvider } from '@ravi/kernel';
import { settle } from '@ravi/testkit';
import { test } from 'vitest';
import { ReActAgent } from '../../src/index.ts';

const finish: ModelEvent = { type: 'finish', reason: 'end', usage: { inputTokens: 1, outputTokens: 0 } };

/** A model whose stream is the given iterator, even if it is invalid. */
function modelOf(iterator: object): ModelProvider {
  return { id: 'odd', stream: () => ({ [Symbol.asyncIterator]: () => iterator as AsyncIterator<ModelEvent> }) };
}

function fail(): never {
  throw new Error('out of paper');
}

const finishing = { next: async () => ({ done: false, value: finish }) };

test('a run completes regardless of how its provider handles return()', async () => {
  for (const iterator of [
    finishing,
    { ...finishing, return: fail },
    { ...finishing, return: () => ({ done: true }) },
    { ...finishing, return: () => Promise.reject(new Error('out of paper')) },
    { ...finishing, return: () => new Promise(() => {}) },
    { next: () => ({ done: false, value: finish }) },
  ]) {
    assert.equal((await new ReActAgent({ name: 'clerk', model: modelOf(iterator) }).run('go')).status, 'completed');
  }
});

test('a provider that throws at any event fails the run with an error value', async () => {
  for (const good of [0, 1, 2]) {
    let asked = 0;
    const next = async (): Promise<unknown> => ({ done: false, value: { type: 'text-delta', text: 'a' } });
    const iterator = { next: () => (asked++ < good ? next() : fail()) };
    const result = await new ReActAgent({ name: 'clerk', model: modelOf(iterator) }).run('go');
    assert.deepEqual([result.status, result.error?.code], ['failed', 'E_MODEL_PROTOCOL']);
    assert.match(result.error?.message ?? '', /out of paper/);
  }
});

test('a provider without an iterator, or without events, fails the run with an error value', async () => {
  for (const iterator of [undefined, {}, { next: async () => undefined }, { next: () => undefined }]) {
    const model = modelOf(iterator as object);
    const result = await new ReActAgent({ name: 'clerk', model, modelRetries: 0 }).run('go');
    assert.deepEqual([result.status, result.error?.code], ['failed', 'E_MODEL_PROTOCOL']);
  }
});

test('a stream that is opened after the run was cancelled is closed unread', async () => {
  const controller = new AbortController();
  const done: string[] = [];
  const iterator = {
    next: async () => done.push('next'),
    return: async () => void done.push('return'),
  };
  const { stream } = modelOf(iterator);
  const model: ModelProvider = {
    id: 'odd',
    stream(request, options) {
      controller.abort();
      return stream(request, options);
    },
  };
  const result = await new ReActAgent({ name: 'clerk', model }).run('go', { signal: controller.signal });
  await settle();
  assert.deepEqual([result.status, done], ['cancelled', ['return']]);
});
