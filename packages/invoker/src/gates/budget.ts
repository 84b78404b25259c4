import type { GateOutcome, PendingCall } from '../pending-call.ts';
import { errorResult } from '../error-results.ts';

/** Takes one call from the budget of the session, for every attempt; the check and the count are one synchronous step. */
export function budgetGate(pending: PendingCall): GateOutcome {
  if (pending.session.countCall()) return pending;
  const { callLimit, policy } = pending.session;
  const limit = policy[callLimit];
  if (pending.runtime.hooks.observes('budget-exceeded')) {
    pending.runtime.hooks.emit({ type: 'budget-exceeded', ...pending.scope, tool: pending.name, limit });
  }
  return { stop: errorResult('E_BUDGET_EXHAUSTED', `The budget of ${limit} tool calls (${callLimit}) is used up`) };
}
