import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import { test } from 'vitest';
import { createMemoryRequests } from '../src/http/core/memory-requests.ts';

const twoDaysMs = 172_800_000;

function requestOf(principal: string, key: string, now = 0) {
  return { principal, key, fingerprint: `f-${key}`, runId: `run-${key}`, now };
}

test('requests of a principal never displace those of another one', async () => {
  const requests = createMemoryRequests({ maxRequests: 10, maxBytes: 1_000 });
  await requests.begin(requestOf('bob', 'pay'));
  await requests.finish(requestOf('bob', 'pay'), 'paid');
  for (let count = 0; count < 100; count++) {
    await requests.begin(requestOf('mallory', `k-${count}`));
    await requests.finish(requestOf('mallory', `k-${count}`), 'x'.repeat(400));
  }
  const repeated = await requests.begin(requestOf('bob', 'pay'));
  assert.deepEqual([repeated.isNew, repeated.request.response], [false, 'paid']);
});

test('beyond the bytes of a principal its oldest responses are dropped, and their requests stay known', async () => {
  const requests = createMemoryRequests({ maxRequests: 10, maxBytes: 2_000 });
  for (const key of ['a', 'b', 'c']) {
    await requests.begin(requestOf('ada', key));
    await requests.finish(requestOf('ada', key), key.repeat(400));
  }
  const found = [];
  for (const key of ['a', 'b', 'c']) {
    const { isNew, request } = await requests.begin(requestOf('ada', key));
    found.push([isNew, request.response]);
  }
  assert.deepEqual(found, [
    [false, undefined],
    [false, 'b'.repeat(400)],
    [false, 'c'.repeat(400)],
  ]);
});

test('a request in progress is never displaced: a new one is refused with E_BUSY', async () => {
  const requests = createMemoryRequests({ maxRequests: 2, maxBytes: 1_000 });
  for (const key of ['a', 'b']) await requests.begin(requestOf('ada', key));
  await assert.rejects(requests.begin(requestOf('ada', 'c')), (error) => isKernelError(error, 'E_BUSY'));
  assert.equal((await requests.begin(requestOf('ada', 'a'))).isNew, false);
  await requests.finish(requestOf('ada', 'b'), 'done');
  assert.equal((await requests.begin(requestOf('ada', 'c'))).isNew, true);
  assert.equal((await requests.begin(requestOf('ada', 'a'))).isNew, false);
});

test('a key is kept for two days, and a forgotten one is free', async () => {
  const requests = createMemoryRequests();
  await requests.begin(requestOf('ada', 'old'));
  await requests.begin(requestOf('ada', 'refused'));
  await requests.forget(requestOf('ada', 'refused'));
  assert.equal((await requests.begin(requestOf('ada', 'refused'))).isNew, true);
  assert.equal((await requests.begin(requestOf('ada', 'old', twoDaysMs))).isNew, false);
  assert.equal((await requests.begin(requestOf('ada', 'old', twoDaysMs + 1))).isNew, true);
});
