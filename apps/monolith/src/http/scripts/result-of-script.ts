import { setTimeout as pause } from 'node:timers/promises';
import type { DurableChainResult, DurableChains } from '@ravi/capabilities';
import { isKernelError, KernelError } from '@ravi/kernel';
import type { RunStore } from '@ravi/kernel';

/** Services of {@link resultOfScript}. */
export interface ScriptResultServices {
  readonly chains: Pick<DurableChains, 'resume'>;
  readonly runs: Pick<RunStore, 'get'>;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Aborts when the process shuts down. */
  readonly lifetime: AbortSignal;
}

const pollMs = 500;

/**
 * Returns the result of a script that `begin` starts or resumes. If another process executes its run, it waits for that: a
 * repeated request came to another server, or this process was stopped for longer than a lease.
 * @throws KernelError as `begin`, and `E_RUN_SUSPENDED` if this process shuts down
 */
export async function resultOfScript(
  runId: string,
  begin: () => Promise<DurableChainResult>,
  { chains, runs, signal, lifetime }: ScriptResultServices,
): Promise<DurableChainResult> {
  for (let attempt = begin; ; attempt = () => chains.resume(runId)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isKernelError(error, 'E_STATE_CONFLICT') || signal.aborted) throw error;
      if ((await runs.get(runId)) === undefined) throw error;
    }
    await pause(pollMs, undefined, { signal: AbortSignal.any([signal, lifetime]) }).catch(() => {});
    if (lifetime.aborted) throw new KernelError('E_RUN_SUSPENDED', 'The process is shutting down');
  }
}
