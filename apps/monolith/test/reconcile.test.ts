import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import type { TestInstallation } from './support/installation.ts';
import { pendingOf, approve, send, until, untilStatus } from './support/run-requests.ts';
import { buildServer, startBundled } from './support/server-process.ts';
import type { ServerProcess } from './support/server-process.ts';

/**
 * Books a payment by its idempotency key, or not, and kills its server. `reconcile` looks the key up in the books; the first time
 * it kills the server too, if the call asks for that.
 */
const pay = `
import { appendFile, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const file = (name) => join(import.meta.dirname, '..', name);
const linesOf = (name) => readFile(file(name), 'utf8').then((text) => text.split('\\n'), () => []);
const die = async () => { process.kill(process.pid, 'SIGKILL'); await new Promise(() => {}); };
export default {
  name: 'pay', description: 'Pays.', risk: 'high',
  inputSchema: { type: 'object', properties: { to: { type: 'string' }, books: { type: 'boolean' }, diesTwice: { type: 'boolean' } } },
  outputSchema: { type: 'object', properties: { paid: { type: 'string' } }, required: ['paid'] },
  async execute({ to, books }, { idempotencyKey }) {
    const isRepeated = (await linesOf('attempts.txt')).includes(to);
    await appendFile(file('attempts.txt'), to + '\\n');
    if (books || isRepeated) await appendFile(file('books.txt'), idempotencyKey + '\\n');
    if (!isRepeated) await die();
    return { content: [], isError: false, structuredContent: { paid: to } };
  },
  async reconcile({ to, diesTwice }, idempotencyKey) {
    await appendFile(file('asked.txt'), to + '\\n');
    if (diesTwice && (await linesOf('asked.txt')).length === 2) await die();
    const happened = (await linesOf('books.txt')).includes(idempotencyKey);
    const result = { content: [], isError: false, structuredContent: { paid: to + ', found in the books' } };
    return happened ? { happened, result } : { happened };
  },
};`;

async function linesIn({ folder }: TestInstallation, name: string): Promise<readonly string[]> {
  const text = await readFile(join(folder, name), 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean);
}

// Not in the time of a test: the first one would pay for all.
beforeAll(buildServer, 300_000);

/** Waits until a run has killed its server. A run that ends instead is a failure that says how. */
async function untilKilled(server: ServerProcess, runId: string): Promise<void> {
  const ended = server.url().then((url) => untilStatus(url, runId, 'completed'));
  const survived = ended.then(
    ({ outcome }) => assert.fail(`${runId} has not killed its server: ${JSON.stringify(outcome)}`),
    // The connection is lost with the server.
    (error: unknown) => (error instanceof assert.AssertionError ? Promise.reject(error) : server.exit),
  );
  await Promise.race([server.exit, survived]);
}

const lax = { policy: { maxRiskUnapproved: 'high' as const }, budgets: { server: { maxToolCallsPerDay: 100 } } };

/** Returns the calls that the budget of the day has counted. */
async function countedCalls(url: string): Promise<number> {
  const { items } = await send(url, '/v1/budgets');
  return items.find(({ name }: { readonly name: string }) => name.includes('server.maxToolCallsPerDay')).used;
}

// In the first, the server is killed again while it reconciles.
for (const [what, books, diesTwice, found] of [
  ['took effect', true, true, 'ada, found in the books'],
  ['did not take effect', false, false, 'ada'],
] as const) {
  test(
    `a script gets the result of a call that ${what} before its server was killed`,
    { timeout: 180_000 },
    async () => {
      await using installation = await createInstallation(lax, { 'tools/pay.mjs': pay });
      using first = startBundled(installation.folder);
      const code = `return (await tools.pay({ to: 'ada', books: ${books}, diesTwice: ${diesTwice} })).paid`;
      const { id } = await send(await first.url(), '/v1/runs', { kind: 'chain', code });
      await first.exit;
      if (diesTwice) {
        using second = startBundled(installation.folder);
        await untilKilled(second, id);
      }
      using last = startBundled(installation.folder);
      const url = await last.url();
      const run = await untilStatus(url, id, 'completed');
      assert.equal(run.outcome.result?.value, found, JSON.stringify(run.outcome));
      assert.equal((await linesIn(installation, 'books.txt')).length, 1);
      assert.deepEqual(await linesIn(installation, 'asked.txt'), diesTwice ? ['ada', 'ada'] : ['ada']);
      assert.deepEqual(await linesIn(installation, 'attempts.txt'), books ? ['ada'] : ['ada', 'ada']);
      // All attempts are one call.
      assert.equal(await countedCalls(url), 1);
    },
  );
}

test(
  'a call of an agent that did not take effect runs under its approval after the server was killed',
  { timeout: 180_000 },
  async () => {
    const { budgets } = lax;
    const config = { agent: { demoScript: './demo.ts' }, approvals: { mode: 'pause' as const }, budgets };
    const demo = `return (await tools.pay({ to: 'ada' })).paid`;
    await using installation = await createInstallation(config, { 'tools/pay.mjs': pay, 'demo.ts': demo });
    using first = startBundled(installation.folder);
    const url = await first.url();
    const { id } = await send(url, '/v1/runs', { kind: 'agent', task: 'demo' });
    const [pending] = await pendingOf(url, id, 1);
    await approve(url, pending).catch(() => {}); // the server may be killed before it replies
    await first.exit;
    using second = startBundled(installation.folder);
    const next = await second.url();
    const ended = await until(next, id, 'run-end');
    assert.equal(ended.status, 'completed', JSON.stringify(ended));
    assert.equal((await linesIn(installation, 'books.txt')).length, 1);
    const { items } = await send(next, `/v1/approvals?runId=${id}`);
    assert.equal(items.length, 1, 'it was approved once');
    // The script and the payment inside it.
    assert.equal(await countedCalls(next), 2);
  },
);

test('a direct call is reconciled when its request is repeated with its key', { timeout: 180_000 }, async () => {
  await using installation = await createInstallation(lax, { 'tools/pay.mjs': pay });
  using first = startBundled(installation.folder);
  const post = async (url: string, to: string, books: boolean): Promise<readonly unknown[]> => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': to };
    const body = JSON.stringify({ args: { to, books } });
    const response = await fetch(`${url}/v1/tools/pay`, { method: 'POST', headers, body });
    const answer = (await response.json()) as {
      readonly structured?: unknown;
      readonly error?: { readonly code: string };
    };
    return [response.status, answer.structured ?? answer.error?.code];
  };
  await assert.rejects(post(await first.url(), 'ada', true));
  await first.exit;
  using second = startBundled(installation.folder);
  const url = await second.url();
  const reply = [200, { paid: 'ada, found in the books' }];
  assert.deepEqual(await Promise.all([post(url, 'ada', true), post(url, 'ada', true)]), [reply, reply]);
  assert.deepEqual(await linesIn(installation, 'asked.txt'), ['ada']);
  await assert.rejects(post(url, 'eve', false));
  await second.exit;
  using third = startBundled(installation.folder);
  assert.deepEqual(await post(await third.url(), 'eve', false), [200, { paid: 'eve' }]);
  assert.deepEqual((await linesIn(installation, 'books.txt')).length, 2);
  assert.equal(await countedCalls(await third.url()), 2);
});
