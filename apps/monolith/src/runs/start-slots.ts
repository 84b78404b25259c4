import type { RunSlots } from '@ravi/capabilities';
import type { Principal } from '@ravi/kernel';

/** Limits the new runs that begin in this process at once. Others are stored, and any server begins them. */
export interface StartSlots {
  /** Takes a slot until the result is disposed. Returns `undefined` if the run has to wait. */
  take(kind: keyof RunSlots, principal: Principal): Disposable | undefined;
  /**
   * Calls `begin` once a slot is free, unless {@link StartSlots.close} is called before. The run has the slot until the promise settles.
   * Principals take turns. More than 10 000 waiting runs are not kept here: the run engine has them too.
   */
  wait(kind: keyof RunSlots, principal: Principal, begin: () => Promise<unknown>): void;
  /** Begins to limit: this process takes runs from the engine. Before, nothing would begin a run that waits. */
  open(): void;
  /** Begins no further run that waits. */
  close(): void;
}

const maxWaiting = 10_000;

/**
 * Creates the slots of a process. One principal has at most half of the slots of a kind, so that a principal with many runs leaves some to
 * others.
 */
export function createStartSlots(slots: () => RunSlots): StartSlots {
  const pools = {
    agents: createPool(() => slots().agents),
    scripts: createPool(() => slots().scripts),
  };
  let isOpen = false;
  let isClosed = false;
  return {
    take: (kind, principal) => (isOpen && pools[kind].isFull(principal) ? undefined : pools[kind].take(principal)),
    wait(kind, principal, begin) {
      if (!isClosed) pools[kind].wait(principal, begin);
    },
    open() {
      isOpen = true;
    },
    close() {
      isClosed = true;
      for (const pool of Object.values(pools)) pool.clear();
    },
  };
}

interface Pool {
  isFull(principal: Principal): boolean;
  take(principal: Principal): Disposable;
  wait(principal: Principal, begin: () => Promise<unknown>): void;
  clear(): void;
}

function createPool(limit: () => number): Pool {
  const taken = new Map<Principal, number>();
  /** Runs that wait, by principal; the one whose turn is next comes first. */
  const waiting = new Map<Principal, (() => Promise<unknown>)[]>();
  let total = 0;
  let waitingTotal = 0;

  function isFull(principal: Principal): boolean {
    const share = Math.max(1, Math.floor(limit() / 2));
    return total >= limit() || (taken.get(principal) ?? 0) >= share;
  }

  function take(principal: Principal): Disposable {
    total += 1;
    taken.set(principal, (taken.get(principal) ?? 0) + 1);
    let isTaken = true;
    return {
      [Symbol.dispose]() {
        if (!isTaken) return;
        isTaken = false;
        total -= 1;
        const left = (taken.get(principal) ?? 1) - 1;
        if (left > 0) taken.set(principal, left);
        else taken.delete(principal);
        beginNext();
      },
    };
  }

  function beginNext(): void {
    for (const [principal, runs] of waiting) {
      if (isFull(principal)) continue;
      const begin = runs.shift();
      waiting.delete(principal);
      if (runs.length > 0) waiting.set(principal, runs);
      if (begin === undefined) continue;
      waitingTotal -= 1;
      const slot = take(principal);
      begin()
        .catch(() => {})
        .finally(() => slot[Symbol.dispose]());
      return;
    }
  }

  return {
    isFull,
    take,
    wait(principal, begin) {
      if (waitingTotal >= maxWaiting) return;
      waitingTotal += 1;
      const runs = waiting.get(principal) ?? [];
      runs.push(begin);
      waiting.set(principal, runs);
      // A slot may have become free while the run was stored.
      beginNext();
    },
    clear() {
      waiting.clear();
      waitingTotal = 0;
    },
  };
}
