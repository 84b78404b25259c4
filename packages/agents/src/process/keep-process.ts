import { isKernelError, KernelError, silentLogger, systemClock } from '@ravi/kernel';
import type { Clock, HeldRun, Logger, RunWriter, StateStoreWith, Timer } from '@ravi/kernel';
import { createHeldRuns } from './held-runs.ts';
import type { KeptProcess, ProcessDescription } from './kept-process.ts';

/** Options of {@link keepProcess}. */
export interface KeepProcessOptions extends ProcessDescription {
  readonly store: Pick<StateStoreWith<'processes'>, 'processes' | 'runs'>;
  /** Unique, and new for each start of the process; a random one when absent. */
  readonly id?: string;
  /** Milliseconds of silence after which other processes may take the runs of this one; 10 000 when absent. */
  readonly deadAfterMs?: number;
  /** Called with each run that this process has no longer. */
  readonly onLost?: (writer: RunWriter) => void;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** A claim is followed by its hold within milliseconds, and on a busy machine within seconds. */
const strayAfterMs = 60_000;

/**
 * Keeps the record of this process: from `started` until it is disposed the process says three times within `deadAfterMs` that it lives,
 * learns which of its runs it has no longer, and gives back those that nothing here holds. One such heartbeat is a write and a read,
 * however many runs there are.
 * While the store is unavailable no other process can take a run either; and after a gap the store refuses what this one writes for a run
 * that it has lost.
 */
export function keepProcess(options: KeepProcessOptions): KeptProcess {
  const { store, deadAfterMs = 10_000, clock = systemClock, logger = silentLogger, onLost = () => {} } = options;
  const { id = `process_${crypto.randomUUID()}` } = options;
  const { processes, runs } = store;
  const intervalMs = Math.ceil(deadAfterMs / 3);
  let description: ProcessDescription = descriptionOf(options);
  let epoch: number | undefined;
  let isDescribed = false;
  let isOver = false;
  let timer: Timer | undefined;
  let lastBegun: Promise<void> = Promise.resolve();
  let nextCheck: Promise<void> | undefined;
  let certainFrom = Infinity;
  // The monotonic clock cannot be set; only the wall clock counts while a machine is suspended.
  let lastCheck = { monotonic: -Infinity, wall: -Infinity };

  const held = createHeldRuns({
    isCertain,
    certainFrom: () => certainFrom,
    monotonic: () => clock.monotonic(),
    strayAfterMs,
    check,
    onLost,
  });

  function isCertain(): boolean {
    return clock.monotonic() - lastCheck.monotonic < deadAfterMs && clock.now() - lastCheck.wall < deadAfterMs;
  }

  /** Joins a check that has not begun yet, so that the answer is not older than the question. */
  function check(): Promise<void> {
    if (nextCheck !== undefined) return nextCheck;
    const check = lastBegun.then(() => {
      nextCheck = undefined;
      return checkNow();
    });
    nextCheck = check;
    lastBegun = check.catch(() => {});
    return check;
  }

  async function checkNow(): Promise<void> {
    if (isOver) throw new KernelError('E_RUN_SUSPENDED', 'The process is shutting down and executes no runs');
    const asked = { monotonic: clock.monotonic(), wall: clock.now() };
    const known = isDescribed ? await processes.beat(id) : undefined;
    const current = known ?? (await register());
    if (known !== epoch || !isCertain()) certainFrom = clock.monotonic();
    if (epoch !== undefined && current > epoch) logger.warn('this process had counted as dead', { id, epoch: current });
    const isNew = epoch === undefined;
    epoch = current;
    const compare = held.compare();
    const strays = isNew && held.size === 0 ? [] : compare(await runs.listHeld(id));
    lastCheck = asked;
    await giveBack(strays);
  }

  // Others do not look at the runs of a process that lives.
  async function giveBack(strays: readonly HeldRun[]): Promise<void> {
    for (const { id: runId, epoch: runEpoch } of strays) {
      // The next heartbeat tries again.
      if (await runs.release(runId, id, runEpoch).catch(() => false))
        logger.warn('gave back a run that nothing here executes', { runId });
    }
  }

  async function register(): Promise<number> {
    const registered = description;
    const record = await processes.register({ id, deadAfterMs, ...registered });
    isDescribed = registered === description;
    return record.epoch;
  }

  function beat(): void {
    check()
      .catch((error: unknown) => {
        const code = isKernelError(error) ? error.code : 'unknown';
        logger.warn('this process could not say that it lives', { id, code });
      })
      .finally(schedule);
  }

  function schedule(): void {
    if (!isOver) timer = clock.setTimer(beat, intervalMs, { isBackground: true });
  }

  async function started(): Promise<void> {
    if (timer === undefined) schedule();
    if (epoch === undefined) await check();
    // A run of a process that counts as dead could be taken at once.
    else if (!isCertain()) check().catch(() => {});
  }

  return {
    id,
    started,
    hold: held.hold,
    async describe(next) {
      description = descriptionOf({ ...description, ...next });
      isDescribed = false;
      if (timer === undefined) schedule();
      await check();
    },
    async [Symbol.asyncDispose]() {
      if (isOver) return;
      isOver = true;
      timer?.cancel();
      await lastBegun;
      if (epoch === undefined) return;
      try {
        await processes.remove(id);
      } catch (error) {
        // Its runs are released, or free once it counts as dead.
        logger.warn('the record of this process could not be removed', { id, error });
      }
    },
  };
}

function descriptionOf({ address, version }: ProcessDescription): ProcessDescription {
  return { ...(address === undefined ? {} : { address }), ...(version === undefined ? {} : { version }) };
}
