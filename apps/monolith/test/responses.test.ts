import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { afterAll, beforeAll, test } from 'vitest';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

let server: TestServer;
let client: OpenAI;
beforeAll(async () => {
  const config = { agent: { demoScript: './demo.ts' } };
  server = await startServer(
    config,
    { 'demo.ts': 'return (await tools.echo({ word: "moon" })).word' },
    { isServer: true },
  );
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'not-looked-at', maxRetries: 0 });
});
afterAll(() => server[Symbol.asyncDispose]());

test('the official client calls the agent and reads its response', async () => {
  const response = await client.responses.create({ model: 'ravi', input: 'demo' });
  assert.equal(response.status, 'completed');
  assert.match(response.output_text, /moon/);
  const next = await client.responses.create({
    model: 'ravi',
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'again' }] }],
    previous_response_id: response.id,
  });
  const { items } = (await server.get('/v1/sessions')).body;
  assert.deepEqual([items.length, items[0].runs], [1, 2]);
  assert.notEqual(next.id, response.id);
});

test('the official client streams the response and assembles the same one', async () => {
  const stream = client.responses.stream({ model: 'ravi', input: 'demo' });
  let text = '';
  for await (const event of stream) if (event.type === 'response.output_text.delta') text += event.delta;
  const response = await stream.finalResponse();
  assert.equal(response.status, 'completed');
  assert.equal(response.output_text, text);
  assert.match(text, /moon/);
});

test('unsupported input is an error that the client understands', async () => {
  const input = [{ role: 'system' as const, content: 'no' }];
  await assert.rejects(client.responses.create({ model: 'ravi', input }), OpenAI.BadRequestError);
  const unknown = client.responses.create({ model: 'ravi', input: 'x', previous_response_id: 'resp_run_x' });
  await assert.rejects(unknown, OpenAI.NotFoundError);
});
