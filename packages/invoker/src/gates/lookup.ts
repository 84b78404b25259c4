import { isKernelError } from '@ravi/kernel';
import type { AnyTool } from '@ravi/kernel';
import { nearNames } from '@ravi/support';
import type { GateOutcome, PendingCall } from '../pending-call.ts';
import { stopInvalidTool, stopWithError } from '../error-results.ts';
import { freezeForeignTool } from '../toolbox/freeze-tool.ts';

/** Finds the tool by name; the refusal of a name says why the tool is absent, or suggests similar names. */
export function lookupGate(pending: PendingCall): GateOutcome {
  const { registry } = pending.runtime;
  const tool = registry.get(pending.name);
  if (tool === undefined) {
    const absence = pending.session.allows(pending.name) ? registry.absenceOf?.(pending.name) : undefined;
    if (absence !== undefined) return stopWithError('E_TOOL_ABSENT', `${pending.name} is absent: ${absence}`);
    // Do not reveal the names of tools that the session may not call.
    const callable = registry.names().filter((name) => pending.session.allows(name));
    const near = nearNames(pending.name, callable);
    const hint = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
    return stopWithError(
      'E_TOOL_UNKNOWN',
      `There is no tool named ${JSON.stringify(pending.name.slice(0, 128))}.${hint}`,
    );
  }
  return take(pending, tool);
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
