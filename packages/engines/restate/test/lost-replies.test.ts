import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { isKernelError } from '@ravi/kernel';
import { startRestate } from '@ravi/engine-testing';
import { createSeededRandom } from '@ravi/testkit';
import { afterAll, test } from 'vitest';
import { createRestateRunEngine } from '../src/index.ts';
import { startNoting, wake } from './support/workers.ts';

const server = await startRestate();
afterAll(() => server[Symbol.asyncDispose]());
const { adminUrl } = server;
const runs = 150;

/** Forwards requests to the ingress. Of five, it loses about one, and of another one the reply. */
async function startLossyProxy(): Promise<AsyncDisposable & { readonly url: string; readonly lost: () => number }> {
  // A regular pattern would meet the same kind of request each time.
  const random = createSeededRandom(1);
  let lost = 0;
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'POST', url = '/' } = request;
    const isLossy = !url.endsWith('/ping');
    const chance = isLossy ? random.below(5) : 5;
    const lose = (): void => {
      lost += 1;
      response.destroy();
    };
    try {
      const body = await buffer(request);
      if (chance === 0) return lose();
      const headers = { 'content-type': 'application/json' };
      const reply = await fetch(`${server.ingressUrl}${url}`, { method, body, headers });
      const text = await reply.text();
      if (chance === 1) return lose();
      response.writeHead(reply.status, headers).end(text);
    } catch {
      response.destroy();
    }
    return undefined;
  };
  const proxy = createServer((request, response) => void forward(request, response));
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    lost: () => lost,
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}

test('with two of five requests or replies lost, each run is handled, and those that were woken once are handled once', async () => {
  await using proxy = await startLossyProxy();
  await using engine = await createRestateRunEngine({ ingressUrl: proxy.url, adminUrl, service: 'lossy' });
  const atOnce = new Set<string>();
  const twiceAtOnce: string[] = [];
  const again = new Set<string>();
  const worker = await startNoting(engine, 7, async ({ runId }) => {
    if (atOnce.has(runId)) twiceAtOnce.push(runId);
    atOnce.add(runId);
    await new Promise((resolve) => setImmediate(resolve));
    atOnce.delete(runId);
    if (again.has(runId) || !runId.endsWith('0')) return { status: 'done' };
    again.add(runId);
    return { status: 'again', notBefore: Date.now() };
  });
  const ids = Array.from({ length: runs }, (_, index) => `run-${index}`);
  const wokenOnce: string[] = [];
  for (const id of ids) {
    let attempts = 0;
    for (let isWoken = false; !isWoken;) {
      attempts += 1;
      isWoken = await engine.wake([wake(id)]).then(
        () => true,
        (error: unknown) => {
          assert.ok(isKernelError(error, 'E_ENGINE_UNAVAILABLE'));
          return false;
        },
      );
    }
    if (attempts === 1) wokenOnce.push(id);
  }
  const expected = (id: string): number => (id.endsWith('0') ? 2 : 1);
  const handled = (id: string): number => worker.runIds.filter((runId) => runId === id).length;
  await worker.until(() => ids.every((id) => handled(id) >= expected(id)));
  const isIdle = async (): Promise<boolean> => {
    const { ready, delayed, taken, dead } = await engine.figures();
    return ready + delayed + taken + dead === 0;
  };
  // Those that were woken twice may have another look.
  while (!(await isIdle())) await sleep(50);
  await worker[Symbol.asyncDispose]();
  assert.deepEqual(twiceAtOnce, []);
  assert.ok(proxy.lost() > 50);
  assert.ok(wokenOnce.length > 50);
  assert.deepEqual(
    wokenOnce.filter((id) => handled(id) !== expected(id)),
    [],
  );
});
