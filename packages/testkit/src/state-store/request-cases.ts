import assert from 'node:assert/strict';
import { midnight } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

const twoDaysMs = 172_800_000;
const request = { principal: 'ada', key: 'k-1', fingerprint: 'f-1', runId: 'run-1', now: midnight };
const stored = { fingerprint: 'f-1', runId: 'run-1' };

/** Cases about requests that are repeated under their keys. */
export function requestCases({ needing }: StateStoreSuite): void {
  const scenario = needing('requests');

  scenario('the first request with a key counts, for each principal', async ({ requests }) => {
    assert.deepEqual(await requests.begin(request), { isNew: true, request: stored });
    const again = { ...request, fingerprint: 'f-2', runId: 'run-2' };
    assert.deepEqual(await requests.begin(again), { isNew: false, request: stored });
    assert.equal((await requests.begin({ ...request, principal: 'grace' })).isNew, true);
    assert.equal((await requests.begin({ ...request, key: 'k-2' })).isNew, true);
  });

  scenario('of several requests at once exactly one is new', async ({ requests }) => {
    const begun = await Promise.all([1, 2, 3, 4].map((each) => requests.begin({ ...request, runId: `run-${each}` })));
    assert.equal(begun.filter(({ isNew }) => isNew).length, 1);
    assert.equal(new Set(begun.map(({ request: { runId } }) => runId)).size, 1);
  });

  scenario(
    'a response is returned with its request, and only a request without one is forgotten',
    async ({ requests }) => {
      await requests.begin(request);
      await requests.finish(request, { status: 200, body: 'Zoë' });
      await requests.forget(request);
      const known = { ...stored, response: { status: 200, body: 'Zoë' } };
      assert.deepEqual(await requests.begin(request), { isNew: false, request: known });
      const other = { ...request, key: 'k-2' };
      await requests.begin(other);
      await requests.forget(other);
      assert.equal((await requests.begin(other)).isNew, true);
    },
  );

  scenario('a forgotten key is free for another request and keeps its run', async ({ requests }) => {
    await requests.begin(request);
    await requests.forget(request);
    const other = { ...request, fingerprint: 'f-2', runId: 'run-2' };
    assert.deepEqual(await requests.begin(other), { isNew: true, request: { fingerprint: 'f-2', runId: 'run-1' } });
    assert.equal((await requests.begin(other)).isNew, false);
  });

  scenario('a key is kept for two days', async ({ requests }) => {
    await requests.begin(request);
    assert.equal((await requests.begin({ ...request, now: midnight + twoDaysMs })).isNew, false);
    assert.equal((await requests.begin({ ...request, now: midnight + twoDaysMs + 1 })).isNew, true);
  });

  scenario('requests are removed when their keys are no longer kept', async ({ requests }) => {
    for (const key of ['old-1', 'old-2']) await requests.begin({ ...request, key });
    await requests.begin({ ...request, key: 'new', now: midnight + 1 });
    assert.equal(await requests.removeOld(midnight + twoDaysMs), 0);
    assert.equal(await requests.removeOld(midnight + twoDaysMs + 1), 2);
    assert.equal(await requests.removeOld(midnight + twoDaysMs + 1), 0);
    assert.equal((await requests.begin({ ...request, key: 'new', now: midnight + 2 })).isNew, false);
  });
}
