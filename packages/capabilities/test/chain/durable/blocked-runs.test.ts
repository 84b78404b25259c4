import assert from 'node:assert/strict';
import { createFakeClock, settle } from '@ravi/testkit';
import { silentLogger } from '@ravi/kernel';
import type { ProcessRecord, Run, RunTransition } from '@ravi/kernel';
import { test } from 'vitest';
import { createBlockedRuns } from '../../../src/chain/durable/blocked-runs.ts';

const graceMs = 15_000;
const run: Run = {
  id: 'run',
  principal: 'ada',
  sessionId: 'session',
  definition: { kind: 'chain', code: 'return 1' },
  status: 'paused',
  epoch: 1,
  createdAt: 0,
  updatedAt: 0,
};
const block = { message: 'The tool probe has changed', needs: [] };

function processOf(id: string, isAlive: boolean): ProcessRecord {
  return { id, deadAfterMs: 10_000, epoch: 1, startedAt: 0, heartbeatAt: 0, isAlive };
}

/** Defers a run. `processes` are those of each look at the store; the last ones stay. */
function deferRun(processes: readonly ProcessRecord[][]): {
  readonly pass: () => Promise<void>;
  readonly changes: readonly RunTransition[];
} {
  const clock = createFakeClock();
  const changes: RunTransition[] = [];
  let looks = 0;
  const runs = {
    get: async () => run,
    claim: async () => undefined,
    async transition(_id: string, change: RunTransition) {
      changes.push(change);
      return true;
    },
  };
  const blocked = createBlockedRuns({
    runs,
    processes: { list: async () => ({ items: processes[looks++] ?? processes.at(-1) ?? [], corrupt: [] }) },
    blockOf: () => block,
    onServable: () => assert.fail('nothing was lacking'),
    graceMs,
    clock,
    logger: silentLogger,
  });
  assert.equal(blocked.defer(run), true);
  return {
    async pass() {
      clock.advance(graceMs);
      await settle();
    },
    changes,
  };
}

test('a run that the only process cannot continue is blocked after one grace', async () => {
  const { pass, changes } = deferRun([[processOf('this', true), processOf('dead', false)]]);
  await pass();
  assert.deepEqual(
    changes.map(({ to }) => to),
    ['blocked'],
  );
});

test('while another process lives, it has four graces to take the run', async () => {
  const { pass, changes } = deferRun([[processOf('this', true), processOf('other', true)]]);
  for (let grace = 1; grace < 4; grace += 1) {
    await pass();
    assert.equal(changes.length, 0, `after ${grace} graces`);
  }
  await pass();
  assert.equal(changes.length, 1);
});

test('a run is blocked at the end of the grace in which the other process ended', async () => {
  const both = [processOf('this', true), processOf('other', true)];
  const { pass, changes } = deferRun([both, [processOf('this', true)]]);
  await pass();
  assert.equal(changes.length, 0);
  await pass();
  assert.equal(changes.length, 1);
});
