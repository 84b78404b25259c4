import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { measureApprovals } from './scale-test/approvals.ts';
import { engineNames, engineOf } from './lib/postgres.ts';
import { measureBytes } from './scale-test/bytes.ts';
import { measureCancel } from './scale-test/cancel.ts';
import { measureCells } from './scale-test/cells.ts';
import { measureDeploy } from './scale-test/deploy.ts';
import { measureFairness } from './scale-test/fairness.ts';
import { measureEvents } from './scale-test/events.ts';
import { printFigures, printHeading } from './scale-test/figures.ts';
import type { ScaleOptions, ScaleResult, ScaleSizes } from './scale-test/figures.ts';
import { measureHandovers } from './scale-test/handovers.ts';
import { measureIdle } from './scale-test/idle.ts';
import { measurePending } from './scale-test/pending.ts';
import { measureRetention } from './scale-test/retention.ts';
import { measureSnapshot } from './scale-test/snapshot.ts';
import { measureCuts, measureFreezes, measureRestarts, measureTakeovers } from './scale-test/takeovers.ts';

const quick: ScaleSizes = {
  seconds: 1,
  expiries: 300,
  servers: 2,
  parkedRuns: 60,
  fewParkedRuns: 20,
  settleSeconds: 4,
  idleSeconds: 5,
  runs: 8,
  calls: 12,
  processes: 8,
  freezeSeconds: 20,
  cutSeconds: 20,
  downSeconds: 2,
  steps: 40,
  earlyStep: 20,
  lateStep: 60,
  queuedRuns: 60,
  slots: 4,
  deployRuns: 12,
  heldSeconds: 3,
  rounds: 2,
  agents: 4,
  agentSteps: 20,
  restSeconds: 4,
  oldRuns: 500,
  cancels: 12,
  handovers: 3,
  pendingApprovals: 600,
  fewPendingApprovals: 200,
  asks: 10,
};
const full: ScaleSizes = {
  seconds: 10,
  expiries: 20_000,
  servers: 4,
  parkedRuns: 100_000,
  fewParkedRuns: 1_000,
  settleSeconds: 60,
  idleSeconds: 60,
  runs: 200,
  calls: 30,
  processes: 64,
  freezeSeconds: 30,
  cutSeconds: 20,
  downSeconds: 5,
  steps: 400,
  earlyStep: 20,
  lateStep: 200,
  queuedRuns: 10_000,
  slots: 50,
  deployRuns: 100,
  heldSeconds: 300,
  rounds: 2,
  agents: 8,
  agentSteps: 100,
  restSeconds: 30,
  oldRuns: 50_000,
  cancels: 200,
  handovers: 50,
  pendingApprovals: 1_000_000,
  fewPendingApprovals: 1_000,
  asks: 200,
};
const own = Object.fromEntries(Object.keys(full).map((name) => [name, { type: 'string' } as const]));
const tests: Readonly<Record<string, (options: ScaleOptions) => Promise<readonly ScaleResult[]>>> = {
  idle: measureIdle,
  takeovers: measureTakeovers,
  freezes: measureFreezes,
  cuts: measureCuts,
  restarts: measureRestarts,
  approvals: measureApprovals,
  events: measureEvents,
  bytes: measureBytes,
  deploy: measureDeploy,
  snapshot: measureSnapshot,
  cells: measureCells,
  fairness: measureFairness,
  retention: measureRetention,
  cancel: measureCancel,
  handovers: measureHandovers,
  pending: measurePending,
};
const usage = `Usage: node scripts/scale-test.ts [--quick] [--engine ${engineNames.join('|')}] [--<size> <number>]... [<test>...]

Measures how several servers share one PostgreSQL, and prints each figure with its goal. Without a test all of them run, which takes hours.

  tests     ${wrapped(Object.keys(tests))}
  --quick   sizes that are small enough to run on every change, instead of the full ones
  --engine  engine of runs of the servers, memory by default
  --<size>  replaces one size:
            ${wrapped(Object.keys(full))}

It exits with 0 if every goal was reached, with 1 if one was missed, and with 2 if an option or a test does not exist.`;
const { values, positionals } = readArguments();
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const chosen = Object.keys(full).flatMap((name) => {
  const value = (values as Readonly<Record<string, string | boolean | undefined>>)[name];
  return value === undefined ? [] : [[name, sizeOf(name, String(value))] as const];
});
const sizes: ScaleSizes = { ...(values.quick ? quick : full), ...Object.fromEntries(chosen) };

const unknown = positionals.filter((name) => !Object.hasOwn(tests, name));
if (unknown.length > 0) {
  console.error(`There is no scale test "${unknown.join('", "')}"; there are: ${Object.keys(tests).join(', ')}`);
  process.exit(2);
}
const engine = engineOf(String(values.engine));
if (engine === undefined) {
  console.error(`--engine must be one of ${engineNames.join(', ')}, got "${values.engine}"`);
  process.exit(2);
}
console.log(`${availableParallelism()} cores, load average ${loadavg()[0]?.toFixed(1)} before it began\n`);
printHeading();
let missed = 0;
for (const [name, measure] of Object.entries(tests)) {
  if (positionals.length === 0 || positionals.includes(name))
    missed += printFigures(await measure({ ...sizes, engine }));
}
process.exitCode = missed === 0 ? 0 : 1;

function readArguments() {
  try {
    const boolean = { type: 'boolean', default: false } as const;
    const options = { help: boolean, quick: boolean, engine: { type: 'string', default: 'memory' }, ...own } as const;
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
}

function wrapped(names: readonly string[]): string {
  return names.join(', ').replaceAll(/(.{60,90}?,) /g, '$1\n            ');
}

function sizeOf(name: string, text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  console.error(`--${name} must be a whole number from 1 to 9999999, got "${text}"`);
  process.exit(2);
}
