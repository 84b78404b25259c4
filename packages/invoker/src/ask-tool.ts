import { KernelError } from '@ravi/kernel';
import type { ReconcileContext } from '@ravi/kernel';
import type { PendingCall } from './pending-call.ts';

/**
 * Lets a tool answer a question about a call that is not running, with a signal that it can observe. `method` names the question in messages.
 * @throws KernelError `E_CALL_TIMEOUT` when `callTimeoutMs` has passed, `E_CANCELLED`; otherwise the exception of the tool
 */
export async function askTool<Answer>(
  pending: PendingCall,
  method: string,
  ask: (context: ReconcileContext) => Promise<Answer> | Answer,
): Promise<Answer> {
  const { session, runtime, cancellation, callId } = pending;
  cancellation.check();
  const controller = new AbortController();
  const ended = Promise.withResolvers<never>();
  const end = (error: KernelError): void => {
    controller.abort(error);
    ended.reject(error);
  };
  const limitMs = session.policy.callTimeoutMs;
  const late = (): void => end(new KernelError('E_CALL_TIMEOUT', `${method} took longer than ${limitMs} ms`));
  const deadline = runtime.deadlines.set(limitMs, late);
  const unsubscribe = cancellation.onCancel(() => end(cancellation.error));
  const context: ReconcileContext = {
    runId: session.reportedRunId,
    sessionId: session.sessionId,
    principal: session.principal,
    cwd: session.cwd,
    callId,
    signal: controller.signal,
    log: runtime.logger,
    clock: runtime.clock,
  };
  try {
    const asked = Promise.resolve(context).then(ask);
    return await Promise.race([asked, ended.promise]);
  } finally {
    deadline.cancel();
    unsubscribe();
  }
}
