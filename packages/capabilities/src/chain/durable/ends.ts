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
  /** True if an attempt failed since the order was read last: it may have been written or not. */
  isInDoubt: boolean;
}

/**
 * Creates the ends of one run. A script must receive them in the order of the journal, because a replay does. A journal has
 * them in the order in which their writes begin. If attempts failed, the ends wait until those are written, and the journal is read:
 * an end that it does not have yet comes after those that it has.
 */
export function createEnds({ readOrder, onEnd }: EndsOptions): Ends {
  // In the order in which they are reported.
  let waiting: WaitingEnd[] = [];
  let failures = 0;
  let isReading = false;

  async function report(): Promise<void> {
    if (isReading) return;
    isReading = true;
    try {
      while (waiting.some(({ isInDoubt }) => isInDoubt)) {
        // Its record reports again.
        if (waiting.some(({ isInDoubt, isWritten }) => isInDoubt && !isWritten)) return;
        await readAgain();
      }
    } finally {
      isReading = false;
    }
    const count = waiting.findIndex(({ isWritten }) => !isWritten);
    for (const end of waiting.splice(0, count < 0 ? waiting.length : count)) onEnd(end);
  }

  async function readAgain(): Promise<void> {
    const before = failures;
    const order = new Map((await readOrder()).map((place, index) => [place, index]));
    if (failures !== before) return;
    const indexOf = ({ place }: PlacedEnd): number => order.get(place) ?? order.size;
    waiting = waiting.toSorted((left, right) => indexOf(left) - indexOf(right));
    for (const end of waiting) end.isInDoubt = false;
  }

  return {
    async record(end, write) {
      const own: WaitingEnd = { ...end, isWritten: false, isInDoubt: false };
      waiting.push(own);
      // Without it the run is lost, and the script receives no further end.
      await write(() => {
        failures++;
        own.isInDoubt = true;
      });
      own.isWritten = true;
      await report();
    },
  };
}
