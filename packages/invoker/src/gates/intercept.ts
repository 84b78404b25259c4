import type { GateOutcome, PendingCall } from '../pending-call.ts';
import { stopDenied } from '../error-results.ts';
import { unreadable } from './arguments.ts';

/** Lets interceptors deny the call or change its arguments; changed arguments are read and validated like the original ones. */
export function interceptGate(pending: PendingCall): GateOutcome | Promise<GateOutcome> {
  const stop = unreadable(pending, pending.readOwnArguments());
  if (stop !== undefined) return stop;
  return pending.runtime.hooks.intercepts ? askInterceptors(pending) : pending;
}

async function askInterceptors(pending: PendingCall): Promise<GateOutcome> {
  const { scope, name, caller, args } = pending;
  const decision = await pending.runtime.hooks.decide({ ...scope, tool: name, caller, args });
  if (decision.action === 'deny') return stopDenied('E_TOOL_NOT_ALLOWED', `The call was denied: ${decision.reason}`);
  if (decision.action === 'modify') return unreadable(pending, pending.readArguments(decision.args)) ?? pending;
  return pending;
}
