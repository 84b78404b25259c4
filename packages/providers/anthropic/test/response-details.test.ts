import assert from 'node:assert/strict';
import { collectAnswer, startLoopbackServer } from '@ravi/testkit';
import { test } from 'vitest';
import { createAnthropicProvider } from '../src/index.ts';

test('the details of a refusal and the tier of a response reach the caller', async () => {
  const details = { type: 'refusal', category: 'cyber', explanation: 'Not this.' };
  const events = [
    { type: 'message_start', message: { id: 'm', usage: { input_tokens: 1, service_tier: 'priority' } } },
    { type: 'message_delta', delta: { stop_reason: 'refusal', stop_details: details }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ];
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  await using server = await startLoopbackServer(() => ({ body }));
  const provider = createAnthropicProvider({ model: 'claude-opus-5', baseUrl: server.url });
  const { finish } = await collectAnswer(provider, {
    messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
    tools: [],
  });
  assert.deepEqual([finish?.reason, finish?.details], ['refusal', { stop_details: details, service_tier: 'priority' }]);
});
