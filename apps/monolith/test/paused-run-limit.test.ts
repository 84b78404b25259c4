import assert from 'node:assert/strict';
import type { RaviConfig } from '@ravi/host';
import { createFakeClock } from '@ravi/testkit';
import { test } from 'vitest';
import { createPausedRunLimit } from '../src/runs/paused-run-limit.ts';
import { as, startSecuredServer } from './support/callers.ts';
import { stateStoreOf } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const script = { kind: 'chain', code: "return tools.launch({ target: 'moon' })" } as const;
const approvals: RaviConfig['approvals'] = { mode: 'pause', onExpiry: 'park', maxPausedRuns: 2 };

async function pauseRun(server: TestServer, caller: 'ada' | 'bob'): Promise<string> {
  const { status, body } = await server.post('/v1/runs', script, as(caller));
  assert.equal(status, 201, JSON.stringify(body));
  while ((await server.get(`/v1/runs/${body.id}`, as(caller))).body.status !== 'paused') {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return body.id;
}

test('a principal at its limit of paused runs starts no further run until one of them ends', async () => {
  await using server = await startSecuredServer({}, {}, { approvals });
  const first = await pauseRun(server, 'ada');
  await pauseRun(server, 'ada');
  for (const [path, body] of [
    ['/v1/runs', script],
    ['/v1/runs', { kind: 'agent', task: 'fly' }],
    ['/v1/responses', { model: 'ravi', input: 'fly' }],
    ['/v1/chains', { code: 'return 1' }],
    ['/v1/chains?stream=1', { code: 'return 1' }],
  ] as const) {
    const refused = await server.post(path, body, as('ada'));
    assert.deepEqual([refused.status, refused.body.error?.code], [429, 'E_BUSY'], path);
    assert.match(refused.body.error.message, /ada has 2 paused runs, the limit of approvals\.maxPausedRuns/);
  }
  assert.equal(await stateStoreOf(server.monolith).runs.countPaused('ada', 10), 2);
  await pauseRun(server, 'bob');

  assert.equal((await server.post(`/v1/runs/${first}/cancel`, {}, as('ada'))).status, 202);
  while ((await server.post('/v1/runs', script, as('ada'))).status === 429) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
});

test('runs that do not pause start at any rate, and a principal at its limit is counted once a second', async () => {
  const clock = createFakeClock();
  let paused = 0;
  let counts = 0;
  const runs = { countPaused: async () => ((counts += 1), paused) };
  const limit = createPausedRunLimit({ runs, maxPausedRuns: 2, clock });
  for (let started = 0; started < 10; started++) await limit.check('ada');
  assert.equal(counts, 5);
  paused = 2;
  for (let refused = 0; refused < 10; refused++) await assert.rejects(limit.check('ada'), { code: 'E_BUSY' });
  assert.equal(counts, 6);
  paused = 1;
  clock.advance(1_000);
  await limit.check('ada');
  assert.equal(counts, 7);
});
