import type { HeldRun, RunWriter } from '@ravi/kernel';
import type { HoldOptions, KeptLease } from './kept-process.ts';

/** State of a process, for the runs that it executes. */
export interface LifeOfProcess {
  /** True while no other process can have counted this one as dead. */
  isCertain(): boolean;
  /** Monotonic time since which that has been so without a gap. */
  certainFrom(): number;
  /** Monotonic time in milliseconds. */
  monotonic(): number;
  /** Time after which a run that nothing here holds is given back; much longer than that between a claim and its hold. */
  readonly strayAfterMs: number;
  /** Says that this process lives, and compares its runs with the store. @throws KernelError of the store */
  check(): Promise<void>;
  /** Called with each run that this process has no longer, before the owner of its lease is notified. */
  onLost(writer: RunWriter): void;
}

/** Runs that a process executes. */
export interface HeldRuns {
  readonly size: number;
  hold(writer: RunWriter, options: HoldOptions): KeptLease;
  /**
   * Starts a comparison: call the function with what the store has. It does not concern runs that were added since. Returns the runs
   * that nothing here has held for `strayAfterMs`, for example because the reply to a claim was lost.
   */
  compare(): (stored: readonly HeldRun[]) => readonly HeldRun[];
}

interface Held {
  readonly writer: RunWriter;
  /** Says that no other process has the run, as the store has just told. */
  confirm(): void;
  lose(): void;
}

/** Creates the list of the runs of a process. */
export function createHeldRuns(life: LifeOfProcess): HeldRuns {
  const runs = new Set<Held>();
  /** Monotonic times since which nothing here holds a run that the store says this process has, by run and epoch. */
  let unheld: ReadonlyMap<string, number> = new Map();

  function strays(stored: readonly HeldRun[]): readonly HeldRun[] {
    const keyOf = (id: string, epoch: number): string => `${epoch} ${id}`;
    const held = new Set([...runs].map(({ writer }) => keyOf(writer.runId, writer.epoch)));
    const now = life.monotonic();
    const found = stored.map((run) => ({ run, key: keyOf(run.id, run.epoch) })).filter(({ key }) => !held.has(key));
    unheld = new Map(found.map(({ key }) => [key, unheld.get(key) ?? now]));
    return found.filter(({ key }) => now - (unheld.get(key) ?? now) >= life.strayAfterMs).map(({ run }) => run);
  }

  function hold(writer: RunWriter, { since = -Infinity, onLost }: HoldOptions): KeptLease {
    // A process that was dead when it took the run may have lost it before it said again that it lives.
    let isChecked = since >= life.certainFrom();
    let isLost = false;
    const held: Held = {
      writer,
      confirm: () => void (isChecked = true),
      lose() {
        if (!runs.delete(held)) return;
        isLost = true;
        life.onLost(writer);
        onLost();
      },
    };
    runs.add(held);
    return {
      writer,
      get isLost() {
        return isLost;
      },
      get isCertain() {
        return isChecked && !isLost && life.isCertain();
      },
      async confirm() {
        if (runs.has(held)) await life.check();
        return runs.has(held);
      },
      [Symbol.dispose]: () => void runs.delete(held),
    };
  }

  return {
    get size() {
      return runs.size;
    },
    hold,
    compare() {
      const compared = [...runs];
      return (stored) => {
        const epochs = new Map(stored.map(({ id, epoch }) => [id, epoch]));
        for (const held of compared) {
          if (epochs.get(held.writer.runId) === held.writer.epoch) held.confirm();
          else held.lose();
        }
        return strays(stored);
      };
    },
  };
}
