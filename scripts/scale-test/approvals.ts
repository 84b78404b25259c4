import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres } from '../../packages/state/testing/src/index.ts';
import { percentile } from '../load-test/figures.ts';
import type { ScaleResult, ScaleSizes } from './figures.ts';

interface Question {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly tookMs: number;
}

interface Worker {
  readonly child: ChildProcess;
  readonly output: Promise<{ readonly done?: number; readonly asked?: readonly Question[] }>;
}

const maxDelayMs = 100;
const quietMs = 4_000;
// Processes share the cores while they start.
const warmUpMs = 2_000;

/**
 * Measures approvals: how many requests are asked, decided and consumed per second by one, two and four processes, each with eight at
 * once; and how long a question of another principal takes while thousands of requests expire.
 */
export async function measureApprovals({ seconds, expiries }: ScaleSizes): Promise<readonly ScaleResult[]> {
  await using server = await startPostgres();
  const start = (schema: string, principal: string, work: string, amount = 0): Worker => {
    const program = join(import.meta.dirname, 'approval-worker.ts');
    const args = [program, server.url, schema, principal, work, String(amount)];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    const output = text(child.stdout).then(async (printed) => {
      const [code] = (await ended) as [number | null];
      if (code !== 0) throw new Error(`A process that should ${work} ended with ${code}`);
      return JSON.parse(printed) as Awaited<Worker['output']>;
    });
    return { child, output };
  };

  async function rateOf(processes: number): Promise<number> {
    const workers = Array.from({ length: processes }, (_, index) => start('rate', `p${index}`, 'rate'));
    await pause(warmUpMs * processes);
    const startedAt = performance.now();
    for (const { child } of workers) child.stdin?.write('\n');
    await pause(seconds * 1_000);
    const took = performance.now() - startedAt;
    for (const { child } of workers) child.stdin?.end();
    const outputs = await Promise.all(workers.map(({ output }) => output));
    return (outputs.reduce((sum, { done = 0 }) => sum + done, 0) * 1_000) / took;
  }

  // The schema is made once.
  await rateOf(1);
  const one = await rateOf(1);
  const two = await rateOf(2);
  const four = await rateOf(4);

  await start('storm', 'ada', 'fill', expiries).output;
  const asker = start('storm', 'bea', 'ask');
  await pause(quietMs);
  const stormAt = Date.now();
  const { done: expired = 0 } = await start('storm', 'ada', 'expire').output;
  asker.child.stdin?.end();
  const { asked = [] } = await asker.output;
  const timesIn = (isStorm: boolean): Float64Array =>
    Float64Array.from(asked.filter(({ at }) => at >= stormAt === isStorm).map(({ tookMs }) => tookMs)).sort();
  const delayMs = percentile(timesIn(true), 0.99) - percentile(timesIn(false), 0.5);
  return [
    { name: 'approvals per second, 1 process', value: one },
    { name: 'approvals per second, 2 processes', value: two },
    {
      name: 'approvals per second, 4 processes',
      value: four,
      isReached: four >= one,
      goal: 'at least as many as one process',
    },
    { name: 'expired in one storm', value: expired, isReached: expired === expiries, goal: `all ${expiries}` },
    {
      name: 'delay of a question in the storm, p99 ms',
      value: delayMs,
      isReached: delayMs <= maxDelayMs,
      goal: `${maxDelayMs} ms`,
    },
  ];
}
