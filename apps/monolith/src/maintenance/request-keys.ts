import type { BudgetStore, Clock, Logger, ProcessStore, RateStore, RequestStore } from '@ravi/kernel';
import { repeat } from './repeat.ts';
import type { Repeated } from './repeat.ts';

/** Options of {@link startKeyRemoval}. */
export interface KeyRemovalOptions {
  readonly requests: Pick<RequestStore, 'removeOld'>;
  readonly budgets?: Pick<BudgetStore, 'removeOld'>;
  readonly processes?: Pick<ProcessStore, 'removeDead'>;
  readonly rates?: Pick<RateStore, 'removeFull'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const intervalMs = 3_600_000;
const startDelayMs = 60_000;
/** Time for which the record of a dead process is kept. */
const deadProcessMs = 86_400_000;
/** Time for which the usage of a day is kept. */
const usageMs = 35 * 86_400_000;

/**
 * Removes requests with an `Idempotency-Key` two days after they were made: a minute after the start and then once an hour until
 * disposed. Their responses would otherwise stay in a server that receives no further keyed request. The usage of budgets is removed
 * with them, after 35 days, and so are allowances of requests that are full again and, a day after they died, processes that have no
 * run.
 */
export function startKeyRemoval({ requests, budgets, processes, rates, clock, logger }: KeyRemovalOptions): Repeated {
  async function work(): Promise<void> {
    await budgets?.removeOld(clock.now() - usageMs);
    await rates?.removeFull();
    await processes?.removeDead(deadProcessMs);
    const removed = await requests.removeOld(clock.now());
    if (removed > 0) logger.info('old idempotency keys removed', { removed });
  }

  const failure = 'old idempotency keys could not be removed';
  return repeat({ work, failure, intervalMs, startDelayMs, clock, logger });
}
