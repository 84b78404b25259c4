import type { Clock, NewProcess, ProcessStore } from '@ravi/kernel';

/** Processes that a test can inspect. */
export interface TestProcesses extends ProcessStore {
  isAlive(id: string): boolean;
}

interface Kept extends NewProcess {
  readonly epoch: number;
  readonly startedAt: number;
  readonly heartbeatAt: number;
}

/** Creates a store of processes that live by a clock. */
export function createTestProcesses(clock: Pick<Clock, 'now'>): TestProcesses {
  const all = new Map<string, Kept>();

  function isAlive(id: string): boolean {
    const kept = all.get(id);
    return kept !== undefined && clock.now() < kept.heartbeatAt + kept.deadAfterMs;
  }

  function confirm(kept: Kept): Kept {
    const next = { ...kept, heartbeatAt: clock.now(), epoch: kept.epoch + (isAlive(kept.id) ? 0 : 1) };
    all.set(kept.id, next);
    return next;
  }

  return {
    isAlive,
    async register(process) {
      const known = all.get(process.id);
      const now = clock.now();
      const next = { epoch: 0, startedAt: now, ...known, heartbeatAt: known?.heartbeatAt ?? -Infinity, ...process };
      return { ...confirm(next), isAlive: true };
    },
    async beat(id) {
      const kept = all.get(id);
      return kept && confirm(kept).epoch;
    },
    list: async () => ({
      items: [...all.values()].map((kept) => ({ ...kept, isAlive: isAlive(kept.id) })),
      corrupt: [],
    }),
    remove: async (id) => all.delete(id),
    removeDead: async () => 0,
  };
}
