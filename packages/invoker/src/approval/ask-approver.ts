import { KernelError } from '@ravi/kernel';
import type { ApprovalHandler, ApprovalRequest, ApprovalRequestOptions } from '@ravi/kernel';
import type { PendingCall } from '../pending-call.ts';
import type { Cancellation } from '../timing/cancellation.ts';

/** End of a wait for an approver. `granted`: an approval for the whole run covers the request. */
export type ApprovalOutcome =
  | { readonly kind: 'answered'; readonly answer: unknown }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'granted' };

/** Options of {@link askApprover}. */
export interface AskOptions {
  /** Ends the wait. */
  readonly cancellation: Cancellation;
  /** Milliseconds for the decision; no limit if absent. */
  readonly limitMs: number | undefined;
  /** True once an approval for the whole run covers the request. Looked at after each such approval; absent if none can. */
  readonly isGranted?: () => boolean;
  readonly asked: Omit<ApprovalRequestOptions, 'signal' | 'writer'>;
}

/**
 * Asks the handler for a decision and waits for it, the limit or a cancellation. The signal of the handler aborts once the decision is
 * no longer needed.
 * @throws KernelError `E_CANCELLED` when it is cancelled
 */
export function askApprover(
  { session, runtime }: PendingCall,
  handler: ApprovalHandler,
  request: ApprovalRequest,
  { cancellation, limitMs, isGranted, asked }: AskOptions,
): Promise<ApprovalOutcome> {
  const withdrawal = new AbortController();
  const writer = session.lease === undefined ? {} : { writer: session.lease.writer };
  return new Promise<ApprovalOutcome>((resolve, reject) => {
    const settle = (done: () => void, reason?: KernelError): void => {
      deadline?.cancel();
      unsubscribe();
      stopListening();
      done();
      withdrawal.abort(reason);
    };
    const expire = (): void =>
      settle(
        () => resolve({ kind: 'timeout' }),
        new KernelError('E_APPROVAL_EXPIRED', 'No decision within the time limit'),
      );
    const deadline = limitMs === undefined ? undefined : runtime.deadlines.set(limitMs, expire);
    const settleIfGranted = (): void => {
      if (isGranted?.() !== true) return;
      const reason = new KernelError('E_APPROVAL_DECIDED', 'An approval for the whole run covers this call');
      settle(() => resolve({ kind: 'granted' }), reason);
    };
    const stopListening = isGranted === undefined ? (): void => {} : session.grants.onAdd(() => settleIfGranted());
    const unsubscribe = cancellation.onCancel(() => {
      const { error } = cancellation;
      // A run that is suspended makes its calls again, and their requests stay open. A call that is running is not made again.
      const isRunning = request.elicitation !== undefined;
      settle(() => reject(error), isRunning ? new KernelError('E_CANCELLED', 'The call that asked has ended') : error);
    });
    // In a promise chain, so that a handler that throws synchronously is caught like any other.
    Promise.resolve()
      .then(() => handler.request(request, { signal: withdrawal.signal, ...asked, ...writer }))
      .then(
        (answer: unknown) => settle(() => resolve({ kind: 'answered', answer })),
        (error: unknown) => settle(() => resolve({ kind: 'failed', error })),
      );
  });
}
