import assert from 'node:assert/strict';
import { test } from 'vitest';
import { countInSample, offsetOfDay } from '../../packages/testkit/src/index.ts';
import { findPostgres } from '../../packages/state/testing/src/index.ts';
import { reportOf } from '../kill/report.ts';
import { isKept, totalOf } from '../kill/round-summary.ts';
import { runRounds } from '../kill/run-rounds.ts';

// A build machine must have PostgreSQL.
const hasPostgres = await findPostgres().then(
  () => true,
  () => process.env['CI'] !== undefined,
);
const faults = countInSample(10, 5);
const options = {
  faults,
  faultsPerRound: faults,
  lanes: 1,
  seed: 1 + offsetOfDay(1),
  servers: 2,
  liveRuns: 6,
  leaseMs: 4_000,
};

for (const [store, engine] of [
  ['sqlite', 'memory'],
  ['postgres', 'memory'],
  ['postgres', 'pg-boss'],
] as const) {
  test.skipIf(store === 'postgres' && !hasPostgres)(
    `servers on one ${store} store with the engine ${engine} lose, repeat and misreport nothing while faults happen to them`,
    { timeout: 400_000 },
    async () => {
      const summary = await runRounds({ ...options, store, engine, settleMs: 120_000 });
      assert.equal(totalOf(summary.faults), faults);
      assert.ok(totalOf(summary.runs) > 0 && summary.effects > 0 && summary.events > 0);
      assert.ok(isKept(summary), reportOf(`${store}, ${engine}`, summary).join('\n'));
    },
  );
}
