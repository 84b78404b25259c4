import type { RecordedEvent } from '@ravi/api';

/**
 * Returns how often in a row the process of a run crashed and its successor crashed too without progress, by the events of the
 * run. A process that ended in an orderly way has not crashed. Progress is the end of a call or of a step that had not ended
 * before, so a call that is made again after each crash does not count.
 */
export function countFruitlessCrashes(events: readonly RecordedEvent[]): number {
  const ended = new Set<string>();
  let crashes = 0;
  let wasOrderly = false;
  for (const { type, data } of events) {
    if (type === 'run-start') {
      if (data.wasInterrupted === true && !wasOrderly) crashes += 1;
      wasOrderly = false;
    } else if (type === 'run-suspended' || type === 'run-paused') {
      crashes = 0;
      wasOrderly = true;
    } else if (type === 'tool-result' || type === 'step-end') {
      const key = type === 'tool-result' ? `call ${data.callId}` : `step ${data.step}`;
      if (!ended.has(key)) crashes = 0;
      ended.add(key);
    }
  }
  return crashes;
}
