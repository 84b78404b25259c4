import { isKernelError } from '@ravi/kernel';
import { errorText } from '@ravi/support';
import { stopWithError } from '../error-results.ts';
import type { GateOutcome, PendingCall } from '../pending-call.ts';
import type { CallSpender } from '../runtime.ts';

/** Takes the call from the budgets that it shares with other runs. A call that another gate refuses is not counted. */
export function spendGate(pending: PendingCall): GateOutcome | Promise<GateOutcome> {
  // An earlier attempt was counted, and so was a call whose run continues here.
  const { earlierResult, isCounted, session, callId } = pending;
  if (earlierResult !== undefined || isCounted || session.countedCalls.has(callId)) return pending;
  const counting = countCall(pending);
  return counting === undefined ? pending : outcomeOf(pending, counting);
}

/** Returns the owner of a call, for budgets. */
export function spenderOf({ session, scope: { runId } }: PendingCall): CallSpender {
  const { principal, agent } = session;
  return agent === undefined ? { runId, principal } : { runId, principal, agent };
}

function countCall(pending: PendingCall): Promise<string | undefined> | undefined {
  try {
    return pending.runtime.spending?.call(spenderOf(pending));
  } catch (error) {
    return Promise.reject(error);
  }
}

async function outcomeOf(pending: PendingCall, counting: Promise<string | undefined>): Promise<GateOutcome> {
  try {
    const refusal = await counting;
    return refusal === undefined ? pending : stopWithError('E_BUDGET_EXHAUSTED', refusal);
  } catch (error) {
    pending.runtime.logger.error('a call could not be counted', { tool: pending.name, error: errorText(error) });
    const retryable = isKernelError(error, 'E_STATE_UNAVAILABLE');
    const message = `The call of ${pending.name} could not be counted in its budgets, so it was not started`;
    return stopWithError(retryable ? 'E_STATE_UNAVAILABLE' : 'E_INTERNAL', message, { retryable });
  }
}
