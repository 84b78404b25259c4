import type { GuestProcess } from './guest-process.ts';

/** Processes that scripts use at the moment. */
export interface LentGuests {
  readonly size: number;
  /** Number of processes whose scripts wait for a person; they use memory, but no processor. */
  readonly parked: number;
  add(guest: GuestProcess, principal: string, humanWaitMs: (() => number) | undefined): void;
  delete(guest: GuestProcess): void;
  /** Returns the number of processes whose scripts run, of one principal or of all. */
  running(principal?: string): number;
  /** Finds out again which scripts wait for a person. Returns true if this has changed. */
  update(): boolean;
}

interface Lent {
  readonly principal: string;
  readonly humanWaitMs: (() => number) | undefined;
  isParked: boolean;
  seenAt: number;
  seenMs: number;
}

/** A shorter time says too little about a sum of milliseconds. */
const minElapsedMs = 20;

/**
 * Creates an empty set. A script waits for a person while the time that it has waited for persons grows like the clock. At most
 * `maxParked` count as waiting.
 */
export function createLentGuests(maxParked: number): LentGuests {
  const lent = new Map<GuestProcess, Lent>();
  let parked = 0;

  function isWaiting(entry: Lent): boolean {
    const now = performance.now();
    const elapsedMs = now - entry.seenAt;
    if (elapsedMs < minElapsedMs) return entry.isParked;
    const waitedMs = entry.humanWaitMs?.() ?? 0;
    const isGrowing = waitedMs - entry.seenMs >= elapsedMs / 2;
    entry.seenAt = now;
    entry.seenMs = waitedMs;
    return isGrowing;
  }

  return {
    get size() {
      return lent.size;
    },
    get parked() {
      return parked;
    },
    add(guest, principal, humanWaitMs) {
      lent.set(guest, {
        principal,
        humanWaitMs,
        isParked: false,
        seenAt: performance.now(),
        seenMs: humanWaitMs?.() ?? 0,
      });
    },
    delete(guest) {
      if (lent.get(guest)?.isParked === true) parked--;
      lent.delete(guest);
    },
    running(principal) {
      let count = 0;
      for (const entry of lent.values()) {
        if (!entry.isParked && (principal === undefined || entry.principal === principal)) count++;
      }
      return count;
    },
    update() {
      let hasChanged = false;
      for (const entry of lent.values()) {
        const isParked = isWaiting(entry) && (entry.isParked || parked < maxParked);
        if (isParked === entry.isParked) continue;
        entry.isParked = isParked;
        parked += isParked ? 1 : -1;
        hasChanged = true;
      }
      return hasChanged;
    },
  };
}
