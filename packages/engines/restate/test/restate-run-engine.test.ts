import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { isKernelError } from '@ravi/kernel';
import { startRestate } from '@ravi/engine-testing';
import { afterAll, test } from 'vitest';
import { createRestateRunEngine } from '../src/index.ts';
import { startNoting, wake } from './support/workers.ts';

const server = await startRestate();
afterAll(() => server[Symbol.asyncDispose]());
const { ingressUrl, adminUrl } = server;
const yearMs = 365 * 86_400_000;

async function stateOf(service: string): Promise<readonly string[]> {
  const response = await fetch(`${adminUrl}/query`, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ query: `SELECT key FROM state WHERE service_name = '${service}' ORDER BY key` }),
  });
  const { rows } = (await response.json()) as { readonly rows: readonly { readonly key: string }[] };
  return rows.map(({ key }) => key);
}

test('nothing but the head is left when all runs were handled', async () => {
  const service = 'nothing-left';
  await using engine = await createRestateRunEngine({ ingressUrl, adminUrl, service, groupLimit: 3 });
  const worker = await startNoting(engine, 10);
  const wakes = Array.from({ length: 300 }, (_, index) => wake(`run-${index}`, { group: `group-${index % 7}` }));
  await engine.wake([...wakes, wake('later', { notBefore: Date.now() + 300 })]);
  await worker.until(() => worker.runIds.length === 301);
  await worker[Symbol.asyncDispose]();
  assert.deepEqual(await stateOf(service), ['head']);
});

test('500 runs of one group are handled in the order of their priorities and ages', async () => {
  await using engine = await createRestateRunEngine({ ingressUrl, adminUrl, service: 'order' });
  const ids = Array.from({ length: 500 }, (_, index) => `run-${index}`);
  await engine.wake(ids.map((id, index) => wake(id, { priority: index % 2 })));
  // A wake that changes its priority changes its place.
  await engine.wake([wake('run-0', { priority: 5 })]);
  await using worker = await startNoting(engine, 30);
  await worker.until(() => worker.runIds.length === 500);
  const odd = ids.filter((_, index) => index % 2 === 1);
  const even = ids.filter((_, index) => index % 2 === 0 && index > 0);
  assert.deepEqual(worker.runIds, ['run-0', ...odd, ...even]);
});

test('a run that is woken often keeps its place, and groups take turns', async () => {
  await using engine = await createRestateRunEngine({ ingressUrl, adminUrl, service: 'turns' });
  for (const runId of ['a-1', 'a-2', 'b-1', 'a-1', 'a-3', 'c-1', 'a-1']) {
    await engine.wake([wake(runId, { group: runId.slice(0, 1) })]);
  }
  await using worker = await startNoting(engine, 1);
  await worker.until(() => worker.runIds.length === 5);
  assert.deepEqual(worker.runIds, ['a-1', 'b-1', 'c-1', 'a-2', 'a-3']);
});

test('a wake may wait for nearly ten years, and becomes due when another one asks for a look now', async () => {
  await using engine = await createRestateRunEngine({ ingressUrl, adminUrl, service: 'years' });
  await engine.wake([wake('run-1', { notBefore: Date.now() + 9 * yearMs }), wake('run-2')]);
  const { ready, delayed } = await engine.figures();
  assert.deepEqual({ ready, delayed }, { ready: 1, delayed: 1 });
  await engine.wake([wake('run-1', { reason: 'answered' })]);
  await using worker = await startNoting(engine, 1);
  await worker.until(() => worker.runIds.length === 2);
});

test('1,200 wakes of one time are delivered, none before it', async () => {
  await using engine = await createRestateRunEngine({ ingressUrl, adminUrl, service: 'one-time' });
  const notBefore = Date.now() + 3_000;
  const early: string[] = [];
  await using worker = await startNoting(engine, 200, ({ runId }) => {
    if (Date.now() < notBefore) early.push(runId);
    return { status: 'done' };
  });
  for (const part of ['a', 'b']) {
    await engine.wake(Array.from({ length: 600 }, (_, index) => wake(`${part}-${index}`, { notBefore })));
  }
  await worker.until(() => worker.runIds.length === 1_200);
  assert.deepEqual(early, []);
  assert.equal(new Set(worker.runIds).size, 1_200);
});

test('an engine that is full refuses new runs, all of a call, and still takes wakes of those that it has', async () => {
  await using engine = await createRestateRunEngine({ ingressUrl, adminUrl, service: 'full', maxRuns: 2 });
  await engine.wake([wake('run-1')]);
  await assert.rejects(
    engine.wake([wake('run-2'), wake('run-3')]),
    (error) => isKernelError(error, 'E_ENGINE_UNAVAILABLE') && error.retryable && /maximum is 2/.test(error.message),
  );
  await engine.wake([wake('run-1'), wake('run-2')]);
  await engine.wake([wake('run-2')]);
  assert.equal((await engine.figures()).ready, 2);
});

test('two services of one Restate know nothing of each other', async () => {
  await using one = await createRestateRunEngine({ ingressUrl, adminUrl, service: 'one' });
  await using other = await createRestateRunEngine({ ingressUrl, adminUrl, service: 'other' });
  await one.wake([wake('run-1')]);
  assert.equal((await other.figures()).ready, 0);
});

test('dead wakes are listed by pages, the oldest first, with ids of any kind', async () => {
  await using engine = await createRestateRunEngine({ ingressUrl, adminUrl, service: 'dead', maxAttempts: 1 });
  const ids = ["it's", 'ä/漢字', '%_', 'last'];
  await using worker = await startNoting(engine, 1, ({ runId }) => Promise.reject(new Error(`no disk for ${runId}`)));
  await engine.wake(ids.map((id) => wake(id)));
  await worker.until(() => worker.runIds.length === ids.length);
  await worker[Symbol.asyncDispose]();
  const listed: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await engine.listDead({ limit: 1, ...(cursor === undefined ? {} : { cursor }) });
    listed.push(...page.items.map(({ error }) => error));
    cursor = page.next;
  } while (cursor !== undefined);
  assert.deepEqual(listed.toSorted(), ids.map((id) => `no disk for ${id}`).toSorted());
  for (const id of ids) assert.equal(await engine.removeDead(id), true);
  assert.equal((await engine.figures()).dead, 0);
});

test('options out of bounds are refused by name', async () => {
  for (const [options, code, field] of [
    [{ service: 'a b' }, 'E_CONFIG_INVALID', /service/],
    [{ service: 'x'.repeat(65) }, 'E_CONFIG_INVALID', /service/],
    [{ ingressUrl: 'localhost:8080' }, 'E_CONFIG_INVALID', /ingressUrl/],
    [{ adminUrl: 'ftp://host' }, 'E_CONFIG_INVALID', /adminUrl/],
    [{ advertisedUrl: 'nowhere' }, 'E_CONFIG_INVALID', /advertisedUrl/],
    [{ host: '0.0.0.0' }, 'E_CONFIG_INVALID', /advertisedUrl.*0\.0\.0\.0/],
    [{ identityKeys: ['publickeyv1_nonsense'] }, 'E_CONFIG_INVALID', /identityKeys/],
    [{ port: 65_536 }, 'E_ARGUMENTS_INVALID', /port.*65535/],
    [{ heartbeatMs: 2_999 }, 'E_ARGUMENTS_INVALID', /heartbeatMs.*3000/],
    [{ timeoutMs: 0 }, 'E_ARGUMENTS_INVALID', /timeoutMs/],
    [{ maxRuns: 0 }, 'E_ARGUMENTS_INVALID', /maxRuns/],
    [{ maxAttempts: 1.5 }, 'E_ARGUMENTS_INVALID', /maxAttempts/],
    [{ groupLimit: 0 }, 'E_ARGUMENTS_INVALID', /groupLimit/],
  ] as const) {
    await assert.rejects(
      createRestateRunEngine({ ingressUrl, adminUrl, ...options }),
      (error) => isKernelError(error, code) && field.test(error.message),
      String(field),
    );
  }
});

test('a Restate that cannot be reached makes the engine unavailable, and the message names its address', async () => {
  const gone = await listenAnywhere();
  await gone[Symbol.asyncDispose]();
  const closed = gone.url;
  for (const [options, place] of [
    [{ adminUrl: closed }, `The admin API of Restate at ${closed} cannot be reached: `],
    [{ ingressUrl: closed }, `Restate at ${closed} cannot be reached: `],
  ] as const) {
    await assert.rejects(
      createRestateRunEngine({ ingressUrl, adminUrl, service: 'closed', ...options }),
      (error) =>
        isKernelError(error, 'E_ENGINE_UNAVAILABLE') &&
        error.retryable &&
        error.message.startsWith(place) &&
        error.message.includes('ECONNREFUSED'),
    );
  }
});

test('a port that is taken, and an address that Restate cannot reach, are errors of the configuration', async () => {
  await using taken = await listenAnywhere();
  await assert.rejects(
    createRestateRunEngine({ ingressUrl, adminUrl, service: 'taken', port: taken.port }),
    (error) => isKernelError(error, 'E_CONFIG_INVALID') && /127\.0\.0\.1:\d+ .*port.*EADDRINUSE/.test(error.message),
  );
  await assert.rejects(
    createRestateRunEngine({ ingressUrl, adminUrl, service: 'lost', advertisedUrl: 'http://127.0.0.1:1' }),
    (error) => isKernelError(error, 'E_CONFIG_INVALID') && /http:\/\/127\.0\.0\.1:1.*advertisedUrl/.test(error.message),
  );
});

test('the token is sent to Restate, and a refusal is reported without it', async () => {
  await using guard = await listenAnywhere();
  const apiKey = 'a-secret-token';
  await assert.rejects(
    createRestateRunEngine({ ingressUrl, adminUrl: guard.url, apiKey }),
    (error) =>
      isKernelError(error, 'E_ENGINE_UNAVAILABLE') && /401/.test(error.message) && !error.message.includes(apiKey),
  );
  assert.deepEqual(guard.tokens, [`Bearer ${apiKey}`]);
});

/** Starts a server that refuses every request. */
async function listenAnywhere(): Promise<
  AsyncDisposable & { readonly port: number; readonly url: string; readonly tokens: readonly (string | undefined)[] }
> {
  const tokens: (string | undefined)[] = [];
  const refusing = createServer((request, response) => {
    tokens.push(request.headers.authorization);
    response.writeHead(401).end('no');
  });
  refusing.listen(0, '127.0.0.1');
  await once(refusing, 'listening');
  const { port } = refusing.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    tokens,
    async [Symbol.asyncDispose]() {
      refusing.closeAllConnections();
      refusing.close();
    },
  };
}
