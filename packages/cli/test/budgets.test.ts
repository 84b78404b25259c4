import assert from 'node:assert/strict';
import { test } from 'vitest';
import { startServer } from './support/server.ts';

const configuration = {
  tools: ['./tools'],
  policy: { maxRiskUnapproved: 'high' },
  budgets: { server: { maxToolCallsPerDay: 2 }, perPrincipal: { maxTokensPerDay: 1_000, maxToolCallsPerDay: 1 } },
};

test('budgets shows each limit of the day with what is used of it and when it resets', async () => {
  await using server = await startServer({ 'ravi.config.json': JSON.stringify(configuration) });
  const json = await server.ravi(['budgets', '--json']);
  assert.equal(json.code, 0, json.errors);
  const { budgets } = JSON.parse(json.output) as { readonly budgets: readonly { readonly name: string }[] };
  assert.ok(budgets.some(({ name }) => name.includes('budgets') || name.includes('server.maxToolCallsPerDay')));
  const { output } = await server.ravi(['budgets']);
  assert.match(output, /all runs \(server\.maxToolCallsPerDay\) +0 calls of 2 calls +until \d{4}-\d\d-\d\d 00:00 UTC/);
  assert.match(output, /principal local \(perPrincipal\.maxToolCallsPerDay\) +0 calls of 1 call +until/);
  assert.match(output, /principal local \(perPrincipal\.maxTokensPerDay\) +0 tokens of 1000 tokens/);
});
