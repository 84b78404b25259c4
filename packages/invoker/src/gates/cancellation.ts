import type { PendingCall } from '../pending-call.ts';

/** Stops every call after the run was cancelled. @throws KernelError `E_CANCELLED` */
export function cancellationGate(pending: PendingCall): PendingCall {
  pending.cancellation.check();
  return pending;
}
