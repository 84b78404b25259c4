import { setTimeout as pause } from 'node:timers/promises';
import type { DurableChains } from '@ravi/capabilities';
import { isKernelError } from '@ravi/kernel';
import type { RunStore } from '@ravi/kernel';

/** Services of {@link resumeRepeated}. */
export interface RepeatedScriptServices {
  readonly chains: Pick<DurableChains, 'resume'>;
  readonly runs: Pick<RunStore, 'get'>;
  /** Aborts when the client disconnects or the process shuts down. */
  readonly signal: AbortSignal;
}

const pollMs = 500;

/**
 * Returns the result of the run that the first request with a key started. While another process executes the run, it waits,
 * as the first request does.
 * @throws KernelError as `DurableChains.resume`, except that another process executes the run
 */
export async function resumeRepeated(
  runId: string,
  { chains, runs, signal }: RepeatedScriptServices,
): ReturnType<DurableChains['resume']> {
  for (;;) {
    try {
      return await chains.resume(runId);
    } catch (error) {
      const isHeld = isKernelError(error, 'E_STATE_CONFLICT') && (await runs.get(runId))?.outcome === undefined;
      if (!isHeld || signal.aborted) throw error;
    }
    // At the end of the wait the process may be shutting down, which the next attempt says.
    await pause(pollMs, undefined, { signal }).catch(() => {});
  }
}
