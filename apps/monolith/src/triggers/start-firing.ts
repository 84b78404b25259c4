import type { TriggerConfig } from '@ravi/host';
import { isKernelError, KernelError } from '@ravi/kernel';
import type { Clock, FiringOutcome, InvocationError, Logger, Trigger, TriggerFiring, TriggerStore } from '@ravi/kernel';
import type { RunService } from '../runs/run-service.ts';
import type { TriggerRights } from './trigger-permissions.ts';

/** Starts the run of a firing and settles it. A firing whose run cannot start now is tried again later, by any server. */
export type StartFiring = (firing: TriggerFiring) => Promise<void>;

/** Options of {@link createStartFiring}. */
export interface StartFiringOptions {
  readonly store: TriggerStore;
  readonly runs: Pick<RunService, 'startAgent'>;
  readonly rights: TriggerRights;
  readonly limits: () => Pick<TriggerConfig, 'retryForMs'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** First wait before another attempt; it doubles up to a minute, but not beyond the age of the firing. */
const shortestRetryMs = 1_000;
const longestRetryMs = 60_000;
/** Codes of refusals that pass, although the error does not say so. */
const passingCodes: ReadonlySet<string> = new Set([
  'E_BUDGET_EXHAUSTED',
  'E_BUSY',
  'E_NOT_STARTED',
  'E_RUN_SUSPENDED',
  'E_SESSION_BUSY',
  'E_STATE_UNAVAILABLE',
]);

/** Creates the function that starts the runs of firings, with the permissions of their trigger or fewer. */
export function createStartFiring(options: StartFiringOptions): StartFiring {
  const { store, runs, rights, limits, clock, logger } = options;

  async function start(firing: TriggerFiring): Promise<FiringOutcome> {
    const trigger = await store.get(firing.triggerId);
    if (trigger === undefined || trigger.status === 'cancelled') {
      return failed(new KernelError('E_CANCELLED', 'The trigger was cancelled'));
    }
    try {
      await startRun(trigger, firing);
      return { status: 'started' };
    } catch (error) {
      return outcomeOf(error, firing);
    }
  }

  async function startRun(trigger: Trigger, { runId, input }: TriggerFiring): Promise<void> {
    const { principal, agent, sessionId, permissions } = trigger;
    if (!rights.mayRun(principal)) {
      throw new KernelError('E_FORBIDDEN', 'The principal of the trigger may not start runs any more');
    }
    const request = {
      runId,
      task: input,
      principal,
      agent,
      ...(sessionId === undefined ? {} : { sessionId }),
      allowedTools: permissions.tools,
      policy: rights.risksOf(permissions),
    };
    await runs.startAgent(request, { mayWait: true });
  }

  function outcomeOf(error: unknown, { createdAt }: TriggerFiring): FiringOutcome {
    const now = clock.now();
    const mayPass = isKernelError(error) && (error.retryable || passingCodes.has(error.code));
    if (!mayPass || now - createdAt >= limits().retryForMs) return failed(error);
    // The process ends: the next one need not wait.
    const isLeaving = isKernelError(error, 'E_RUN_SUSPENDED');
    const waitMs = Math.min(longestRetryMs, Math.max(shortestRetryMs, now - createdAt));
    return { status: 'pending', error: errorOf(error), retryAt: isLeaving ? now : now + waitMs };
  }

  return async (firing) => {
    const { triggerId, runId, slot } = firing;
    const outcome = await start(firing);
    await store.settle({ triggerId, slot }, outcome);
    const about = { triggerId, runId, slot };
    if (outcome.status === 'started') logger.info('a trigger started a run', about);
    else if (outcome.status === 'failed')
      logger.warn('a trigger could not start its run', { ...about, error: outcome.error });
    else logger.info('the run of a trigger waits for its start', { ...about, error: outcome.error });
  };
}

function failed(error: unknown): FiringOutcome {
  return { status: 'failed', error: errorOf(error) };
}

function errorOf(error: unknown): InvocationError {
  if (isKernelError(error)) return { code: error.code, message: error.message, retryable: error.retryable };
  return { code: 'E_INTERNAL', message: 'The run could not be started', retryable: false };
}
