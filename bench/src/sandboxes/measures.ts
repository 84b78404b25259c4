import { deepStrictEqual } from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { median } from '../interleave.ts';
import { rowCount, rowsSource, textOf, textSource } from './payloads.ts';
import type { ScriptRunner } from './script-runner.ts';

const pauseMs = 20;
const warmUpMs = 1_000;
/** Number of scripts that the runner of this process has run before. */
const warm = new Set<string>();
const nothing = 'return 0';

/** Milliseconds of a script that returns at once, with its guest ready: the wait of a user. */
export async function trivialFromPool(runner: ScriptRunner): Promise<number> {
  const figures: number[] = [];
  for (let index = 0; index < 10; index++) {
    await makeReady(runner);
    figures.push(await timed(runner, 'return 1 + 1', 2));
  }
  return median(figures);
}

/** Milliseconds per script without pauses, so that creating the next guest is included. */
export async function trivialBackToBack(runner: ScriptRunner): Promise<number> {
  const scripts = 30;
  const start = performance.now();
  for (let index = 0; index < scripts; index++) deepStrictEqual(await runner.run('return 1 + 1'), 2);
  return (performance.now() - start) / scripts;
}

/** Trivial scripts per second, eight at once. */
export async function eightAtOnce(runner: ScriptRunner): Promise<number> {
  const scripts = 120;
  let left = scripts;
  const work = async (): Promise<void> => {
    while (left-- > 0) deepStrictEqual(await runner.run('return 1 + 1'), 2);
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: 8 }, work));
  return (scripts * 1000) / (performance.now() - start);
}

/** Microseconds per call, one after the other, without the script itself. */
export async function sequentialCall(runner: ScriptRunner): Promise<number> {
  const calls = 300;
  const echo = runner.reference('echo');
  const code = `let sum = 0; for (let value = 0; value < ${calls}; value++) sum += (await ${echo}({ value })).value; return sum`;
  return perCall(runner, code, calls, (calls * (calls - 1)) / 2);
}

/** Microseconds per call, a thousand in one `Promise.all`, without the script itself. */
export async function parallelCall(runner: ScriptRunner): Promise<number> {
  const calls = 1_000;
  const all = `Promise.all(Array.from({ length: ${calls} }, (_, value) => ${runner.reference('echo')}({ value })))`;
  const code = `return (await ${all}).reduce((sum, { value }) => sum + value, 0)`;
  return perCall(runner, code, calls, (calls * (calls - 1)) / 2);
}

/** Milliseconds of a script with `calls` concurrent calls that wait `milliseconds` each. */
export function waitingTogether(calls: number, milliseconds: number): (runner: ScriptRunner) => Promise<number> {
  return async (runner) => {
    const call = `${runner.reference('wait')}({ milliseconds: ${milliseconds} })`;
    const code = `return (await Promise.all(Array.from({ length: ${calls} }, () => ${call}))).length`;
    await makeReady(runner);
    return timed(runner, code, calls);
  };
}

/** Milliseconds of a script that receives a text of `bytes` from a tool. */
export function textIn(bytes: number): (runner: ScriptRunner) => Promise<number> {
  return async (runner) => {
    await makeReady(runner);
    const code = `return (await ${runner.reference('text')}({ bytes: ${bytes} })).length`;
    return timed(runner, code, textOf(bytes).length);
  };
}

/** Milliseconds of a script that receives rows of `bytes` from a tool. */
export function rowsIn(bytes: number): (runner: ScriptRunner) => Promise<number> {
  return async (runner) => {
    await makeReady(runner);
    return timed(runner, `return (await ${runner.reference('rows')}({ bytes: ${bytes} })).length`, rowCount(bytes));
  };
}

/** Milliseconds of a script that returns a text of `bytes`. */
export function textOut(bytes: number): (runner: ScriptRunner) => Promise<number> {
  return async (runner) => {
    await makeReady(runner);
    return timed(runner, `return ${textSource(bytes)}`, textOf(bytes).length, lengthOf);
  };
}

/** Milliseconds of a script that creates and returns rows of `bytes`. */
export function rowsOut(bytes: number): (runner: ScriptRunner) => Promise<number> {
  return async (runner) => {
    await makeReady(runner);
    return timed(runner, `return ${rowsSource(bytes)}`, rowCount(bytes), lengthOf);
  };
}

/** Milliseconds of a script that only does arithmetic. */
export async function tenMillionSteps(runner: ScriptRunner): Promise<number> {
  await makeReady(runner);
  return timed(
    runner,
    'let sum = 0; for (let step = 0; step < 1e7; step++) sum = (sum + step) & 0xffff; return sum',
    54_464,
  );
}

/** Longest block of the host's event loop in milliseconds while a script counts. */
export async function hostLag(runner: ScriptRunner): Promise<number> {
  await makeReady(runner);
  const code = 'const end = Date.now() + 200; let steps = 0; while (Date.now() < end) steps++; return steps > 0';
  return longestLag(() => timed(runner, code, true));
}

/** Longest block of the host's event loop in milliseconds while nothing runs. */
export async function idleLag(): Promise<number> {
  return longestLag(() => delay(200));
}

/** Number of scripts that return the right value, of fifty at once with calls and waits. */
export async function fiftyFinish(runner: ScriptRunner): Promise<number> {
  const outcomes = await startFifty(runner);
  return outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value === 3).length;
}

/** Milliseconds until the last of fifty concurrent scripts is done. */
export async function fiftyTime(runner: ScriptRunner): Promise<number> {
  const start = performance.now();
  for (const outcome of await startFifty(runner)) {
    if (outcome.status === 'rejected') throw outcome.reason;
  }
  return performance.now() - start;
}

function startFifty(runner: ScriptRunner): Promise<PromiseSettledResult<unknown>[]> {
  const [echo, wait] = [runner.reference('echo'), runner.reference('wait')];
  const code = `let sum = 0; for (let value = 0; value < 3; value++) sum += (await ${echo}({ value })).value; await ${wait}({ milliseconds: 5 }); return sum`;
  return Promise.allSettled(Array.from({ length: 50 }, () => runner.run(code)));
}

async function perCall(runner: ScriptRunner, code: string, calls: number, value: unknown): Promise<number> {
  await warmUp(runner, code);
  const figures: number[] = [];
  for (let index = 0; index < 3; index++) {
    await makeReady(runner);
    const empty = await timed(runner, nothing, 0);
    await makeReady(runner);
    figures.push(((await timed(runner, code, value)) - empty) * (1000 / calls));
  }
  return median(figures);
}

/** Runs the script for a while before its first figure, so that the code is as warm as in a server. */
async function warmUp(runner: ScriptRunner, code: string): Promise<void> {
  if (warm.has(code)) return;
  warm.add(code);
  const end = performance.now() + warmUpMs;
  while (performance.now() < end) await runner.run(code);
}

async function makeReady(runner: ScriptRunner): Promise<void> {
  await runner.prepare?.();
  await delay(pauseMs);
}

async function timed(
  runner: ScriptRunner,
  code: string,
  expected: unknown,
  summary: (value: unknown) => unknown = (value) => value,
): Promise<number> {
  const start = performance.now();
  const value = await runner.run(code);
  const elapsedMs = performance.now() - start;
  deepStrictEqual(summary(value), expected);
  return elapsedMs;
}

function lengthOf(value: unknown): unknown {
  return (value as { readonly length: number }).length;
}

async function longestLag(work: () => Promise<unknown>): Promise<number> {
  const resolutionMs = 1;
  const lag = monitorEventLoopDelay({ resolution: resolutionMs });
  lag.enable();
  await delay(pauseMs);
  lag.reset();
  // The measurement starts with its first tick.
  await delay(pauseMs);
  await work();
  // A blocked event loop notices the delay only when it continues.
  await delay(pauseMs);
  lag.disable();
  return Math.max(0, lag.max / 1e6 - resolutionMs);
}
