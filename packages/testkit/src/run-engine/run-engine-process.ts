import { once } from 'node:events';
import type { RunEngine } from '@ravi/kernel';
import { newWake, version } from './run-engine-suite.ts';

/** Order to a process that works for `runEngineContract`. */
export interface ProcessOrder {
  readonly type: 'work' | 'wake';
  /** Slots of its worker. */
  readonly slots?: number;
  /** `hold`: handlers do not end. `finish`: they end when the parent has confirmed the report of their run. */
  readonly mode?: 'hold' | 'finish';
  /** For `wake`: prefix of the runs that it wakes without end. */
  readonly prefix?: string;
}

/** Report of such a process. */
export interface ProcessReport {
  readonly ready?: true;
  readonly began?: string;
  /** The handler of the run is about to end. */
  readonly finished?: string;
  /** The wake of the run was confirmed. */
  readonly woken?: string;
  readonly aborted?: string;
  readonly signal?: string;
  readonly error?: string;
}

/**
 * Turns this process into one of those that `runEngineContract` starts and kills: it answers its parent over the channel of
 * `child_process.fork` and ends with it. Give it the engine that `program` of the options means.
 */
export async function serveRunEngine(engine: RunEngine): Promise<void> {
  const report = (message: ProcessReport): void => void process.send?.(message);
  const isOver = once(process, 'disconnect');
  process.on('message', (order: ProcessOrder) => {
    const task = order.type === 'work' ? work(engine, order, report) : wakeWithoutEnd(engine, order, report);
    task.catch((error: unknown) => report({ error: String(error) }));
  });
  report({ ready: true });
  await isOver;
  process.exit();
}

async function work(
  engine: RunEngine,
  { slots = 4, mode = 'finish' }: ProcessOrder,
  report: (message: ProcessReport) => void,
): Promise<void> {
  await engine.work({
    versions: [version],
    slots,
    async handle({ runId }, { signal }) {
      report({ began: runId });
      signal.addEventListener('abort', () => report({ aborted: runId }));
      if (mode === 'hold') await once(signal, 'abort');
      report({ finished: runId });
      return { status: 'done' };
    },
    onSignal: (signal) => report({ signal: signal.type === 'missed' ? 'missed' : `${signal.type} ${signal.runId}` }),
  });
}

async function wakeWithoutEnd(
  engine: RunEngine,
  { prefix = 'run' }: ProcessOrder,
  report: (message: ProcessReport) => void,
): Promise<never> {
  for (let number = 0; ; number++) {
    const runId = `${prefix}-${number}`;
    await engine.wake([newWake(runId)]);
    report({ woken: runId });
  }
}
