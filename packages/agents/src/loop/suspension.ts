import { isKernelError, KernelError } from '@ravi/kernel';
import type { AgentRun } from './agent-run.ts';

/**
 * Whether the run was cancelled only here, where another process can go on with it, or does already: its own process ends
 * (a cancellation caused by `E_RUN_SUSPENDED`), or its lease is lost. Then nothing is put on record that would end it.
 */
export function isSuspended({ definition, lease, session: { cancellation } }: AgentRun): boolean {
  if (definition.lease === undefined || !cancellation.isCancelled) return false;
  return lease?.isLost === true || isKernelError(cancellation.error.cause, 'E_RUN_SUSPENDED');
}

/** Cancels the run here and leaves it to whoever goes on with it. */
export function suspend({ session }: AgentRun, reason: string): void {
  session.cancel(reason, new KernelError('E_RUN_SUSPENDED', reason));
}
