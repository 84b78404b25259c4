import { isKernelError } from '@ravi/kernel';
import type { Clock, NewRun, Run, RunHolder, RunStore } from '@ravi/kernel';
import { retryWhileUnavailable } from './retry-while-unavailable.ts';

/** Run to store. */
export interface NewRunRequest {
  readonly row: NewRun;
  /** Process that executes it; absent for a queued run, which any process may begin. */
  readonly holder?: RunHolder;
}

/** Stores and process of {@link storeNewRun}. */
export interface NewRunParts {
  readonly runs: Pick<RunStore, 'create' | 'claim' | 'get'>;
  /** Resolves once it has a record. */
  readonly process: { started(): Promise<void> };
}

/**
 * Stores a new run with an owner, or a queued one without, repeated while the store is unavailable. The id of the run must be new, so that
 * after a lost reply a run with this id and this owner is the one that was created.
 * @throws KernelError of the store, its last error once `signal` aborts
 */
export function storeNewRun(
  { runs, process }: NewRunParts,
  { row, holder }: NewRunRequest,
  waiting: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Run> {
  let attempts = 0;
  return retryWhileUnavailable(async () => {
    if (holder !== undefined) await process.started();
    attempts++;
    try {
      return await runs.create(row, holder);
    } catch (error) {
      const isRepeated = attempts > 1 && isKernelError(error, 'E_STATE_CONFLICT');
      if (!isRepeated) throw error;
      const created = holder === undefined ? await runs.get(row.id) : await runs.claim(row.id, holder);
      if (created === undefined) throw error;
      return created;
    }
  }, waiting);
}
