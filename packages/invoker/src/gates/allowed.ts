import { isLocalTool } from '@ravi/kernel';
import type { GateOutcome, PendingCall } from '../pending-call.ts';
import { stopDenied } from '../error-results.ts';

/** Checks the tool role of the caller, the allow-lists of the session (request, agent, active skills) and the tool's own `allowedCallers`. */
export function allowedGate(pending: PendingCall): GateOutcome {
  const { tool, caller, session, runtime } = pending;
  // A question of the runtime itself: no list of tools names it.
  if (runtime.asksItself === true) return pending;
  // It was allowed when it began. It only waits for the result of that work, and never runs again.
  if (pending.interrupted?.completion !== undefined) return pending;
  if (!session.toolsEnabled) return stopDenied('E_TOOLS_DISABLED', 'Tools are disabled in this session');
  if (!session.callerFilters.has(pending.name)) {
    const { name } = pending;
    if (session.callerFilters.isDisabled(name)) {
      return stopDenied('E_TOOLS_DISABLED', `The operator has disabled the tool ${name}`);
    }
    return stopDenied(
      'E_TOOL_NOT_ALLOWED',
      `The tool ${name} may not be called: the operator did not grant it to this caller`,
    );
  }
  if (!session.allows(pending.name)) {
    return stopDenied('E_TOOL_NOT_ALLOWED', `The tool ${pending.name} is not allowed in this session`);
  }
  if (isLocalTool(tool) && tool.allowedCallers?.includes(caller) === false) {
    const who = caller === 'chain' ? 'from a script' : 'directly';
    return stopDenied('E_TOOL_NOT_ALLOWED', `The tool ${pending.name} may not be called ${who}`);
  }
  return pending;
}
