import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { checkWorld } from './check-world.ts';
import type { CrashFigures } from './check-world.ts';
import { crashPoints } from './crash-points.ts';
import { openState } from './crash-world.ts';
import type { CrashOrders, CrashStore } from './orders.ts';

/** Options of {@link runCrashCycles}. */
export interface CrashCycles {
  readonly store: CrashStore;
  readonly folder: string;
  readonly cycles: number;
  /** The first point; the others follow in order. */
  readonly offset?: number;
  onCycle?(): void;
}

/** Result of {@link runCrashCycles}. */
export interface CrashReport extends CrashFigures {
  /** Number of processes that died at an instrumented point, and at a random moment. */
  readonly atPoints: number;
  readonly atRandom: number;
  readonly points: ReadonlySet<string>;
}

// A process that does not reach its point is killed after this time, which counts as a random moment.
const patienceMs = 5_000;
const liveRuns = 8;

/**
 * Starts processes and kills them one after the other, each resuming the runs of the previous one. Then lets the last one
 * finish all runs, and checks the result.
 */
export async function runCrashCycles({
  store,
  folder,
  cycles,
  offset = 0,
  onCycle,
}: CrashCycles): Promise<CrashReport> {
  const points = new Set<string>();
  let atPoints = 0;
  for (let cycle = 0; cycle < cycles; cycle++) {
    const point = crashPoints[(offset + cycle) % crashPoints.length] ?? '';
    const isRandom = cycle % 4 === 3;
    const orders = { store, folder, liveRuns };
    const killed = isRandom
      ? await runProcess(orders, randomInt(250))
      : await runProcess({ ...orders, kill: { point, occurrence: 1 + randomInt(3) } }, patienceMs);
    if (killed !== undefined) {
      atPoints++;
      points.add(killed);
    }
    onCycle?.();
  }
  await runProcess({ store, folder, liveRuns: 0 });
  await using opened = await openState(store);
  return { ...(await checkWorld(opened, folder)), atPoints, atRandom: cycles - atPoints, points };
}

/** Runs a process until it ends, or kills it `killAfterMs` after it was ready; returns the point at which it died. */
function runProcess(orders: CrashOrders, killAfterMs?: number): Promise<string | undefined> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'crash-process.ts'), JSON.stringify(orders)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '--no-warnings', NODE_COMPILE_CACHE: join(tmpdir(), 'ravi-crash-test-cache') },
  });
  let point: string | undefined;
  let problem = '';
  let timer: NodeJS.Timeout | undefined;
  child.stderr.setEncoding('utf8').on('data', (text: string) => (problem += text));
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line === 'ready' && killAfterMs !== undefined) timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    if (line.startsWith('killed ')) point = line.slice('killed '.length);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const isExpected = signal === 'SIGKILL' || (code === 0 && killAfterMs === undefined);
      if (isExpected) resolve(point);
      else reject(new Error(`A process ended with ${code ?? signal}: ${problem.slice(-2_000)}`));
    });
  });
}
