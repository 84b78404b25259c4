import { KernelError } from '@ravi/kernel';
import type { ToolContext } from '@ravi/kernel';

/** Part of a {@link ToolContext} that differs from call to call. */
export type CallView = Pick<ToolContext, 'callId' | 'idempotencyKey' | 'progress' | 'reportsProgress' | 'signal'>;

/** Properties of a context that change when several calls share it. */
export interface SharedView {
  /** The current call, or the last one. */
  readonly call: CallView;
  /** Aborted when no call can follow. */
  readonly signal: AbortSignal;
}

/** Returns a copy of the parts that belong to the call: {@link shareContext} may change the context afterwards. */
export function callViewOf({ callId, idempotencyKey, progress, reportsProgress, signal }: ToolContext): CallView {
  return { callId, idempotencyKey, progress, reportsProgress, signal };
}

/**
 * Turns the context of the first call into the context of all calls. The object is changed and not copied, because the
 * invoker finds the session of nested sessions by its identity.
 */
export function shareContext(context: ToolContext, view: SharedView): ToolContext {
  const { signal } = view;
  return Object.defineProperties(context, {
    callId: { get: () => view.call.callId },
    idempotencyKey: { get: () => view.call.idempotencyKey },
    reportsProgress: { get: () => view.call.reportsProgress },
    signal: { value: signal },
    // Functions that do not use `this`, so that a tool may destructure the context.
    progress: { value: ((update) => view.call.progress(update)) satisfies ToolContext['progress'] },
    check: { value: () => checkSignal(signal) },
  });
}

function checkSignal({ aborted, reason }: AbortSignal): void {
  if (aborted) throw new KernelError('E_CANCELLED', (reason as Error).message, { cause: reason });
}
