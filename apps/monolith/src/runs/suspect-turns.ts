import type { Clock, Principal } from '@ravi/kernel';

/** Options of {@link SuspectTurns.take}. */
export interface TurnOptions {
  /** Owner of the run. Of several principals with waiting runs, the one goes first that has waited longest since its last turn. */
  readonly principal: Principal;
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

/** Suspect whose pause is over, and that waits for its turn. */
interface Waiting {
  readonly principal: Principal;
  readonly resolve: (isMine: boolean) => void;
}

/** Creates turns. The first suspect of a principal that has waited long enough goes first, and principals take turns. */
export function createSuspectTurns(clock: Clock): SuspectTurns {
  const known = new Set<string>();
  /** Runs that have had their turn, and are still active here without progress. */
  const earlier = new Set<string>();
  let current: string | undefined;
  let endCurrent = (): void => {};
  /** In the order in which their pauses ended. */
  const waiting = new Set<Waiting>();
  /** Number of the last turn of each principal. */
  const lastTurns = new Map<Principal, number>();
  let count = 0;
  let isTaken = false;

  /** Resolves with true when no other suspect has or begins its turn, and with false when the signal aborts. */
  function enter(principal: Principal, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (!isTaken) {
      isTaken = true;
      return Promise.resolve(true);
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const entry = { principal, resolve };
    const giveUp = (): void => {
      if (waiting.delete(entry)) resolve(false);
    };
    waiting.add(entry);
    signal.addEventListener('abort', giveUp, { once: true });
    return promise.finally(() => signal.removeEventListener('abort', giveUp));
  }

  function leave(): void {
    const numberOf = ({ principal }: Waiting): number => lastTurns.get(principal) ?? 0;
    const [next] = [...waiting].toSorted((left, right) => numberOf(left) - numberOf(right));
    isTaken = next !== undefined;
    if (next === undefined) return lastTurns.clear();
    waiting.delete(next);
    next.resolve(true);
  }

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
    { principal, signal, isCurrent, accompany }: TurnOptions,
  ): Promise<boolean> {
    await pause(clock, growing(firstPauseMs, crashes, maxPauseMs), signal);
    if (!(await enter(principal, signal))) return false;
    let hasBegun = false;
    try {
      if (signal.aborted || !(await isCurrent())) return false;
      for (const each of earlier) {
        await accompany(each);
        earlier.delete(each);
      }
      lastTurns.set(principal, ++count);
      hasBegun = true;
      void begin(runId, growing(firstTurnMs, crashes, maxTurnMs)).then(leave);
      return true;
    } finally {
      if (!hasBegun) leave();
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
  const end = (): void => resolve();
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  return promise.finally(() => {
    timer.cancel();
    signal.removeEventListener('abort', end);
  });
}
