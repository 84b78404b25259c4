import type { Principal } from '@ravi/kernel';
import { problem } from '../core/problem.ts';

/** Places for event streams of runs, counted per principal. */
export interface StreamPlaces {
  /**
   * Takes a place and calls `start`, which returns the response and calls `onEnd` when its stream has ended.
   * @throws KernelError `E_BUSY` if the principal has no place left; `start` is not called then
   */
  open(principal: Principal, start: (onEnd: () => void) => Response | Promise<Response>): Promise<Response>;
}

const retryMs = 1_000;

/** Creates the places of a process: `max` for each principal, so that none can take those of the others. */
export function createStreamPlaces(max: number): StreamPlaces {
  const openOf = new Map<Principal, number>();

  function take(principal: Principal): () => void {
    const open = openOf.get(principal) ?? 0;
    if (open >= max) {
      const limit = `${principal} has ${open} open event streams of runs, the limit of server.maxEventStreams`;
      throw problem('E_BUSY', `${limit}. Close one first`, retryMs);
    }
    openOf.set(principal, open + 1);
    return () => {
      const left = (openOf.get(principal) ?? 0) - 1;
      if (left > 0) openOf.set(principal, left);
      else openOf.delete(principal);
    };
  }

  return {
    async open(principal, start) {
      const giveBack = take(principal);
      try {
        return await start(giveBack);
      } catch (error) {
        giveBack();
        throw error;
      }
    },
  };
}
