import { isProviderDefinedTool, KernelError } from '@ravi/kernel';
import type { Tool, ToolExecutionResult } from '@ravi/kernel';
import { CallContext } from './call-context.ts';
import type { PendingCall } from './pending-call.ts';

/** How an execution ended. */
export type Execution =
  | { readonly kind: 'returned'; readonly result: ToolExecutionResult }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'timeout'; readonly limitMs: number };

/**
 * Step 8: runs the tool under `callTimeoutMs`, with a signal that it sees. An answer after the time-out or the
 * cancellation is dropped and marked as late.
 * @throws KernelError `E_CANCELLED`
 */
export function execute(pending: PendingCall): Promise<Execution> {
  const context = new CallContext(pending);
  const { cancellation, runtime } = pending;
  return new Promise<Execution>((resolve, reject) => {
    let isSettled = false;
    const settle = (): boolean => {
      if (isSettled) {
        markLate(pending);
        return false;
      }
      isSettled = true;
      deadline?.cancel();
      forget();
      return true;
    };
    const cancel = (): void => {
      settle();
      context.end(cancellation.error);
      reject(cancellation.error);
    };
    const limitMs = timeLimitOf(pending);
    const deadline =
      limitMs === undefined
        ? undefined
        : runtime.deadlines.set(limitMs, () => {
            settle();
            context.end(new KernelError('E_CALL_TIMEOUT', `The call took longer than ${limitMs} ms`));
            resolve({ kind: 'timeout', limitMs });
          });
    const forget = cancellation.onCancel(cancel);
    start(pending, context).then(
      (result) => settle() && resolve({ kind: 'returned', result }),
      (error: unknown) => settle() && resolve({ kind: 'threw', error }),
    );
  });
}

function start(pending: PendingCall, context: CallContext): Promise<ToolExecutionResult> {
  const { around } = pending.runtime;
  try {
    return around === undefined ? callTool(pending, context) : around(pending.scope, () => callTool(pending, context));
  } catch (error) {
    return Promise.reject(error);
  }
}

function callTool(
  { tool, args, callId, providerType }: PendingCall,
  context: CallContext,
): Promise<ToolExecutionResult> {
  if (!isProviderDefinedTool(tool)) return Promise.resolve((tool as Tool).execute(args, context));
  const type = providerType ?? tool.callTypes[0] ?? tool.name;
  return Promise.resolve(tool.handleCall({ id: callId, type, payload: args }, context));
}

function timeLimitOf(pending: PendingCall): number | undefined {
  return 'timeLimit' in pending.tool && pending.tool.timeLimit === 'own'
    ? undefined
    : pending.session.policy.callTimeoutMs;
}

function markLate(pending: PendingCall): void {
  if (pending.isLate) return;
  pending.isLate = true;
  pending.runtime.logger.warn('late answer of a tool was dropped', { tool: pending.name, callId: pending.callId });
}
