/** End of a call or a wake of a script. */
export interface PlacedEnd {
  readonly place: number;
  /** Time at which it ended, as the script sees it. */
  readonly now: number;
}

/** Options of {@link createEnds}. */
export interface EndsOptions {
  /** Reads the places whose ends are recorded, in the order of the journal. */
  readOrder(): Promise<readonly number[]>;
  /** Called for each end that is recorded, in the order of the journal. */
  onEnd(end: PlacedEnd): void;
}

/** Ends of the calls and wakes of one run. */
export interface Ends {
  /** Records an end with `write`, which calls `onFailure` as soon as an attempt fails that it may repeat. */
  record(end: PlacedEnd, write: (onFailure: () => void) => Promise<void>): Promise<void>;
}

interface WaitingEnd extends PlacedEnd {
  isWritten: boolean;
}

/**
 * Creates the ends of one run. A script must receive them in the order of the journal, because a replay does. A journal
 * has them in the order in which their writes begin. An attempt that failed may have been written or not: then the ends
 * wait for all writes that are under way, and the journal is read.
 */
export function createEnds({ readOrder, onEnd }: EndsOptions): Ends {
  // In the order in which their writes began.
  let waiting: WaitingEnd[] = [];
  let begun = 0;
  let isInDoubt = false;

  async function report(): Promise<void> {
    if (isInDoubt) {
      if (waiting.some(({ isWritten }) => !isWritten)) return;
      const before = begun;
      const order = await readOrder();
      // The last of the ends that have begun meanwhile reports all of them.
      if (begun !== before || !isInDoubt) return;
      isInDoubt = false;
      waiting.sort((left, right) => order.indexOf(left.place) - order.indexOf(right.place));
    }
    const count = waiting.findIndex(({ isWritten }) => !isWritten);
    const ends = count < 0 ? waiting : waiting.slice(0, count);
    waiting = count < 0 ? [] : waiting.slice(count);
    for (const end of ends) onEnd(end);
  }

  return {
    async record(end, write) {
      const own: WaitingEnd = { ...end, isWritten: false };
      waiting.push(own);
      begun++;
      // Without it the run is lost, and the script receives no further end.
      await write(() => void (isInDoubt = true));
      own.isWritten = true;
      await report();
    },
  };
}
