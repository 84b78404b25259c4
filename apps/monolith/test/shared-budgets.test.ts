import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RaviConfig } from '@ravi/host';
import type { BudgetStore } from '@ravi/kernel';
import { openMonolith, serve } from '@ravi/monolith';
import { test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import { startServer, stateStoreOf } from './support/server.ts';
import type { TestServer } from './support/server.ts';
import { send, until } from './support/run-requests.ts';
import { startBundled } from './support/server-process.ts';
import { storeCases } from './support/state-stores.ts';

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

/** Milliseconds that the budgets of one request to a model take: what is reserved, and settled. */
async function timeOfReservation(store: BudgetStore): Promise<number> {
  const count = 500;
  const started = performance.now();
  for (let index = 0; index < count; index++) {
    const now = Date.now();
    const id = `figure-${index}`;
    const claims = (['server', 'principal', 'agent'] as const).map((scope) => ({ scope, name: 'figure', limits: {} }));
    await store.reserve({ id, period: 0, claims, amounts: { tokens: 1_000 }, now, expiresAt: now + 60_000 });
    await store.settle(id, { tokens: 60 });
  }
  return (performance.now() - started) / count;
}

const agents = { frugal: { budget: { maxTokens: 9_000 } } };

for (const { name, plugin, test: declared } of storeCases) {
  declared(`two servers on one ${name} database never pass a budget together`, { timeout: 60_000 }, async () => {
    const file = join(tmpdir(), `ravi-budgets-${randomUUID()}.db`);
    const { stateStore = { use: '@ravi/state-sqlite', file } } = plugin();
    const more = { agents, plugins: { stateStore } };
    const budgets = { server: { maxToolCallsPerDay: 12 }, perAgent: { frugal: { maxTokensPerDay: 15_000 } } };
    await using first = await open(budgets, more);
    await using second = await open(budgets, more);
    const urls = [first.url, second.url];
    const amountsOf = async (field: string, url = second.url) => {
      const { items } = await send(url, '/v1/budgets');
      return items.find((each: { name: string }) => each.name.includes(field));
    };
    const runAll = (count: number, request: object): Promise<readonly string[]> =>
      Promise.all(
        Array.from({ length: count }, async (_, index) => {
          const url = urls[index % 2] as string;
          const run = await send(url, '/v1/runs', { kind: 'agent', ...request });
          return run.id === undefined ? run.error.code : (await until(url, run.id, 'run-end')).status;
        }),
      );

    // Each response uses 60 tokens, and its estimate several thousand.
    let isOver = false;
    const watching = (async () => {
      for (let most = 0; ;) {
        const tokens = await amountsOf('perAgent.frugal.maxTokensPerDay', urls[0]);
        most = Math.max(most, tokens.used + tokens.reserved);
        if (isOver) return most;
      }
    })();
    const outcomes = await runAll(16, { task: '0', agent: 'frugal' });
    isOver = true;
    assert.ok((await watching) <= 15_000);
    const tokens = await amountsOf('perAgent.frugal.maxTokensPerDay');
    const completed = outcomes.filter((outcome) => outcome === 'completed').length;
    assert.ok(completed >= 1, outcomes.join(' '));
    assert.deepEqual([tokens.used, tokens.reserved], [60 * completed, 0]);
    // The limit of a run is that of its agent.
    assert.equal((await amountsOf('Tokens (maxTokens) of run')).limit, 9_000);

    if (process.env['RAVI_SHOW_FIGURES'] === '1') {
      console.log(
        `${name}: ${(await timeOfReservation(stateStoreOf(first.monolith).budgets)).toFixed(2)} ms per request`,
      );
    }

    const calls = await runAll(24, { task: '1' });
    assert.equal(calls.filter((outcome) => outcome === 'completed').length, 12, calls.join(' '));
    const { used, reserved } = await amountsOf('server.maxToolCallsPerDay');
    assert.deepEqual([used, reserved], [12, 0]);
  });
}

test(
  'a server that is killed during a request leaves its reservation, and the request counts once',
  { timeout: 90_000 },
  async () => {
    const dying = model.replace(
      'const calls',
      `const { existsSync, writeFileSync } = await import('node:fs');
  if (!existsSync('asked')) { writeFileSync('asked', ''); process.kill(process.pid, 'SIGKILL'); await new Promise(() => {}); }
  const calls`,
    );
    const plugins = { modelProvider: [{ use: './model.mjs' }] };
    const budgets = { perPrincipal: { maxTokensPerDay: 100_000 } };
    await using installation = await createInstallation({ budgets, plugins }, { 'model.mjs': dying });
    using first = startBundled(installation.folder);
    const { id } = await send(await first.url(), '/v1/runs', { kind: 'agent', task: '0' });
    await first.exit;

    const { folder: cwd, configPath } = installation;
    await writeFile(join(cwd, 'model.mjs'), model);
    await using monolith = await openMonolith({ cwd, configPath, env: {}, isServer: true });
    await using server = await serve(monolith, { port: 0, graceMs: 0 });
    assert.equal((await until(server.url, id, 'run-end')).status, 'completed');
    const { items } = await send(server.url, '/v1/budgets');
    const tokens = items.find((each: { name: string }) => each.name.includes('perPrincipal.maxTokensPerDay'));
    assert.equal(tokens.used, 60);
    // It is free again ten minutes after the request.
    assert.ok(tokens.reserved > 1_000 && tokens.reserved < 20_000, String(tokens.reserved));
  },
);

test('a provider that counts wrongly, or not at all, gives no budget back', { timeout: 120_000 }, async () => {
  const wrong = model
    .replace('Number(messages[0].content[0].text)', '12')
    .replace('usage: { inputTokens: 30, outputTokens: 30 }', 'usage: (0, eval)(messages[0].content[0].text)');
  const agents = { frugal: { budget: { maxTokens: 9_000 } } };
  const budgets = { perPrincipal: { maxTokensPerDay: 1_000_000 } };
  await using server = await startServer(
    { agents, budgets, plugins: { modelProvider: [{ use: './model.mjs' }] } },
    { 'model.mjs': wrong },
    { isServer: true },
  );
  const { url } = server;
  let before = 0;
  for (const usage of [
    '({ inputTokens: -1e9, outputTokens: 1 })',
    '({ inputTokens: NaN, outputTokens: 1 })',
    '({ inputTokens: 1, outputTokens: Infinity })',
    '({ inputTokens: "1", outputTokens: 1 })',
    'null',
    '({ inputTokens: 0, outputTokens: 0 })',
    // Their sum is more than a store can add.
    '({ inputTokens: 9e15, outputTokens: 9e15 })',
  ]) {
    const run = await send(url, '/v1/runs', { kind: 'agent', agent: 'frugal', task: usage });
    const ended = await until(url, run.id, 'run-end');
    assert.equal(ended.reason, 'budget', `${usage}: ${JSON.stringify(ended)}`);
    const { items } = await send(url, '/v1/budgets');
    const day = items.find(({ name }: { name: string }) => name.includes('maxTokensPerDay'));
    // It counts at least what was sent.
    assert.ok(day.used > before + 1_000, `${usage}: ${before} -> ${day.used}`);
    assert.equal(day.reserved, 0, usage);
    before = day.used;
  }
});

test('budgets that make no sense are refused at their place', async () => {
  await assert.rejects(
    open({ perAgent: { rvi: { maxTokensPerDay: 1 } } }),
    /there is no agent "rvi"; did you mean "ravi"/,
  );
  await assert.rejects(open({ server: { maxCostPerDay: 1 } }), /budgets\.server\.maxCostPerDay needs prices/);
  await assert.rejects(open({ server: { maxTokensPerDay: 0 } }), /budgets\.server\.maxTokensPerDay|\/budgets\/server/);
  await assert.rejects(
    open({}, { agent: { budget: { maxCost: 1 } } }),
    /agent\.budget\.maxCost needs prices: set agent\.prices/,
  );
  await assert.rejects(open({}, { agent: { budget: { maxCost: 0 } } }), /agent.*budget.*maxCost/s);
  await assert.rejects(
    open({}, { agents: { poor: { budget: { maxTokens: 0 } } } }),
    /agents.*poor.*budget.*maxTokens/s,
  );
  await assert.rejects(
    open({ server: { maxTokensPerDay: 10 } }, { agent: { budget: { maxTokens: 11 } } }),
    /agent\.budget\.maxTokens is 11, above budgets\.server\.maxTokensPerDay, which is 10/,
  );
});
