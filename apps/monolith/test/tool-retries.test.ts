import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import { send, until, untilStatus } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startServer } from './support/server.ts';
import { startBundled } from './support/server-process.ts';

/** Each attempt leaves a line with its idempotency key. The first two fail. */
const flaky = `
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';

const attempts = new Map();
export default {
  name: 'flaky', description: 'Fails twice.', risk: 'safe',
  inputSchema: { type: 'object', properties: { wait: { type: 'number' } } },
  async execute({ wait }, { idempotencyKey }) {
    await appendFile(join(import.meta.dirname, '../attempts.txt'), idempotencyKey + '\\n');
    const attempt = (attempts.get(idempotencyKey) ?? 0) + 1;
    attempts.set(idempotencyKey, attempt);
    if (attempt < 3) throw Object.assign(new Error('The service is busy'), { code: 'BUSY', retryable: true, retryAfterMs: wait });
    return { content: [{ type: 'text', text: 'attempt ' + attempt }], isError: false };
  },
};`;

async function attemptsIn(folder: string): Promise<readonly string[]> {
  const text = await readFile(join(folder, 'attempts.txt'), 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean);
}

test('a server repeats a failed call, and its response, its trace and its events show the attempts', async () => {
  const config = { policy: { toolRetryDelayMs: 2 } };
  await using server = await startServer(config, { 'tools/flaky.mjs': flaky }, { isServer: true });
  const direct = await server.post('/v1/tools/flaky', { args: {} });
  assert.deepEqual([direct.status, direct.body.text], [200, 'attempt 3']);

  const { body: chain } = await server.chain('return await tools.flaky({})');
  assert.equal(chain.value, 'attempt 3', JSON.stringify(chain));
  assert.equal(chain.toolCalls, 1);
  const error = { code: 'BUSY', message: 'The service is busy' };
  const errorsOf = (attempts: readonly Body[]): unknown => attempts.map((attempt) => attempt.error);
  assert.deepEqual(errorsOf(chain.callTrace[0].attempts), [error, error, undefined]);

  const { body: started } = await server.post('/v1/runs', { kind: 'chain', code: 'return await tools.flaky({})' });
  const ended = await until(server.url, started.id, 'run-end');
  assert.equal(ended.status, 'ok');
  const retry = await until(server.url, started.id, 'tool-retry');
  assert.deepEqual([retry.tool, retry.attempt, retry.error], ['flaky', 1, error]);
  const { trace } = (await server.get(`/v1/runs/${started.id}`)).body;
  assert.deepEqual([trace.length, errorsOf(trace[0].attempts)], [1, [error, error, undefined]]);
  const keys = await attemptsIn(server.installation.folder);
  assert.deepEqual([keys.length, new Set(keys).size], [9, 3]);
});

test('a policy of the server without retries runs each call once', async () => {
  await using server = await startServer({ policy: { maxToolRetries: 0 } }, { 'tools/flaky.mjs': flaky });
  const { body } = await server.post('/v1/tools/flaky', { args: {} });
  assert.deepEqual([body.status, body.error.code], ['error', 'BUSY']);
  assert.equal((await attemptsIn(server.installation.folder)).length, 1);
});

/** Fails each time with the error that the call names, and counts its attempts. */
const failing = `
import { readFile } from 'node:fs/promises';

const attempts = {};
const tool = (name, declared) => ({
  name, description: 'Fails.', inputSchema: { type: 'object', properties: { wait: {}, kind: {} } }, ...declared,
  async execute({ kind = 'retryable', wait }) {
    attempts[name] = (attempts[name] ?? 0) + 1;
    if (kind === 'missing file') await readFile('/no/such/file');
    if (kind === 'outside') throw Object.assign(new Error('../key is outside of the workspace'), { code: 'OUTSIDE' });
    if (kind === 'failed test') return { content: [{ type: 'text', text: '1 of 2 tests failed' }], isError: true };
    if (kind === 'bug') throw new TypeError('undefined is not a function');
    if (kind === 'network') throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    throw Object.assign(new Error('busy'), { code: 'BUSY', retryable: kind === 'retryable', retryAfterMs: wait });
  },
});
const count = {
  name: 'count', description: 'Counts.', risk: 'safe', inputSchema: { type: 'object' },
  async execute() {
    const counted = { ...attempts };
    for (const name of Object.keys(attempts)) delete attempts[name];
    return { content: [], isError: false, structuredContent: counted };
  },
};
export default [
  tool('look', { risk: 'safe' }),
  tool('pay', { risk: 'high' }),
  tool('put', { risk: 'high', idempotent: true }),
  tool('once', { risk: 'safe', retry: false }),
  tool('twice', { risk: 'safe', retry: { maxRetries: 1, delayMs: 1 } }),
  count,
];`;

test('a server repeats only what can improve and does no harm twice, and waits only within the limit of the call', async () => {
  const policy = { toolRetryDelayMs: 8, maxToolRetries: 3, callTimeoutMs: 20_000, maxRiskUnapproved: 'high' as const };
  await using server = await startServer({ policy }, { 'tools/failing.mjs': failing }, { isServer: true });
  const attemptsOf = async (tool: string, args: object): Promise<readonly unknown[]> => {
    const { body } = await server.post(`/v1/tools/${tool}`, { args });
    const { body: counted } = await server.post('/v1/tools/count', { args: {} });
    return [body.error.code, counted.structured[tool] ?? 0];
  };
  const cases: readonly (readonly [tool: string, args: object, code: string, attempts: number])[] = [
    ['look', {}, 'BUSY', 4],
    ['look', { kind: 'network' }, 'ECONNRESET', 4],
    ['put', {}, 'BUSY', 4],
    ['twice', {}, 'BUSY', 2],
    ['once', {}, 'BUSY', 1],
    ['pay', {}, 'BUSY', 1],
    ['pay', { kind: 'network' }, 'ECONNRESET', 1],
    ['look', { kind: 'permanent' }, 'BUSY', 1],
    ['look', { kind: 'missing file' }, 'ENOENT', 1],
    ['look', { kind: 'outside' }, 'OUTSIDE', 1],
    ['look', { kind: 'failed test' }, 'E_TOOL_FAILED', 1],
    ['look', { kind: 'bug' }, 'E_TOOL_FAILED', 1],
    // The wait would end after the time limit of the call.
    ['look', { wait: 20_000 }, 'BUSY', 1],
  ];
  for (const [tool, args, code, attempts] of cases) {
    assert.deepEqual(await attemptsOf(tool, args), [code, attempts], `${tool} ${JSON.stringify(args)}`);
  }

  const { id } = await send(server.url, '/v1/runs', {
    kind: 'chain',
    code: 'return (await tools.look.safe({})).error.code',
  });
  await until(server.url, id, 'run-end');
  const events = await (await fetch(`${server.url}/v1/runs/${id}/events`)).text();
  const delays = [...events.matchAll(/"delayMs":(\d+)/g)].map(([, ms]) => Number(ms));
  // Half of each wait is fixed, and each is twice as long as the one before.
  assert.equal(delays.length, 3, events);
  for (const [index, delayMs] of delays.entries()) {
    const mostMs = 8 * 2 ** index;
    assert.ok(delayMs >= mostMs / 2 && delayMs <= mostMs, `wait ${index + 1} is ${delayMs} ms`);
  }
});

/** Its first attempt fails without an effect and asks for a long wait. */
const charge = flaky
  .replace(`'flaky', description: 'Fails twice.', risk: 'safe'`, `'charge', description: 'Charges.', risk: 'high'`)
  .replace('retryable: true,', 'retryable: true, hadNoEffect: true,');

test(
  'a call whose server is killed between two attempts does not run again, and the script learns that',
  { timeout: 90_000 },
  async () => {
    const config = { policy: { maxRiskUnapproved: 'high' as const } };
    await using installation = await createInstallation(config, { 'tools/charge.mjs': charge });
    using first = startBundled(installation.folder);
    const url = await first.url();
    const code = 'return (await tools.charge.safe({ wait: 40_000 })).error.code';
    const { id } = await send(url, '/v1/runs', { kind: 'chain', code });
    const retry = await until(url, id, 'tool-retry');
    assert.deepEqual([retry.attempt, retry.delayMs], [1, 40_000]);
    first.signal('SIGKILL');
    await first.exit;

    using second = startBundled(installation.folder);
    const run = await untilStatus(await second.url(), id, 'completed');
    assert.equal(run.outcome.result.value, 'E_CALL_UNKNOWN', JSON.stringify(run));
    assert.equal((await attemptsIn(installation.folder)).length, 1);
  },
);
