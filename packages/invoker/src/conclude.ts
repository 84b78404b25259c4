import { isKernelError } from '@ravi/kernel';
import type { InvocationResult } from '@ravi/kernel';
import { errorText } from '@ravi/support';
import { finishCall } from './call-events.ts';
import type { PendingCall } from './pending-call.ts';
import { shape } from './result/shape.ts';
import type { Shaped } from './result/shape.ts';
import { readExecution } from './result/tool-result.ts';
import type { Execution } from './result/tool-result.ts';
import { errorResult } from './results.ts';
import type { GateStop } from './results.ts';

/** How a call ended: a gate stopped it, or its tool was executed. */
export type Ending = GateStop | Execution;

/** Makes the result of the call of how it ended, and lets it go. At once when there is nothing to wait for. */
export function conclude(pending: PendingCall, ending: Ending): InvocationResult | Promise<InvocationResult> {
  try {
    const result = finish(pending, ending);
    if (result instanceof Promise) return awaitResult(pending, result);
    pending.leave();
    return result;
  } catch (error) {
    return fail(pending, error);
  }
}

/** The result of a call that could not come to its end. @throws KernelError `E_CANCELLED` when it was cancelled */
export async function fail(pending: PendingCall, error: unknown): Promise<InvocationResult> {
  try {
    if (isKernelError(error, 'E_CANCELLED') && pending.cancellation.isCancelled) {
      await finishCall(pending, { status: 'cancelled', result: errorResult(error.code, error.message) });
      throw error;
    }
    pending.runtime.logger.error('the invoker itself failed', { tool: pending.name, error: errorText(error) });
    const result = errorResult('E_INTERNAL', `The call of ${pending.name} failed inside the runtime`);
    return await finishCall(pending, { status: 'error', result });
  } finally {
    pending.leave();
  }
}

async function awaitResult(pending: PendingCall, result: Promise<InvocationResult>): Promise<InvocationResult> {
  try {
    return await result;
  } catch (error) {
    return await fail(pending, error);
  } finally {
    pending.leave();
  }
}

function finish(pending: PendingCall, ending: Ending): InvocationResult | Promise<InvocationResult> {
  if ('stop' in ending) return finishCall(pending, { status: ending.stop.status, result: ending.stop });
  if (ending.kind === 'timeout') {
    const message = `The tool ${pending.name} took longer than ${ending.limitMs} ms (callTimeoutMs)`;
    const result = errorResult('E_CALL_TIMEOUT', message, { retryable: true });
    return finishCall(pending, { status: 'timeout', result });
  }
  const shaping = shape(pending, readExecution(pending, ending)); // 10
  return shaping instanceof Promise
    ? shaping.then((shaped) => finishShaped(pending, shaped))
    : finishShaped(pending, shaping);
}

function finishShaped(pending: PendingCall, { result, bytes }: Shaped): InvocationResult | Promise<InvocationResult> {
  return finishCall(pending, { status: result.status, result, bytes });
}
