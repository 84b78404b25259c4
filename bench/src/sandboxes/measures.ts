import { deepStrictEqual } from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { median } from '../median.ts';
import { rowCount, rowsSource, textOf, textSource } from './payloads.ts';
import type { ScriptRunner } from './script-runner.ts';

const pauseMs = 20;
const warmUpMs = 1_000;
/** Scripts that the runner of this process has run before. */
const warm = new Set<string>();
const nothing = 'return 0';

/** A script that answers at once, its guest ready: what a user waits for. Milliseconds. */
export async function trivialFromPool(runner: ScriptRunner): Promise<number> {
  const figures: number[] = [];
  for (let index = 0; index < 10; index++) {
    await makeReady(runner);
    figures.push(await timed(runner, 'return 1 + 1', 2));
  }
  return median(figures);
}

/** The same without a pause: making the next guest is part of it. Milliseconds a script. */
export async function trivialBackToBack(runner: ScriptRunner): Promise<number> {
  const scripts = 30;
  const start = performance.now();
  for (let index = 0; index < scripts; index++) deepStrictEqual(await runner.run('return 1 + 1'), 2);
  return (performance.now() - start) / scripts;
}

/** Trivial scripts, eight at once. Scripts a second. */
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

/** One call after the other. Microseconds a call, without the script around them. */
export async function sequentialCall(runner: ScriptRunner): Promise<number> {
  const calls = 300;
  const echo = runner.reference('echo');
  const code = `let sum = 0; for (let value = 0; value < ${calls}; value++) sum += (await ${echo}({ value })).value; return sum`;
  return perCall(runner, code, calls, (calls * (calls - 1)) / 2);
}

/** A thousand calls in one `Promise.all`. Microseconds a call, without the script around them. */
export async function parallelCall(runner: ScriptRunner): Promise<number> {
  const calls = 1_000;
  const all = `Promise.all(Array.from({ length: ${calls} }, (_, value) => ${runner.reference('echo')}({ value })))`;
  const code = `return (await ${all}).reduce((sum, { value }) => sum + value, 0)`;
  return perCall(runner, code, calls, (calls * (calls - 1)) / 2);
}

/** `calls` calls together that wait `milliseconds` each. Milliseconds for the whole script. */
export function waitingTogether(calls: number, milliseconds: number): (runner: ScriptRunner) => Promise<number> {
  return async (runner) => {
    const call = `${runner.reference('wait')}({ milliseconds: ${milliseconds} })`;
    const code = `return (await Promise.all(Array.from({ length: ${calls} }, () => ${call}))).length`;
    await makeReady(runner);
    return timed(runner, code, calls);
  };
}

/** A tool's text of `bytes` on its way into the script. Milliseconds for the whole script. */
export function textIn(bytes: number): (runner: ScriptRunner) => Promise<number> {
  return async (runner) => {
    await makeReady(runner);
    const code = `return (await ${runner.reference('text')}({ bytes: ${bytes} })).length`;
    return timed(runner, code, textOf(bytes).length);
  };
}

/** A tool's rows worth `bytes` on their way into the script. Milliseconds for the whole script. */
export function rowsIn(bytes: number): (runner: ScriptRunner) => Promise<number> {
  return async (runner) => {
    await makeReady(runner);
    return timed(runner, `return (await ${runner.reference('rows')}({ bytes: ${bytes} })).length`, rowCount(bytes));
  };
}

/** A text of `bytes` that the script returns. Milliseconds for the whole script. */
export function textOut(bytes: number): (runner: ScriptRunner) => Promise<number> {
  return async (runner) => {
    await makeReady(runner);
    return timed(runner, `return ${textSource(bytes)}`, textOf(bytes).length, lengthOf);
  };
}

/** Rows worth `bytes` that the script makes and returns. Milliseconds for the whole script. */
export function rowsOut(bytes: number): (runner: ScriptRunner) => Promise<number> {
  return async (runner) => {
    await makeReady(runner);
    return timed(runner, `return ${rowsSource(bytes)}`, rowCount(bytes), lengthOf);
  };
}

/** Arithmetic and nothing else. Milliseconds for the whole script. */
export async function tenMillionSteps(runner: ScriptRunner): Promise<number> {
  await makeReady(runner);
  return timed(
    runner,
    'let sum = 0; for (let step = 0; step < 1e7; step++) sum = (sum + step) & 0xffff; return sum',
    54_464,
  );
}

/** The longest time that the host's event loop stood still while a script counted. Milliseconds. */
export async function hostLag(runner: ScriptRunner): Promise<number> {
  await makeReady(runner);
  const code = 'const end = Date.now() + 200; let steps = 0; while (Date.now() < end) steps++; return steps > 0';
  return longestLag(() => timed(runner, code, true));
}

/** The same while nothing runs. Milliseconds. */
export async function idleLag(): Promise<number> {
  return longestLag(() => delay(200));
}

/** Fifty scripts at once, each with calls and waits. How many finish with the right value. */
export async function fiftyFinish(runner: ScriptRunner): Promise<number> {
  const outcomes = await startFifty(runner);
  return outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value === 3).length;
}

/** The same. Milliseconds until the last one is done. */
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

/** Runs the script for a while before its first figure, so that the code on its way is as warm as in a server. */
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
  // It measures from its first tick on.
  await delay(pauseMs);
  await work();
  // A loop that stands still notices it only when it goes on.
  await delay(pauseMs);
  lag.disable();
  return Math.max(0, lag.max / 1e6 - resolutionMs);
}
