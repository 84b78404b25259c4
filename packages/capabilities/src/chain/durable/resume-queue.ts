import type { Clock } from '@ravi/kernel';

/** Options of {@link createResumeQueue}. */
export interface ResumeQueueOptions {
  readonly clock: Clock;
  /** Maximum number of runs that start at once. Urgent ones leave one place to the others, if there is more than one. */
  readonly atOnce: number;
  /** Resumes a run and resolves when it has ended or is paused. Never rejects. */
  readonly resume: (runId: string) => Promise<void>;
}

/** Runs that wait to be resumed. Each is in the queue once. */
export interface ResumeQueue {
  /** Number of runs that wait. */
  readonly size: number;
  /** Adds a run. Urgent ones start first, and in most places. */
  add(runId: string, urgency: 'urgent' | 'usual'): void;
  /** Resumes no further run. */
  stop(): void;
  /** Resolves when all runs that it has resumed have ended or are paused. */
  settled(): Promise<void>;
}

// A replay takes milliseconds, the rest of a run any time: runs that follow must not wait for it.
const startMs = 500;

/**
 * Creates a queue that resumes a few runs at once. A run counts until it has ended, or for half a second. Other work of the
 * process has a turn before each.
 */
export function createResumeQueue({ clock, atOnce, resume }: ResumeQueueOptions): ResumeQueue {
  const urgent = new Set<string>();
  const usual = new Set<string>();
  const inFlight = new Set<Promise<void>>();
  const urgentAtOnce = Math.max(1, atOnce - 1);
  let starting = 0;
  let startingUrgent = 0;
  let isOver = false;

  function work(): void {
    while (!isOver && starting < atOnce) {
      const urgentId = startingUrgent < urgentAtOnce ? take(urgent) : undefined;
      const runId = urgentId ?? take(usual);
      if (runId === undefined) return;
      begin(runId, urgentId === undefined ? 0 : 1);
    }
  }

  function begin(runId: string, urgentPlaces: 0 | 1): void {
    starting += 1;
    startingUrgent += urgentPlaces;
    let counts = true;
    const leave = (): void => {
      if (!counts) return;
      counts = false;
      starting -= 1;
      startingUrgent -= urgentPlaces;
      work();
    };
    const timer = clock.setTimer(leave, startMs, { isBackground: true });
    const task = resumeInTurn(runId).finally(() => {
      timer.cancel();
      inFlight.delete(task);
      leave();
    });
    inFlight.add(task);
  }

  // A store in this process may answer without a turn, so that many runs in a row would stop the server.
  async function resumeInTurn(runId: string): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (!isOver) await resume(runId);
  }

  return {
    get size() {
      return urgent.size + usual.size;
    },
    add(runId, urgency) {
      if (urgency === 'urgent') {
        usual.delete(runId);
        urgent.add(runId);
      } else if (!urgent.has(runId)) usual.add(runId);
      work();
    },
    stop() {
      isOver = true;
    },
    async settled() {
      await Promise.all(inFlight);
    },
  };
}

function take(ids: Set<string>): string | undefined {
  const [first] = ids;
  if (first !== undefined) ids.delete(first);
  return first;
}
