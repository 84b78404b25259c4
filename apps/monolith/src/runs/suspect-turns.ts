import type { Clock } from '@ravi/kernel';

/** Options of {@link SuspectTurns.take}. */
export interface TurnOptions {
  readonly signal: AbortSignal;
  /** Returns false if the run has changed while it waited, for example because another process has resumed it. */
  readonly isCurrent: () => Promise<boolean>;
  /** Stores that another suspect starts next to this run, which has had its turn and has made no progress yet. */
  readonly accompany: (runId: string) => Promise<void>;
}

/** Turns of runs that may be the cause of crashes: at most one is resumed at a time in this process. */
export interface SuspectTurns {
  /**
   * Resolves with true when it is the turn of a run, after a pause that grows with its crashes. False if it waits already, if it has
   * changed meanwhile, or when the signal aborts.
   */
  take(runId: string, crashes: number, options: TurnOptions): Promise<boolean>;
  /** True while a run waits for its turn. */
  isWaiting(runId: string): boolean;
  /** True while it is the turn of a run. */
  has(runId: string): boolean;
  /** Ends the turn of a run, because it has made progress or this process executes it no longer. */
  end(runId: string): void;
}

const firstPauseMs = 1_000;
const maxPauseMs = 30_000;
// A run that has survived for so long does not hold up the others any more. Each crash doubles the time, so that a late one is
// assigned to its cause.
const firstTurnMs = 2_000;
const maxTurnMs = 600_000;

/** Creates turns. The first suspect that has waited long enough goes first. */
export function createSuspectTurns(clock: Clock): SuspectTurns {
  const known = new Set<string>();
  /** Runs that have had their turn, and are still active here without progress. */
  const earlier = new Set<string>();
  let current: string | undefined;
  let endCurrent = (): void => {};
  let last: Promise<void> = Promise.resolve();

  /** Starts the turn of a run and returns its end. */
  function begin(runId: string, turnMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    current = runId;
    const timer = clock.setTimer(
      () => {
        earlier.add(runId);
        finish();
      },
      turnMs,
      { isBackground: true },
    );
    function finish(): void {
      timer.cancel();
      if (current === runId) current = undefined;
      resolve();
    }
    endCurrent = finish;
    return promise;
  }

  async function takeTurn(
    runId: string,
    crashes: number,
    { signal, isCurrent, accompany }: TurnOptions,
  ): Promise<boolean> {
    await pause(clock, growing(firstPauseMs, crashes, maxPauseMs), signal);
    const before = last;
    const { promise: turn, resolve: onOver } = Promise.withResolvers<void>();
    last = turn;
    try {
      await Promise.race([before, aborted(signal)]);
      if (signal.aborted || !(await isCurrent())) {
        // Those that follow still wait for the ones before.
        void before.then(onOver);
        return false;
      }
      for (const each of earlier) {
        await accompany(each);
        earlier.delete(each);
      }
      void begin(runId, growing(firstTurnMs, crashes, maxTurnMs)).then(onOver);
      return true;
    } catch (error) {
      void before.then(onOver);
      throw error;
    }
  }

  return {
    async take(runId, crashes, options) {
      if (known.has(runId)) return false;
      known.add(runId);
      try {
        return await takeTurn(runId, crashes, options);
      } finally {
        known.delete(runId);
      }
    },
    isWaiting: (runId) => known.has(runId),
    has: (runId) => current === runId,
    end(runId) {
      earlier.delete(runId);
      if (current === runId) endCurrent();
    },
  };
}

function growing(first: number, crashes: number, most: number): number {
  return Math.min(first * 2 ** crashes, most);
}

function pause(clock: Clock, pauseMs: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = clock.setTimer(resolve, pauseMs, { isBackground: true });
  return Promise.race([promise, aborted(signal)]).finally(() => timer.cancel());
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener('abort', () => resolve(), { once: true });
  return promise;
}
