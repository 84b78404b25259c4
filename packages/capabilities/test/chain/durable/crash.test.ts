import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';
import { runCrashCycles } from './crash/run-crash-cycles.ts';

test('processes that are killed lose nothing and do nothing twice', { timeout: 240_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-crash-'));
  try {
    const store = { kind: 'sqlite', file: join(folder, 'state.db') } as const;
    const report = await runCrashCycles({ store, folder, cycles: 40 });
    assert.ok(report.runs > 0 && report.atPoints > 0 && report.atRandom > 0);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
