import { setTimeout as sleep } from 'node:timers/promises';
import { isBusy } from './sqlite-errors.ts';

const firstDelayMs = 1;
const longestDelayMs = 16;

/**
 * The result of `attempt`, tried again while another process writes. SQLite can wait by itself, but would stop the whole
 * process meanwhile.
 * @throws what `attempt` threw last, once `timeoutMs` have passed
 */
export async function retryWhileBusy<Result>(attempt: () => Result, timeoutMs: number): Promise<Result> {
  const giveUpAt = performance.now() + timeoutMs;
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= giveUpAt) throw error;
    }
    // Two that wait for each other's end should not come back together.
    await sleep(delayMs * (0.5 + Math.random()));
  }
}
