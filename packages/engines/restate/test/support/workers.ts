import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { RunEngine, RunSignal, RunWake, WakeOutcome } from '@ravi/kernel';
import type { RestateRunEngineOptions } from '../../src/index.ts';

/** Returns a wake of a run of `ada`. */
export function wake(runId: string, changes: Partial<RunWake> = {}): RunWake {
  return { runId, group: 'ada', version: 'v1', reason: 'begun', ...changes };
}

/** Worker that notes what it receives. */
export interface NotingWorker extends AsyncDisposable {
  /** Run ids in the order of their deliveries. */
  readonly runIds: readonly string[];
  readonly signals: readonly RunSignal[];
  /** Waits until a condition holds; it is checked after each delivery and signal. */
  until(condition: () => boolean): Promise<void>;
}

/** Starts a worker of version `v1`. */
export async function startNoting(
  engine: RunEngine,
  slots: number,
  handle: (wake: RunWake) => WakeOutcome | Promise<WakeOutcome> = () => ({ status: 'done' }),
): Promise<NotingWorker> {
  const runIds: string[] = [];
  const signals: RunSignal[] = [];
  let notify: () => void = () => {};
  const working = await engine.work({
    versions: ['v1'],
    slots,
    async handle(given) {
      runIds.push(given.runId);
      notify();
      return handle(given);
    },
    onSignal(signal) {
      signals.push(signal);
      notify();
    },
  });
  return {
    runIds,
    signals,
    async until(condition) {
      while (!condition()) await new Promise<void>((resolve) => (notify = resolve));
    },
    [Symbol.asyncDispose]: () => working[Symbol.asyncDispose](),
  };
}

/** Process of its own with an engine. */
export interface EngineProcess extends AsyncDisposable {
  /** Takes runs and holds them. */
  work(): void;
  /** Waits for a report that has this field. */
  report(field: 'began' | 'aborted' | 'signal', value?: string): Promise<void>;
  signal(name: NodeJS.Signals): void;
}

/** Starts a process and waits until its engine is open. */
export async function startEngineProcess(options: RestateRunEngineOptions): Promise<EngineProcess> {
  const program = join(import.meta.dirname, '../contract-program.ts');
  const child = fork(program, [JSON.stringify(options)], { execArgv: [] });
  const reports: Readonly<Record<string, unknown>>[] = [];
  let notify: () => void = () => {};
  child.on('message', (report) => {
    reports.push(report as Readonly<Record<string, unknown>>);
    notify();
  });
  const until = async (condition: (report: Readonly<Record<string, unknown>>) => boolean): Promise<void> => {
    while (!reports.some(condition)) await new Promise<void>((resolve) => (notify = resolve));
  };
  await until(({ ready }) => ready === true);
  return {
    work: () => void child.send({ type: 'work', mode: 'hold', slots: 5 }),
    report: (field, value) => until((report) => (value === undefined ? field in report : report[field] === value)),
    signal: (name) => void child.kill(name),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
