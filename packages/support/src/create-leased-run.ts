import { isKernelError } from '@ravi/kernel';
import type { Clock, LeaseRequest, NewRun, Run, RunStore } from '@ravi/kernel';
import { retryWhileUnavailable } from './retry-while-unavailable.ts';

/** Run to create, with its lease. */
export interface LeasedRun {
  readonly row: NewRun;
  readonly lease: LeaseRequest;
}

/**
 * Creates a run with a lease, repeated while the store is unavailable. The id of the run must be new, so that after a lost reply
 * a run with this id and a lease of this owner is the one that was created.
 * @throws KernelError of the store, its last error once `signal` aborts
 */
export function createLeasedRun(
  runs: Pick<RunStore, 'create' | 'claim'>,
  { row, lease }: LeasedRun,
  waiting: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Run> {
  let attempts = 0;
  return retryWhileUnavailable(async () => {
    attempts++;
    try {
      return await runs.create(row, lease);
    } catch (error) {
      const isRepeated = attempts > 1 && isKernelError(error, 'E_STATE_CONFLICT');
      const created = isRepeated ? await runs.claim(row.id, lease) : undefined;
      if (created === undefined) throw error;
      return created;
    }
  }, waiting);
}
