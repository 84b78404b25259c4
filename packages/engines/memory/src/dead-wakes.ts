import { KernelError } from '@ravi/kernel';
import type { DeadWake, Page, PageRequest } from '@ravi/kernel';

/** Wakes that were given up, the oldest first; bounded. */
export interface DeadWakes {
  /** Returns the one that had to go for it, if any. */
  add(dead: DeadWake): DeadWake | undefined;
  remove(runId: string): DeadWake | undefined;
  list(page?: PageRequest): Page<DeadWake>;
  readonly size: number;
}

const defaultPageSize = 100;
const maxPageSize = 1_000;

/** Creates an empty list of dead wakes. */
export function createDeadWakes(maxDead: number): DeadWakes {
  const byRun = new Map<string, DeadWake & { readonly number: number }>();
  let lastNumber = 0;
  return {
    add(dead) {
      const { runId } = dead.wake;
      byRun.delete(runId);
      byRun.set(runId, { ...dead, number: (lastNumber += 1) });
      if (byRun.size <= maxDead) return undefined;
      const [oldest] = byRun.values();
      if (oldest !== undefined) byRun.delete(oldest.wake.runId);
      return oldest;
    },
    remove(runId) {
      const dead = byRun.get(runId);
      byRun.delete(runId);
      return dead;
    },
    list({ limit = defaultPageSize, cursor = '0' } = {}) {
      if (!/^\d{1,15}$/.test(cursor)) {
        throw new KernelError('E_ARGUMENTS_INVALID', `${JSON.stringify(cursor)} is not a cursor of this list`);
      }
      const after = [...byRun.values()].filter(({ number }) => number > Number(cursor));
      const items = after.slice(0, Math.min(limit, maxPageSize));
      const last = items.at(-1);
      return {
        items: items.map(({ number: _number, ...dead }) => dead),
        corrupt: [],
        ...(last === undefined || items.length === after.length ? {} : { next: String(last.number) }),
      };
    },
    get size() {
      return byRun.size;
    },
  };
}
