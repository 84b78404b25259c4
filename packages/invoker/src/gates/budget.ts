import type { GateOutcome, PendingCall } from '../pending-call.ts';
import { errorResult } from '../error-results.ts';

/** Gate 1: every attempt takes one call from the session's budget, checked and counted in one synchronous step. */
export function budgetGate(pending: PendingCall): GateOutcome {
  if (pending.session.countCall()) return pending;
  const limit = pending.session.policy.maxToolCalls;
  if (pending.runtime.hooks.observes('budget-exceeded')) {
    pending.runtime.hooks.emit('budget-exceeded', { ...pending.scope, tool: pending.name, limit });
  }
  return { stop: errorResult('E_BUDGET_EXHAUSTED', `The budget of ${limit} tool calls (maxToolCalls) is used up`) };
}
