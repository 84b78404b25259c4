import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RaviConfig } from '@ravi/host';
import { test } from 'vitest';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';
import { send, until } from './support/run-requests.ts';

/** A model that calls `echo` as often as its task says, and reports 60 tokens for each response. */
const model = `
async function* stream({ messages }) {
  const calls = Number(messages[0].content[0].text);
  const done = messages.filter(({ role }) => role === 'assistant').length;
  const isOver = done >= calls;
  yield isOver
    ? { type: 'block', block: { type: 'text', text: 'done' } }
    : { type: 'block', block: { type: 'tool_use', id: 'call_' + done, name: 'echo', arguments: {} } };
  yield { type: 'finish', reason: isOver ? 'end' : 'tool-use', usage: { inputTokens: 30, outputTokens: 30 } };
}
const create = () => ({ id: 'counting', model: 'counting', stream });
export default { name: 'counting', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

function open(budgets: RaviConfig['budgets'], more: RaviConfig = {}): Promise<TestServer> {
  const { plugins, ...rest } = more;
  const config = {
    ...rest,
    policy: { maxRiskUnapproved: 'high' as const },
    budgets: budgets ?? {},
    plugins: { modelProvider: [{ use: './model.mjs' }], ...plugins },
  };
  // The two servers of a test have keys of their own, which a server would refuse.
  return startServer(config, { 'model.mjs': model }, plugins === undefined ? { isServer: true } : {});
}

test('a run that reaches the budget of the day stops, and the next one is refused until the reset', async () => {
  // The estimate of a request is far above the 60 tokens that each response uses.
  await using server = await open({ perPrincipal: { maxTokensPerDay: 20_000 }, server: { maxToolCallsPerDay: 3 } });
  const { url } = server;
  const run = await send(url, '/v1/runs', { kind: 'agent', task: '5' });
  const ended = await until(url, run.id, 'run-end');
  assert.equal(ended.reason, 'budget', JSON.stringify(ended));
  assert.match(ended.error.message, /3 tool calls per day for all runs \(budgets\.server\.maxToolCallsPerDay\)/);
  assert.match(ended.error.message, /It resets at \d{4}-\d\d-\d\dT00:00:00\.000Z$/);

  const refused = await fetch(`${url}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'agent', task: '0' }),
  });
  assert.equal(refused.status, 429);
  const seconds = Number(refused.headers.get('retry-after'));
  assert.ok(seconds > 0 && seconds <= 86_400, `retry-after ${seconds}`);
  assert.match(await refused.text(), /"E_BUDGET_EXHAUSTED"/);

  const script = await send(url, '/v1/chains', { code: 'return 1' });
  assert.equal(script.error.code, 'E_BUDGET_EXHAUSTED');

  const { items } = await send(url, '/v1/budgets');
  const tokens = items.find(({ name }: { name: string }) => name.includes('perPrincipal.maxTokensPerDay'));
  assert.deepEqual([tokens.used, tokens.reserved, tokens.limit], [240, 0, 20_000]);
  const calls = items.find(({ name }: { name: string }) => name.includes('server.maxToolCallsPerDay'));
  assert.deepEqual([calls.used, calls.scope], [3, 'server']);
  assert.match(calls.resetsAt, /T00:00:00\.000Z$/);
});

test('two servers on one state store never pass the budget together', async () => {
  const file = join(tmpdir(), `ravi-budgets-${randomUUID()}.db`);
  const more = { plugins: { stateStore: { use: '@ravi/state-sqlite', file } } };
  const budgets = { server: { maxToolCallsPerDay: 20 } };
  await using first = await open(budgets, more);
  await using second = await open(budgets, more);
  const urls = [first.url, second.url];
  const runs = Array.from({ length: 40 }, async (_, index) => {
    const url = urls[index % 2] as string;
    const run = await send(url, '/v1/runs', { kind: 'agent', task: '1' });
    return run.id === undefined ? run.error.code : (await until(url, run.id, 'run-end')).status;
  });
  const outcomes = await Promise.all(runs);
  assert.equal(outcomes.filter((outcome) => outcome === 'completed').length, 20, outcomes.join(' '));
  const { items } = await send(second.url, '/v1/budgets');
  const calls = items.find(({ name }: { name: string }) => name.includes('server.maxToolCallsPerDay'));
  assert.deepEqual([calls.used, calls.reserved], [20, 0]);
});

test('budgets that make no sense are refused at their place', async () => {
  await assert.rejects(
    open({ perAgent: { rvi: { maxTokensPerDay: 1 } } }),
    /there is no agent "rvi"; did you mean "ravi"/,
  );
  await assert.rejects(open({ server: { maxCostPerDay: 1 } }), /budgets\.server\.maxCostPerDay needs prices/);
  await assert.rejects(open({ server: { maxTokensPerDay: 0 } }), /budgets\.server\.maxTokensPerDay|\/budgets\/server/);
  await assert.rejects(
    open({ server: { maxTokensPerDay: 10 } }, { agent: { budget: { maxTokens: 11 } } }),
    /agent\.budget\.maxTokens is 11, above budgets\.server\.maxTokensPerDay, which is 10/,
  );
});
