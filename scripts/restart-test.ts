import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startProcess } from '../apps/monolith/test/support/server-process.ts';
import { processorMs } from './load-test/figures.ts';
import { preloads, readEffects, writeInstallation } from './restart/installation.ts';
import type { Effect } from './restart/installation.ts';
import { leaveRuns } from './restart/prepare.ts';

// Measures how fast a server is back after a kill: see docs/load.md. It fails if an effect is missing or happens twice; with
// `--limit` also if a measured time is longer than that many times its goal.
const { values } = parseArgs({
  options: {
    paused: { type: 'string', default: '10000' },
    answered: { type: 'string', default: '20' },
    sources: { type: 'boolean', default: false },
    limit: { type: 'string' },
  },
});
const answered = Number(values.answered);
const limit = values.limit === undefined ? undefined : Number(values.limit);
const effectGoalMs = 2_000;
const responseGoalMs = 3_000;
const busyGoalMs = 50;
const maxWaitMs = 120_000;
const faults: string[] = [];

const builder = join(import.meta.dirname, '../apps/monolith/bundle/build.mjs');
if (spawnSync(process.execPath, [builder, '--if-changed'], { stdio: 'inherit' }).status !== 0) process.exit(1);
await using installation = await writeInstallation();
const { folder } = installation;
const left = await leaveRuns(folder, { paused: Number(values.paused), answered });
console.log(
  `${left.paused} paused runs, ${left.answered} of them answered; ${availableParallelism()} cores, load average ` +
    `${loadavg()[0]?.toFixed(1)}; from ${values.sources ? 'the sources' : 'the bundle'}\n`,
);

const startedAt = Date.now();
using server = startProcess(folder, ['--config', 'ravi.config.json', '--port', '0'], {
  preloads: [join(folder, values.sources ? preloads.sources : preloads.bundle)],
});
const { pid = 0 } = server.child;
const effectsHere = (name: string): readonly Effect[] =>
  readEffects(folder).filter((effect) => effect.pid === pid && effect.name === name);
const url = await server.url();
await longestBusy();
console.log(row(['after the start of the process', 'ms', 'goal', 'its processor time']));
console.log(row(['---', '---:', '---:', '---:']));
report('the server listens', Date.now() - startedAt);
report('first response of `/health`', await timeOf('/health'), responseGoalMs);
report('first response of `/v1/runs`', await timeOf('/v1/runs?limit=20'), responseGoalMs);
report('effect of an answered agent', await timeOfEffects('agent', 1), effectGoalMs);
report('effect of an interrupted script', await timeOfEffects('interrupted', 1), effectGoalMs);
report(`effects of all ${answered} answered scripts`, await timeOfEffects('copy', answered));
report('longest time for which its thread was busy', await longestBusy(), busyGoalMs);
// An effect that happens twice would happen now.
await pause(2_000);
for (const [name, count] of [
  ['agent', 1],
  ['copy', answered],
] as const) {
  const all = readEffects(folder).filter((effect) => effect.name === name).length;
  if (all !== count) faults.push(`${all} effects of "${name}" instead of ${count}`);
}
server.signal('SIGTERM');
const exit = await server.exit;
if (exit !== 0) faults.push(`the server ended with ${exit}`);
for (const fault of faults) console.error(`FAULT ${fault}`);
if (faults.length === 0) console.log('\nevery effect happened once');
process.exitCode = faults.length === 0 ? 0 : 1;

async function timeOf(path: string): Promise<number> {
  const response = await fetch(`${url}${path}`);
  await response.arrayBuffer();
  if (response.status !== 200) faults.push(`${path} returned ${response.status}`);
  return Date.now() - startedAt;
}

/** Returns the time of the last of the first `count` effects, by the clock of the server. */
async function timeOfEffects(name: string, count: number): Promise<number> {
  for (const giveUpAt = Date.now() + maxWaitMs; Date.now() < giveUpAt; await pause(20)) {
    const last = effectsHere(name)[count - 1];
    if (last !== undefined) return last.at - startedAt;
  }
  faults.push(`only ${effectsHere(name).length} of ${count} effects of "${name}"`);
  return Infinity;
}

/** Returns processor time, which does not depend on other programs of the machine. */
async function longestBusy(): Promise<number> {
  const reply = once(server.child, 'message');
  server.child.send('busy');
  const [busyMs] = (await reply) as [number];
  return busyMs;
}

function report(what: string, measuredMs: number, goalMs?: number): void {
  console.log(row([what, measuredMs.toFixed(0), goalMs === undefined ? '' : String(goalMs), String(processorMs(pid))]));
  if (goalMs === undefined || limit === undefined || measuredMs <= limit * goalMs) return;
  faults.push(`${what}: ${measuredMs.toFixed(0)} ms is more than ${limit} times the goal of ${goalMs} ms`);
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
