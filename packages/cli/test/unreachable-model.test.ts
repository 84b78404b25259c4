import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'vitest';
import { createRavi } from './support/ravi.ts';

test('a run with an unreachable model ends with its address and cause, and its warnings are readable', async () => {
  const address = await freeAddress();
  const model = { use: '@ravi/provider-openai', model: 'm', baseUrl: `http://${address}/v1` };
  await using ravi = await createRavi({
    'ravi.config.json': JSON.stringify({ tools: ['./tools'], plugins: { modelProvider: [model] } }),
  });
  const { code, errors } = await ravi.run(['run', 'Say hello']);
  assert.equal(code, 1, errors);
  assert.ok(errors.includes(`The model provider at ${address} cannot be reached (ECONNREFUSED`), errors);
  assert.match(errors, /model: E_MODEL_UNREACHABLE; attempt 2 in [\d.]+ s/u);
  assert.match(errors, /warning: model request failed, .*inputTokens: 0, outputTokens: 0/u);
  assert.doesNotMatch(errors, /\[object Object\]/u);
});

/** Returns an address where nothing listens. */
async function freeAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `127.0.0.1:${port}`;
}
