import assert from 'node:assert/strict';
import { createMemoryRunEngine } from '@ravi/engine-memory';
import { KernelError, silentLogger } from '@ravi/kernel';
import type { EngineFigures, RunEngine } from '@ravi/kernel';
import { tokens } from '@ravi/monolith';
import { createFakeClock, createMemoryLogger } from '@ravi/testkit';

import { test } from 'vitest';
import { createWaitingRunLimit } from '../src/runs/waiting-run-limit.ts';
import { as, startSecuredServer } from './support/callers.ts';

const wakesOf = (group: string, count: number): Parameters<RunEngine['wake']>[0] =>
  Array.from({ length: count }, (_, index) => ({
    runId: `${group}-${index}`,
    group,
    version: 'without-a-worker',
    reason: 'orphaned',
  }));

test('a principal whose runs wait for a server starts no further run, and another principal does', async () => {
  await using server = await startSecuredServer({}, {}, { runs: { maxWaitingRuns: 2 } });
  const engine = server.monolith.container.resolve(tokens.runEngine);
  await engine?.wake([...wakesOf('ada', 3), ...wakesOf('bob', 2)]);
  const script = { kind: 'chain', code: 'return 1' };
  const refused = await fetch(`${server.url}/v1/runs`, {
    method: 'POST',
    headers: { ...as('ada'), 'content-type': 'application/json' },
    body: JSON.stringify(script),
  });
  const { error } = (await refused.json()) as { readonly error: { readonly code: string; readonly message: string } };
  assert.deepEqual([refused.status, refused.headers.get('retry-after'), error.code], [429, '5', 'E_BUSY']);
  assert.match(error.message, /3 runs of ada wait for a server; the limit of runs\.maxWaitingRuns is 2/);
  assert.equal((await server.post('/v1/runs', script, as('bob'))).status, 201);
  // Prometheus has the same numbers.
  const metrics = await fetch(`${server.url}/metrics`, { headers: as('ada') });
  assert.match(await metrics.text(), /ravi_engine_wakes\{state="ready"\} 5\n/);
});

test('waiting runs are counted once in five seconds, and nothing is refused while they cannot be counted', async () => {
  const clock = createFakeClock();
  const logger = createMemoryLogger();
  await using memory = createMemoryRunEngine({ logger: silentLogger });
  await memory.wake(wakesOf('ada', 1));
  let counts = 0;
  let isAway = false;
  const figures = async (): Promise<EngineFigures> => {
    counts += 1;
    if (isAway) throw new KernelError('E_ENGINE_UNAVAILABLE', 'The engine is gone', { retryable: true });
    return memory.figures();
  };
  const limit = createWaitingRunLimit({ engine: { figures }, maxWaitingRuns: 0, clock, logger });
  for (let asked = 0; asked < 3; asked += 1) await assert.rejects(limit.check('ada'), { code: 'E_BUSY' });
  await limit.check('bob');
  assert.equal(counts, 1);
  isAway = true;
  clock.advance(5_000);
  await limit.check('ada');
  assert.equal(counts, 2);
  assert.deepEqual(logger.messages('warn'), ['the waiting runs could not be counted']);
});
