import type { RunWake } from '@ravi/kernel';

/** Run that a worker has. */
export interface TakenRun {
  readonly wake: RunWake;
  /** Attempts that failed before this one. */
  readonly attempts: number;
  readonly controller: AbortController;
}

/** Runs that workers have, and their number in each group. */
export interface TakenRunMap {
  readonly size: number;
  has(runId: string): boolean;
  count(group: string): number;
  add(run: TakenRun): void;
  /** Removes exactly this one. Returns false if the run was given to another worker. */
  remove(run: TakenRun): boolean;
  /** Takes the run from its worker and aborts the handler. */
  takeAway(runId: string): void;
  abortAll(): void;
  groups(): ReadonlyMap<string, number>;
}

/** Creates an empty map of taken runs. */
export function createTakenRuns(): TakenRunMap {
  const runs = new Map<string, TakenRun>();
  const groups = new Map<string, number>();

  function remove(run: TakenRun): boolean {
    const { runId, group } = run.wake;
    if (runs.get(runId) !== run) return false;
    runs.delete(runId);
    const left = (groups.get(group) ?? 0) - 1;
    if (left > 0) groups.set(group, left);
    else groups.delete(group);
    return true;
  }

  return {
    get size() {
      return runs.size;
    },
    has: (runId) => runs.has(runId),
    count: (group) => groups.get(group) ?? 0,
    add(run) {
      runs.set(run.wake.runId, run);
      groups.set(run.wake.group, (groups.get(run.wake.group) ?? 0) + 1);
    },
    remove,
    takeAway(runId) {
      const run = runs.get(runId);
      if (run === undefined) return;
      remove(run);
      run.controller.abort();
    },
    abortAll() {
      for (const { controller } of runs.values()) controller.abort();
    },
    groups: () => groups,
  };
}
