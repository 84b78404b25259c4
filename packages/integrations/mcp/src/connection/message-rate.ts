import type { Clock } from '@ravi/kernel';

const burstSeconds = 4;

/** Counts the messages of a server. */
export interface MessageRate {
  /** Messages per second that are allowed on average. */
  readonly perSecond: number;
  /** Counts one message and returns false if the server has sent too many. */
  count(): boolean;
  /** Allows one message more: a request of ours has an answer, however many requests there are. */
  expectAnswer(): void;
}

/** Creates a counter that allows `perSecond` messages on average and four times as many at once. */
export function createMessageRate(perSecond: number, clock: Clock): MessageRate {
  const most = perSecond * burstSeconds;
  let expected = 0;
  let left = most;
  let at = clock.monotonic();
  return {
    perSecond,
    count() {
      if (expected > 0) {
        expected--;
        return true;
      }
      left -= 1;
      if (left >= 0) return true;
      const now = clock.monotonic();
      left = Math.min(most, left + ((now - at) / 1_000) * perSecond);
      at = now;
      return left >= 0;
    },
    expectAnswer() {
      expected++;
    },
  };
}
