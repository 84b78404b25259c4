import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresForTests } from '@ravi/state-testing';
import { countInSample, offsetOfDay } from '@ravi/testkit';
import { test } from 'vitest';
import type { CrashStore } from './crash/orders.ts';
import { runCrashCycles } from './crash/run-crash-cycles.ts';

/** Kills some processes; `scripts/crash-test.ts` kills many. */
async function killSome(
  { cycles, offset }: { readonly cycles: number; readonly offset: number },
  storeIn: (folder: string) => CrashStore,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-crash-'));
  try {
    const report = await runCrashCycles({ store: storeIn(folder), folder, cycles, offset });
    assert.ok(report.runs > 0 && report.atPoints > 0 && report.atRandom > 0);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('processes that are killed lose nothing and do nothing twice on SQLite', { timeout: 240_000 }, () =>
  killSome({ cycles: countInSample(30, 12), offset: offsetOfDay(12) }, (folder) => ({
    kind: 'sqlite',
    file: join(folder, 'state.db'),
  })),
);

test(
  'processes that are killed lose nothing and do nothing twice on PostgreSQL',
  { timeout: 240_000 },
  async (context) => {
    await using server = await postgresForTests();
    const { url, reason } = server;
    if (url === undefined) return context.skip(reason);
    await killSome({ cycles: countInSample(14, 6), offset: 30 + offsetOfDay(6) }, () => ({
      kind: 'postgres',
      url,
      schema: `crash_${process.pid}`,
    }));
  },
);
