import { isLocalTool } from '@ravi/kernel';
import type { GateOutcome, PendingCall } from '../pending-call.ts';
import { stopDenied } from '../error-results.ts';
import type { GateStop } from '../error-results.ts';

/** Checks the tool role of the caller, the allow-lists of the session (request, agent, active skills) and the tool's own `allowedCallers`. */
export function allowedGate(pending: PendingCall): GateOutcome {
  const { tool, caller, session } = pending;
  if (isBeyondLists(pending)) return pending;
  if (!session.toolsEnabled) return stopDenied('E_TOOLS_DISABLED', 'Tools are disabled in this session');
  const refusal = callerRefusal(pending);
  if (refusal !== undefined) return refusal;
  if (!session.allows(pending.name)) {
    return stopDenied('E_TOOL_NOT_ALLOWED', `The tool ${pending.name} is not allowed in this session`);
  }
  if (isLocalTool(tool) && tool.allowedCallers?.includes(caller) === false) {
    const who = caller === 'chain' ? 'from a script' : 'directly';
    return stopDenied('E_TOOL_NOT_ALLOWED', `The tool ${pending.name} may not be called ${who}`);
  }
  return pending;
}

/** Returns why the rules of the operator do not give the tool to the caller; `undefined` if they do. */
export function callerRefusal(pending: PendingCall): GateStop | undefined {
  const { name, session } = pending;
  if (isBeyondLists(pending) || session.callerFilters.has(name)) return undefined;
  return session.callerFilters.isDisabled(name)
    ? stopDenied('E_TOOLS_DISABLED', `The operator has disabled the tool ${name}`)
    : stopDenied(
        'E_TOOL_NOT_ALLOWED',
        `The tool ${name} may not be called: the operator did not grant it to this caller`,
      );
}

// A question of the runtime itself: no list of tools names it. Or a call that was allowed when it began, only waits for the result of
// that work, and never runs again.
function isBeyondLists({ runtime, interrupted }: PendingCall): boolean {
  return runtime.asksItself === true || interrupted?.completion !== undefined;
}
