import type { Clock, EngineFigures, RunWake, Timer } from '@ravi/kernel';
import { engineUnavailable, mergeWakes } from '@ravi/engine-kit';
import { createFairQueue } from './fair-queue.ts';
import type { FairQueue, QueueEntry } from './fair-queue.ts';

/** Run that waits for a worker, with everything that asks for a look at it. */
export interface WaitingRun extends QueueEntry {
  /** Merged of all wakes of the run since it was taken last. */
  wake: RunWake;
  /** Attempts that have failed. */
  attempts: number;
  /** Milliseconds since the Unix epoch. */
  readonly dueAt: number;
  /** True while a worker has the run: it has neither a timer nor a place in a queue then. */
  isHeld: boolean;
}

/** Runs that are being handled, as far as waiting runs depend on them. */
export interface TakenRuns {
  has(runId: string): boolean;
  count(group: string): number;
}

/** Options of {@link createWaitingRuns}. */
export interface WaitingRunsOptions {
  readonly clock: Clock;
  readonly taken: TakenRuns;
  readonly maxRuns: number;
  readonly groupLimit: number;
  /** Called when a run that was delayed has become due. */
  onDue(): void;
}

/** Runs that wait for a worker. */
export interface WaitingRuns {
  /** @throws KernelError `E_ENGINE_UNAVAILABLE` if more than `maxRuns` runs would wait with these */
  requireRoom(runIds: readonly string[]): void;
  /** Adds a wake, merged with the one that the run has. */
  add(wake: RunWake, attempts: number): void;
  /** Makes the run available that was held back while it was handled. */
  release(runId: string): void;
  /** Removes and returns the next due run of one of the versions; it searches them in their order. */
  take(versions: readonly string[]): WaitingRun | undefined;
  count(): Pick<EngineFigures, 'ready' | 'delayed' | 'oldestReadyMs'> & {
    readonly groups: ReadonlyMap<string, number>;
  };
  /** Cancels all timers. */
  dispose(): void;
}

/** Creates an empty store of waiting runs. A run that is being handled is held back, so that it is handled once at a time. */
export function createWaitingRuns({ clock, taken, maxRuns, groupLimit, onDue }: WaitingRunsOptions): WaitingRuns {
  const runs = new Map<string, WaitingRun>();
  const timers = new Map<string, Timer>();
  const queues = new Map<string, FairQueue<WaitingRun>>();

  function schedule(run: WaitingRun): void {
    const { runId, version } = run.wake;
    run.isHeld = taken.has(runId);
    if (run.isHeld) return;
    const delayMs = run.dueAt - clock.now();
    if (delayMs > 0) {
      // The clock may fire a little early, or have been set back, so the time is compared again.
      timers.set(
        runId,
        clock.setTimer(() => becomeDue(run), delayMs, { isBackground: true }),
      );
      return;
    }
    const queue = queues.get(version) ?? createFairQueue<WaitingRun>();
    queues.set(version, queue);
    queue.add(run);
  }

  function becomeDue(run: WaitingRun): void {
    timers.delete(run.wake.runId);
    schedule(run);
    onDue();
  }

  function unschedule(run: WaitingRun): void {
    const { runId, version } = run.wake;
    timers.get(runId)?.cancel();
    timers.delete(runId);
    queues.get(version)?.remove(run);
  }

  return {
    requireRoom(runIds) {
      const added = runIds.filter((runId) => !runs.has(runId)).length;
      if (runs.size + added <= maxRuns) return;
      throw engineUnavailable(`The memory engine has ${runs.size} waiting runs; the maximum is ${maxRuns} (maxRuns)`);
    },
    add(wake, attempts) {
      const now = clock.now();
      const other = runs.get(wake.runId);
      const merged = other === undefined ? wake : mergeWakes(other.wake, wake);
      const run: WaitingRun = {
        wake: merged,
        group: merged.group,
        priority: merged.priority ?? 0,
        attempts: Math.max(attempts, other?.attempts ?? 0),
        dueAt: Math.min(other?.dueAt ?? Infinity, wake.notBefore ?? now),
        isHeld: false,
      };
      if (other !== undefined) {
        const keepsPlace =
          other.dueAt <= now &&
          other.group === run.group &&
          other.priority === run.priority &&
          other.wake.version === merged.version;
        // A run that is woken often must not lose its place each time.
        if (keepsPlace) {
          other.wake = merged;
          other.attempts = run.attempts;
          return;
        }
        unschedule(other);
      }
      runs.set(wake.runId, run);
      schedule(run);
    },
    release(runId) {
      const run = runs.get(runId);
      if (run?.isHeld) schedule(run);
    },
    take(versions) {
      for (const version of versions) {
        const run = queues.get(version)?.take((group) => taken.count(group) < groupLimit);
        if (run === undefined) continue;
        runs.delete(run.wake.runId);
        return run;
      }
      return undefined;
    },
    count() {
      const now = clock.now();
      const due = [...runs.values()].filter(({ dueAt }) => dueAt <= now);
      const groups = new Map<string, number>();
      for (const { group } of due) groups.set(group, (groups.get(group) ?? 0) + 1);
      const oldest = due.reduce((least, { dueAt }) => Math.min(least, dueAt), Infinity);
      return {
        ready: due.length,
        delayed: runs.size - due.length,
        ...(due.length === 0 ? {} : { oldestReadyMs: now - oldest }),
        groups,
      };
    },
    dispose() {
      for (const timer of timers.values()) timer.cancel();
      timers.clear();
    },
  };
}
