import { isKernelError } from '@ravi/kernel';
import type { AgentRun } from './agent-run.ts';

/**
 * Whether the run was cancelled only because its process ends (a cancellation caused by `E_RUN_SUSPENDED`), where another
 * process can go on with it: then nothing is put on record that would end it.
 */
export function isSuspended({ definition, session: { cancellation } }: AgentRun): boolean {
  return (
    definition.lease !== undefined &&
    cancellation.isCancelled &&
    isKernelError(cancellation.error.cause, 'E_RUN_SUSPENDED')
  );
}
