import assert from 'node:assert/strict';
import type { ModelRequest } from '@ravi/kernel';
import { collectAnswer, startLoopbackServer } from '@ravi/testkit';
import { test } from 'vitest';
import { createOpenAiProvider } from '../src/index.ts';
import { decodeBody } from './decode-recorded.ts';

const request: ModelRequest = {
  messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
  tools: [],
  providerOptions: { openai: { background: true } },
};

test('a background response starts exactly one job, and the error has the id under which it can be read', async () => {
  for (const stream of [true, false]) {
    const body = { id: 'resp_7', object: 'response', status: 'queued', background: true, output: [] };
    await using server = await startLoopbackServer(() => ({ body }));
    const options = { model: 'gpt-5', baseUrl: `${server.url}/v1`, api: 'responses', maxRetries: 5, stream } as const;
    const { error } = await collectAnswer(createOpenAiProvider(options), request);
    assert.deepEqual([error?.code, error?.retryable, server.requests.length], ['E_MODEL_TRUNCATED', false, 1]);
    assert.match(error?.message ?? '', /resp_7.*status is queued.*the request is not repeated/u);
  }
});

test('calls of a whole chat response that share an id are calls of their own', () => {
  const call = (city: string): object => ({
    id: 'call_1',
    type: 'function',
    function: { name: 'weather', arguments: JSON.stringify({ city }) },
  });
  const message = { role: 'assistant', tool_calls: [call('Bonn'), call('Rome'), call('Rome')] };
  const { blocks } = decodeBody('chat', { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] });
  const calls = blocks.filter((block) => block.type === 'tool_use');
  assert.deepEqual(
    calls.map((block) => block.arguments['city']),
    ['Bonn', 'Rome', 'Rome'],
  );
  assert.equal(new Set(calls.map(({ id }) => id)).size, 3);
});
