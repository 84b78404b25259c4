import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { childEnvironment } from '../environment/child-processes.ts';
import { newWake, numbersTo } from './run-engine-suite.ts';
import type { RunEngineProgram, RunEngineSuite } from './run-engine-suite.ts';
import type { ProcessOrder, ProcessReport } from './run-engine-process.ts';
import { startWorker } from './test-worker.ts';

/** Cases about several processes. */
export function processCases({ scenario, skip, waitMs, options: { program } }: RunEngineSuite): void {
  if (program === undefined) {
    skip('several processes, and those that are killed (skipped: its wakes end with the process)');
    return;
  }

  scenario('runs of a killed or paused process are given to another, and no confirmed wake is lost', async (engine) => {
    assert.ok(engine.supports.processes && engine.supports.deadAfterMs !== undefined);
    const given = program(engine);
    // Killed while it wakes, while a handler works, and between the end of a handler and the record of it.
    const waking = await startProcess(given, waitMs);
    waking.order({ type: 'wake', prefix: 'woken' });
    await waking.until('50 wakes', (reports) => reports.filter(({ woken }) => woken !== undefined).length >= 50);
    await waking.kill();
    const confirmed = waking.reports.flatMap(({ woken }) => woken ?? []);

    const working = await startProcess(given, waitMs);
    working.order({ type: 'work', mode: 'hold', slots: 5 });
    await working.until('5 handlers', (reports) => reports.filter(({ began }) => began !== undefined).length >= 5);
    // The runs that it handles have another wake when it dies.
    const held = working.reports.flatMap(({ began }) => began ?? []);
    await engine.wake(held.map((runId) => newWake(runId)));
    await working.kill();

    const finishing = await startProcess(given, waitMs);
    finishing.order({ type: 'work', mode: 'finish', slots: 3 });
    await finishing.until(
      '10 ends',
      (reports) => reports.filter(({ finished }) => finished !== undefined).length >= 10,
    );
    await finishing.kill();

    const paused = await startProcess(given, waitMs);
    paused.order({ type: 'work', mode: 'hold', slots: 1 });
    await paused.until('1 handler', (reports) => reports.some(({ began }) => began !== undefined));
    paused.signal('SIGSTOP');

    const over = new Set(finishing.reports.flatMap(({ finished }) => finished ?? []));
    await using worker = await startWorker(engine, { slots: 20, waitMs });
    await worker.until('every confirmed wake was handled to its end', () => {
      const handled = new Set([...over, ...worker.runIds]);
      return confirmed.every((runId) => handled.has(runId));
    });
    assert.equal((await engine.figures()).dead, 0);

    // It learns that its run has gone to another.
    const begun = new Set(paused.reports.flatMap(({ began }) => began ?? []));
    assert.ok(worker.runIds.some((runId) => begun.has(runId)));
    paused.signal('SIGCONT');
    await paused.until('its handler is aborted', (reports) =>
      reports.some(({ aborted }) => aborted !== undefined && begun.has(aborted)),
    );
    await paused.kill();
  });

  scenario(
    'two processes together have no more runs of a group than its limit',
    async (engine, context) => {
      if (engine.supports.groupLimit === undefined) return void context.skip('the engine has no limit of groups');
      const processes = [await startProcess(program(engine), waitMs), await startProcess(program(engine), waitMs)];
      try {
        const groups = numbersTo(40).map((number) => `group-${number}`);
        const wakes = groups.flatMap((group) => numbersTo(5).map((number) => newWake(`${group}/${number}`, { group })));
        await engine.wake(wakes);
        // Both take from the same groups at once.
        for (const each of processes) each.order({ type: 'work', mode: 'hold', slots: 200 });
        const began = (): readonly string[] =>
          processes.flatMap(({ reports }) => reports.flatMap((each) => each.began ?? []));
        const ofGroup = (group: string): number => began().filter((runId) => runId.startsWith(`${group}/`)).length;
        for (const each of processes) {
          await each.until('every group has its limit', () => groups.every((group) => ofGroup(group) >= 2), processes);
        }
        assert.deepEqual(
          groups.filter((group) => ofGroup(group) > 2),
          [],
        );
        assert.equal((await engine.figures()).taken, 80);
      } finally {
        await Promise.all(processes.map((each) => each.kill()));
      }
    },
    { groupLimit: 2 },
  );

  scenario('a signal reaches the workers of every process', async (engine) => {
    const other = await startProcess(program(engine), waitMs);
    try {
      other.order({ type: 'work' });
      await engine.wake([newWake('run-1')]);
      await other.until('it works', (reports) => reports.some(({ began }) => began === 'run-1'));
      await engine.signal({ type: 'cancel', runId: 'run-1' });
      await other.until('the signal', (reports) => reports.some(({ signal }) => signal === 'cancel run-1'));
    } finally {
      await other.kill();
    }
  });
}

interface TestProcess {
  readonly reports: readonly ProcessReport[];
  order(order: ProcessOrder): void;
  until(
    what: string,
    condition: (reports: readonly ProcessReport[]) => boolean,
    watched?: readonly TestProcess[],
  ): Promise<void>;
  onReport(listener: () => void): void;
  signal(signal: NodeJS.Signals): void;
  kill(): Promise<void>;
}

async function startProcess({ file, args }: RunEngineProgram, waitMs: number): Promise<TestProcess> {
  const child = fork(file, args, { execArgv: [], env: childEnvironment() });
  const reports: ProcessReport[] = [];
  const listeners = new Set<() => void>();
  const notify = (): void => listeners.forEach((listener) => listener());
  child.on('message', (report: ProcessReport) => {
    reports.push(report);
    notify();
  });
  const started: TestProcess = {
    reports,
    order: (order) => void child.send(order),
    onReport: (listener) => void listeners.add(listener),
    until: (what, condition, watched = [started]) =>
      new Promise((resolve, reject) => {
        const fail = (reason: string): void => {
          clearTimeout(limit);
          const last = JSON.stringify(reports.slice(-5));
          reject(new assert.AssertionError({ message: `did not happen: ${what} (${reason}); ${last}` }));
        };
        const limit: NodeJS.Timeout = setTimeout(() => fail('time is over'), waitMs);
        const look = (): void => {
          const failed = reports.find(({ error }) => error !== undefined);
          if (failed !== undefined) fail(failed.error ?? '');
          if (failed === undefined && !condition(reports)) return;
          clearTimeout(limit);
          resolve();
        };
        for (const each of watched) each.onReport(look);
        child.once('exit', (code, signal) => fail(`the process ended with ${signal ?? code}`));
        look();
      }),
    signal: (signal) => void child.kill(signal),
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
  await started.until('the process is ready', (all) => all.some(({ ready }) => ready === true));
  return started;
}
