import { setTimeout as sleep } from 'node:timers/promises';
import { isBusy } from './sqlite-errors.ts';

const firstDelayMs = 1;
const maxDelayMs = 16;

/**
 * Returns the result of `attempt`, retried while another process writes. SQLite can wait on its own, but would block
 * the event loop meanwhile.
 * @throws the last error of `attempt` once `timeoutMs` have passed
 */
export async function retryWhileBusy<Result>(attempt: () => Result, timeoutMs: number): Promise<Result> {
  const giveUpAt = performance.now() + timeoutMs;
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 2, maxDelayMs)) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= giveUpAt) throw error;
    }
    // Random, so that two waiting processes do not retry at the same time.
    await sleep(delayMs * (0.5 + Math.random()));
  }
}
