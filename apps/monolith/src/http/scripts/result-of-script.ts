import { setTimeout as pause } from 'node:timers/promises';
import type { DurableChainResult, DurableChains } from '@ravi/capabilities';
import { isKernelError, KernelError } from '@ravi/kernel';
import type { Run, RunStore } from '@ravi/kernel';
import type { DurableServices } from '../../runs/durable-services.ts';

/** Services of {@link resultOfScript}. */
export interface ScriptResultServices {
  readonly chains: Pick<DurableChains, 'resume'>;
  readonly runs: Pick<RunStore, 'get'>;
  /** True if this process executes the run. */
  readonly isActive: (runId: string) => boolean;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Aborts when the process shuts down. */
  readonly lifetime: AbortSignal;
}

const pollMs = 500;

/** Returns the services of {@link resultOfScript} for one request. */
export function scriptResultServices(
  { chains, recorder, store }: Pick<DurableServices, 'chains' | 'recorder' | 'store'>,
  ends: Pick<ScriptResultServices, 'signal' | 'lifetime'>,
): ScriptResultServices {
  return { chains, runs: store.runs, isActive: recorder.isExecuting, ...ends };
}

/**
 * Returns the result of a script that `start` starts; without `start`, of a run that exists. If another process executes the run,
 * it waits for that: a repeated request came to another server, or this process was stopped until it counted as dead. A run whose
 * process ended is left to run recovery, which limits the crashes of runs that may be their cause. A script that is part of another
 * run continues only with that.
 * @throws KernelError as `start` and `DurableChains.resume`, and `E_RUN_SUSPENDED` if this process shuts down
 */
export async function resultOfScript(
  runId: string,
  start: (() => Promise<DurableChainResult>) | undefined,
  { chains, runs, isActive, signal, lifetime }: ScriptResultServices,
): Promise<DurableChainResult> {
  async function rest(): Promise<void> {
    await pause(pollMs, undefined, { signal: AbortSignal.any([signal, lifetime]) }).catch(() => {});
    if (lifetime.aborted) throw new KernelError('E_RUN_SUSPENDED', 'The process is shutting down');
  }

  async function resume(): Promise<DurableChainResult> {
    while (!isActive(runId) && isHeld(await runs.get(runId))) {
      if (signal.aborted) throw new KernelError('E_STATE_CONFLICT', `Another process executes run ${runId}`);
      await rest();
    }
    return chains.resume(runId);
  }

  for (let attempt = start ?? resume; ; attempt = resume) {
    try {
      return await attempt();
    } catch (error) {
      if (!isKernelError(error, 'E_STATE_CONFLICT') || signal.aborted) throw error;
      const run = await runs.get(runId);
      if (run === undefined || run.parentRunId !== undefined) throw error;
    }
    await rest();
  }
}

// The process that has the run may have ended. Recovery leaves a paused run alone until its request is decided.
function isHeld(run: Run | undefined): boolean {
  return run?.status === 'running' && run.parentRunId === undefined && run.owner !== undefined;
}
