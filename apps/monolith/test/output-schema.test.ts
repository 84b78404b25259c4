import assert from 'node:assert/strict';
import { test } from 'vitest';
import { send, until } from './support/run-requests.ts';
import { startServer } from './support/server.ts';

/** Its result breaks its outputSchema, unless the call asks for a good one. */
const price = `
export default {
  name: 'price', description: 'A price.', risk: 'safe',
  inputSchema: { type: 'object', properties: { cents: {} } },
  outputSchema: { type: 'object', properties: { cents: { type: 'integer' } }, required: ['cents'] },
  async execute({ cents = 'many' }) {
    if (cents === 'none') return { content: [{ type: 'text', text: 'none' }], isError: false };
    return { content: [], isError: false, structuredContent: { cents } }; },
};`;

test('a result that breaks its outputSchema is an error that names the tool, for every caller of a server', async () => {
  const config = { agent: { demoScript: './demo.ts' } };
  const failing = 'const { error } = await tools.price.safe({}); return [error.code, error.message]';
  const files = { 'tools/price.mjs': price, 'demo.ts': failing };
  await using server = await startServer(config, files, { isServer: true });
  const message = /^The tool price has run, but its result does not match its outputSchema: "cents" must be an integer/;
  assert.equal((await server.post('/v1/tools/price', { args: { cents: 5 } })).body.status, 'ok');

  const { body: direct } = await server.post('/v1/tools/price', { args: {} });
  assert.deepEqual([direct.status, direct.error.code], ['error', 'E_OUTPUT_INVALID']);
  assert.match(direct.error.message, message);

  const { body: text } = await server.post('/v1/tools/price', { args: { cents: 'none' } });
  assert.match(text.error.message, /outputSchema: The result must be an object/);

  const { body: script } = await server.chain(failing);
  assert.equal(script.value[0], 'E_OUTPUT_INVALID');
  assert.match(script.value[1], message);

  const { id } = await send(server.url, '/v1/runs', { kind: 'chain', code: failing });
  await until(server.url, id, 'run-end');
  assert.match((await server.get(`/v1/runs/${id}`)).body.outcome.result.value[1], message);

  const { id: agentRun, sessionId } = await send(server.url, '/v1/runs', { kind: 'agent', task: 'demo' });
  assert.equal((await until(server.url, agentRun, 'run-end')).status, 'completed');
  const told = JSON.stringify((await server.get(`/v1/sessions/${sessionId}/history`)).body);
  assert.match(told, /The tool price has run, but its result does not match its outputSchema/);
});
