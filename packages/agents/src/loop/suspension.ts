import type { InvokerSession } from '@ravi/invoker';
import { isSuspension } from '@ravi/invoker/internal';
import { KernelError } from '@ravi/kernel';
import type { KeptLease } from '../process/kept-process.ts';

/** Parts of a run that decide whether it is suspended. */
export interface Suspendable {
  readonly definition: { readonly process: object | undefined };
  readonly lease: KeptLease | undefined;
  readonly session: InvokerSession;
}

/**
 * True if the run was cancelled only in this process, and another one can continue it: this process is shutting down (the
 * cancellation is caused by `E_RUN_SUSPENDED`), or another one has the run. The run is then not recorded as ended.
 */
export function isSuspended({ definition, lease, session: { cancellation } }: Suspendable): boolean {
  if (definition.process === undefined || !cancellation.isCancelled) return false;
  return lease?.isLost === true || isSuspension(cancellation.error);
}

/** Cancels the run in this process and leaves it to the next one. */
export function suspend({ session }: Pick<Suspendable, 'session'>, reason: string): void {
  session.cancel(reason, new KernelError('E_RUN_SUSPENDED', reason));
}
