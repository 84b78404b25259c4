import type { Clock } from '@ravi/kernel';

const burstSeconds = 4;

/** Counts the messages of a server. */
export interface MessageRate {
  /** Counts one message and returns false if the server has sent too many. */
  count(): boolean;
}

/** Creates a counter that allows `perSecond` messages on average and four times as many at once. */
export function createMessageRate(perSecond: number, clock: Clock): MessageRate {
  const most = perSecond * burstSeconds;
  let left = most;
  let at = clock.monotonic();
  return {
    count() {
      left -= 1;
      if (left >= 0) return true;
      const now = clock.monotonic();
      left = Math.min(most, left + ((now - at) / 1_000) * perSecond);
      at = now;
      return left >= 0;
    },
  };
}
