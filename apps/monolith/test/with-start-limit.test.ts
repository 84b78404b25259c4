import assert from 'node:assert/strict';
import { KernelError } from '@ravi/kernel';
import type { NewRun, Run, RunStore } from '@ravi/kernel';
import { storeNewRun } from '@ravi/support';
import { createFakeClock } from '@ravi/testkit';
import { test } from 'vitest';
import { withStartLimit } from '../src/runs/with-start-limit.ts';

const row: NewRun = { id: 'run-1', principal: 'ada', sessionId: 's', definition: { kind: 'chain' }, createdAt: 0 };
const process = { started: async () => {} };
const silent = (): never => {
  throw new KernelError('E_STATE_UNAVAILABLE', 'The database does not respond');
};

/** Starts a run with a store whose reads and writes a test decides on, after `attempts` of which the time is over. */
async function start(get: () => Run | undefined, create: () => Run, isBelow = false): Promise<unknown> {
  const clock = createFakeClock();
  let writes = 0;
  const runs = {
    get: async () => get(),
    create: async () => {
      writes++;
      return create();
    },
    claim: async () => undefined,
  } as unknown as RunStore;
  const limited = withStartLimit(runs, { startTimeoutMs: 1_000, clock });
  const above = isBelow ? { above: { runId: 'run-0', owner: 'process', epoch: 1 } } : {};
  const ending = new AbortController();
  const starting = storeNewRun(
    { runs: limited, process },
    { row, holder: { owner: 'process', ...above } },
    { clock, signal: ending.signal },
  );
  const result = starting.then(
    () => ['started', writes],
    (error: KernelError) => [error.code, writes],
  );
  for (let round = 0; round < 20; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(500);
  }
  ending.abort();
  return result;
}

test('nothing is written to a store that does not answer, so the run was certainly not started', async () => {
  assert.deepEqual(await start(silent, silent), ['E_NOT_STARTED', 0]);
});

test('a store that reads and does not write has not stored the run, as a last read shows', async () => {
  const [code, writes] = (await start(() => undefined, silent)) as [string, number];
  assert.equal(code, 'E_NOT_STARTED');
  assert.ok(writes > 1);
});

test('of a store that falls silent during the write it is unknown if it has the run', async () => {
  let reads = 0;
  assert.deepEqual(await start(() => (reads++ === 0 ? undefined : silent()), silent), ['E_CALL_UNKNOWN', 1]);
});

test('a run below another one waits with it, without a limit', async () => {
  const [code, writes] = (await start(silent, silent, true)) as [string, number];
  assert.equal(code, 'E_STATE_UNAVAILABLE');
  assert.ok(writes > 5);
});
