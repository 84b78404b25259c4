import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { crashPoints } from '../packages/capabilities/test/chain/durable/crash/crash-points.ts';
import type { CrashStore } from '../packages/capabilities/test/chain/durable/crash/orders.ts';
import { runCrashCycles } from '../packages/capabilities/test/chain/durable/crash/run-crash-cycles.ts';
import type { CrashReport } from '../packages/capabilities/test/chain/durable/crash/run-crash-cycles.ts';
import { postgresForTests } from '../packages/state/testing/src/index.ts';

const usage = 'Usage: node scripts/crash-test.ts [--cycles <number>] [--store sqlite|postgres]';

const { values } = parseArgs({ options: { cycles: { type: 'string' }, store: { type: 'string' } } });
const { store: kind = 'sqlite' } = values;
const cycles = Number(values.cycles ?? 1_000);
if (!Number.isSafeInteger(cycles) || cycles < 1 || (kind !== 'sqlite' && kind !== 'postgres')) {
  console.error(usage);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'ravi-crash-test-'));
const started = performance.now();
try {
  await using postgres = kind === 'postgres' ? await postgresForTests() : undefined;
  if (postgres !== undefined && postgres.url === undefined) throw new Error(`No PostgreSQL: ${postgres.reason}`);
  let done = 0;
  const onCycle = (): void => {
    if (++done % 50 === 0) console.error(`${done} of ${cycles} cycles`);
  };
  // A process waits for its store more than it computes.
  const lanes = Math.min(2 * availableParallelism(), cycles);
  const reports = await Promise.all(
    Array.from({ length: lanes }, (_, lane) =>
      runCrashCycles({
        store: storeOf(lane, postgres?.url),
        folder: join(folder, `lane-${lane}`),
        cycles: Math.floor((cycles + lane) / lanes),
        offset: Math.floor((lane * crashPoints.length) / lanes),
        onCycle,
      }),
    ),
  );
  console.log(summary(reports));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function storeOf(lane: number, url: string | undefined): CrashStore {
  if (url === undefined) return { kind: 'sqlite', file: join(folder, `lane-${lane}`, 'state.db') };
  return { kind: 'postgres', url, schema: `crash_${process.pid}_${lane}` };
}

function summary(reports: readonly CrashReport[]): string {
  const sum = (figure: (report: CrashReport) => number): number => reports.reduce((all, one) => all + figure(one), 0);
  const points = new Set(reports.flatMap((report) => [...report.points]));
  const seconds = Math.round((performance.now() - started) / 1_000);
  return [
    `${kind}: ${cycles} processes killed in ${seconds} s, ${sum(({ atPoints }) => atPoints)} at ${points.size} of ${crashPoints.length} instrumented points, ${sum(({ atRandom }) => atRandom)} at random moments`,
    `${sum(({ runs }) => runs)} runs ended, ${sum(({ calls }) => calls)} calls on record, ${sum(({ effects }) => effects)} effects, ${sum(({ approvals }) => approvals)} approvals taken once`,
    `0 effects twice, 0 lost without a report: ${sum(({ unknown }) => unknown)} reported as unknown, ${sum(({ repeated }) => repeated)} idempotent calls made again`,
    '0 incomplete traces, 0 pins left, 0 questions left',
  ].join('\n');
}
