import assert from 'node:assert/strict';
import type { RaviConfig } from '@ravi/host';
import { connectMcp, generations, scriptCommand, textOf } from '@ravi/mcp-testing';
import type { McpTestClient } from '@ravi/mcp-testing';
import { test } from 'vitest';
import { startServer } from './support/server.ts';

const token = 'a'.repeat(40);
const script = 'return await tools.cities__ask({})';
const config: RaviConfig = {
  server: { tokens: [{ principal: 'alice', roles: ['run'], token: { $env: 'ALICE' } }] },
  policy: { maxRiskUnapproved: 'high' },
  plugins: {
    toolSource: [
      {
        use: '@ravi/mcp',
        name: 'cities',
        ...scriptCommand('imitator', new URL('support/mcp/imitator.ts', import.meta.url)),
      },
    ],
  },
};

for (const generation of generations) {
  test(`a user of ${generation} without the right to approve answers what its own call asks`, async () => {
    await using server = await startServer(config, {}, { env: { ALICE: token }, isServer: true });
    let asked = 0;
    await using mcp = await connectMcp(server.url, generation, { token, onAsk: () => answer(++asked) });
    assert.match(textOf(await mcp.execute(script)), /"decision":"deny"/);
    assert.equal(asked, 1);
  });
}

test('the same user answers what a call in a task asks', async () => {
  await using server = await startServer(config, {}, { env: { ALICE: token }, isServer: true });
  let asked = 0;
  await using mcp = await connectMcp(server.url, '2025-11-25', { token, onAsk: () => answer(++asked) });
  const started = await send(mcp, 'tools/call', { name: 'execute', arguments: { code: script }, task: {} });
  const { taskId } = (started as { readonly task: { readonly taskId: string } }).task;
  const result = await send(mcp, 'tasks/result', { taskId });
  assert.match(JSON.stringify(result), /decision[^,]*deny/);
  assert.equal(asked, 1);
});

function answer(_count: number): { action: 'accept'; content: { decision: string } } {
  return { action: 'accept', content: { decision: 'deny' } };
}

function send({ client }: McpTestClient, method: string, params: object): Promise<unknown> {
  const validate = (value: unknown): { readonly value: unknown } => ({ value });
  return client.request({ method, params: { ...params } }, { '~standard': { version: 1, vendor: 'test', validate } });
}
