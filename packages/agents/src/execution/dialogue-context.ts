import { KernelError } from '@ravi/kernel';
import type { ToolContext } from '@ravi/kernel';

/** What a tool sees of the call that it works for. */
export type CallView = Pick<ToolContext, 'callId' | 'idempotencyKey' | 'progress' | 'signal'>;

/** What of a context changes once several calls share it. */
export interface SharedView {
  /** The call that is worked on, or was last. */
  readonly call: CallView;
  /** Aborted when nobody will go on any more. */
  readonly signal: AbortSignal;
}

/** What is the call's own, as it is now: {@link shareContext} may change the context afterwards. */
export function callViewOf({ callId, idempotencyKey, progress, signal }: ToolContext): CallView {
  return { callId, idempotencyKey, progress, signal };
}

/**
 * Makes the context of one call that of all calls of a dialogue. The object stays the one that the invoker made, since
 * by it the session is known to whoever opens another one inside of it.
 */
export function shareContext(context: ToolContext, view: SharedView): ToolContext {
  const { signal } = view;
  return Object.defineProperties(context, {
    callId: { get: () => view.call.callId },
    idempotencyKey: { get: () => view.call.idempotencyKey },
    signal: { value: signal },
    // Functions of their own, so that a tool may take them out of the context.
    progress: { value: ((update) => view.call.progress(update)) satisfies ToolContext['progress'] },
    check: { value: () => checkSignal(signal) },
  });
}

function checkSignal({ aborted, reason }: AbortSignal): void {
  if (aborted) throw new KernelError('E_CANCELLED', (reason as Error).message, { cause: reason });
}
