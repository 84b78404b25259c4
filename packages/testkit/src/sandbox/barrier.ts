import type { BridgeCall } from '@ravi/kernel';

/** A bridge that answers nothing until `count` calls are there: only a guest that makes them at once gets on. */
export function createBarrier(count: number): { bridge(call: BridgeCall): Promise<string>; readonly highest: number } {
  let waiting: (() => void)[] = [];
  let highest = 0;
  return {
    get highest() {
      return highest;
    },
    bridge: ({ payload }) =>
      new Promise((resolve) => {
        waiting.push(() => resolve(payload));
        highest = Math.max(highest, waiting.length);
        if (waiting.length < count) return;
        for (const release of waiting) release();
        waiting = [];
      }),
  };
}
