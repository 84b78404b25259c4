import type { RunnerAnswer } from '../sandboxes/runner-child.ts';
import { loopContenders } from './contenders/contenders.ts';
import type { LoopRunner, LoopTool } from './script.ts';

/** A task is 50 calls, one per step or all in one step. */
const calls = 50;
const concurrentRuns = 1_000;
const warmUps = 20;
/** Processor time of the warm-up and of the measurement; clock time means little on a busy machine. */
const [warmUpMs, countedMs] = [1_500, 500];

const [name = '', scene = ''] = process.argv.slice(2);
process.send?.(await answer());

async function answer(): Promise<RunnerAnswer> {
  try {
    const create = await loopContenders[name]?.();
    if (create === undefined) return { failure: `there is no ${name}` };
    return { figure: scene === 'heap' ? await heapMb(create) : await callUs(create, scene === 'parallel') };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Returns the processor time of the main thread: other programs on the machine do not count, nor do the threads of the
 * compiler and the garbage collector.
 */
async function callUs(create: (tool: LoopTool) => LoopRunner, isParallel: boolean): Promise<number> {
  let done = 0;
  const run = create(async (value) => {
    done++;
    return value;
  });
  const script = isParallel ? { steps: 1, callsPerStep: calls } : { steps: calls, callsPerStep: 1 };
  await spend(warmUpMs, () => run(script));
  done = 0;
  const { runs, us } = await spend(countedMs, () => run(script));
  if (done !== runs * calls) throw new TypeError(`${done} of ${runs * calls} calls ran`);
  return us / (runs * calls);
}

/** Repeats the task until the share of processor time is used. */
async function spend(
  shareMs: number,
  body: () => Promise<void>,
): Promise<{ readonly runs: number; readonly us: number }> {
  const before = process.threadCpuUsage();
  for (let runs = 1; ; runs++) {
    await body();
    const { user, system } = process.threadCpuUsage(before);
    if (user + system >= shareMs * 1_000) return { runs, us: user + system };
  }
}

/** Measures the growth of the heap while every run waits for its tool. */
async function heapMb(create: (tool: LoopTool) => LoopRunner): Promise<number> {
  let waiting = 0;
  let isWarm = false;
  const allWait = Promise.withResolvers<void>();
  // Keep the resolvers: an unreachable promise and everything that waits for it would be collected.
  const held: ((value: number) => void)[] = [];
  const run = create((value) => {
    if (!isWarm) return Promise.resolve(value);
    if (++waiting === concurrentRuns) allWait.resolve();
    return new Promise((resolve) => held.push(resolve));
  });
  const script = { steps: 1, callsPerStep: 1 };
  for (let round = 0; round < warmUps; round++) await run(script);
  isWarm = true;
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const runs = Array.from({ length: concurrentRuns }, () => run(script));
  await Promise.race([allWait.promise, Promise.all(runs)]);
  // The run that started last is not the last whose promises are settled.
  await new Promise((resolve) => setImmediate(resolve));
  globalThis.gc?.();
  const grownMb = (process.memoryUsage().heapUsed - before) / 1e6;
  if (runs.length !== waiting || held.length !== waiting) throw new TypeError(`${waiting} of ${runs.length} runs wait`);
  return grownMb;
}
