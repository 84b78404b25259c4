import { KernelError } from '@ravi/kernel';

/** Places for work of which only a few pieces run at once. */
export interface Turns {
  /**
   * Waits for a place for work of `owner`. Dispose it after the work.
   * @throws KernelError `E_CANCELLED` if the signal aborts before, `E_WORK_BUSY` if too much work of the owner waits
   */
  take(owner: string, signal: AbortSignal): Promise<Disposable>;
}

/** Numbers of {@link createTurns}. */
export interface TurnLimits {
  readonly places: number;
  /** Places that the work of one owner holds at once: the others stay free for other owners. */
  readonly placesOfOwner: number;
  /** Pieces of work of one owner that wait. */
  readonly waitingOfOwner: number;
}

interface Waiting {
  readonly owner: string;
  readonly begin: () => void;
}

/** Creates a number of places. A free one goes to the owner among those that wait who got one longest ago, as long as it holds fewer than it may. */
export function createTurns({ places, placesOfOwner, waitingOfOwner }: TurnLimits): Turns {
  let free = places;
  const held = new Map<string, number>();
  const waiting = new Set<Waiting>();
  /** Number of the last place that each owner got, forgotten when no work is left. */
  const served = new Map<string, number>();
  let count = 0;
  const mayBegin = (owner: string): boolean => free > 0 && (held.get(owner) ?? 0) < placesOfOwner;

  function hold(owner: string): Disposable {
    free--;
    held.set(owner, (held.get(owner) ?? 0) + 1);
    served.set(owner, count++);
    let isHeld = true;
    return {
      [Symbol.dispose]() {
        if (isHeld) release(owner);
        isHeld = false;
      },
    };
  }

  function release(owner: string): void {
    free++;
    const left = (held.get(owner) ?? 1) - 1;
    if (left === 0) held.delete(owner);
    else held.set(owner, left);
    const possible = [...waiting].filter((each) => mayBegin(each.owner));
    const turnOf = (name: string): number => served.get(name) ?? -1;
    const [next] = possible.toSorted((a, b) => turnOf(a.owner) - turnOf(b.owner));
    if (next !== undefined) next.begin();
    else if (waiting.size === 0 && held.size === 0) served.clear();
  }

  return {
    take(owner, signal) {
      if (signal.aborted) return Promise.reject(cancelled());
      if (mayBegin(owner)) return Promise.resolve(hold(owner));
      const ofOwner = [...waiting].filter((each) => each.owner === owner).length;
      if (ofOwner >= waitingOfOwner) return Promise.reject(busy(ofOwner));
      return new Promise((resolve, reject) => {
        const abort = (): void => {
          waiting.delete(entry);
          reject(cancelled());
        };
        const entry: Waiting = {
          owner,
          begin() {
            waiting.delete(entry);
            signal.removeEventListener('abort', abort);
            resolve(hold(owner));
          },
        };
        waiting.add(entry);
        signal.addEventListener('abort', abort, { once: true });
      });
    },
  };
}

function cancelled(): KernelError {
  return new KernelError('E_CANCELLED', 'The work was cancelled before it began');
}

function busy(waiting: number): KernelError {
  const message = `${waiting} pieces of work of this principal wait for a process already. Try again later`;
  return new KernelError('E_WORK_BUSY', message, { retryable: true, hadNoEffect: true });
}
