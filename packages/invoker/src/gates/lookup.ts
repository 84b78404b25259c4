import { isKernelError } from '@ravi/kernel';
import type { AnyTool } from '@ravi/kernel';
import { nearNames } from '@ravi/support';
import type { GateOutcome, PendingCall } from '../pending-call.ts';
import { stopInvalidTool, stopWithError } from '../error-results.ts';
import type { GateStop } from '../error-results.ts';
import { isNamedIn } from '../scope/tool-rules.ts';
import { freezeForeignTool } from '../toolbox/freeze-tool.ts';
import { callerRefusal } from './allowed.ts';

/**
 * Finds the tool by name; the refusal of a name says why the tool is absent, or suggests similar names. A caller that may not see a tool
 * gets the answer for a tool that does not exist; only operators learn the difference.
 */
export function lookupGate(pending: PendingCall): GateOutcome {
  const { registry } = pending.runtime;
  const tool = registry.get(pending.name);
  if (tool === undefined) {
    const absence = pending.session.allows(pending.name) ? registry.absenceOf?.(pending.name) : undefined;
    if (absence !== undefined) return stopWithError('E_TOOL_ABSENT', `${pending.name} is absent: ${absence}`);
    return stopUnknownName(pending);
  }
  const refusal = callerRefusal(pending);
  if (refusal !== undefined && !isNamedByAgent(pending)) return { ...stopUnknownName(pending), cause: refusal.stop };
  return take(pending, tool);
}

function stopUnknownName({ name, session, runtime }: PendingCall): GateStop {
  // Do not reveal the names of tools that the session may not call.
  const callable = runtime.registry.names().filter((each) => session.allows(each));
  const near = nearNames(name, callable);
  const hint = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
  return stopWithError('E_TOOL_UNKNOWN', `There is no tool named ${JSON.stringify(name.slice(0, 128))}.${hint}`);
}

// The operator gave the name to the agent and everyone who may use it, so the agent can say what is wrong. A pattern with `*` gives no name.
function isNamedByAgent({ name, session, runtime }: PendingCall): boolean {
  return session.agentAllowLists.some((list) => isNamedIn(list, name, runtime.registry));
}

// A third-party registry may return mutable objects of unknown origin; those of a Toolbox are already frozen.
function take(pending: PendingCall, tool: AnyTool): GateOutcome {
  try {
    pending.tool = freezeForeignTool(tool);
    return pending;
  } catch (error) {
    if (!isKernelError(error, 'E_TOOL_INVALID')) throw error;
    return stopInvalidTool(pending.name, error);
  }
}
