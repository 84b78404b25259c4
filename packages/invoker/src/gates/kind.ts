import { isCallableFromChain, isHostedTool, isProviderDefinedTool } from '@ravi/kernel';
import type { ProviderDefinedTool } from '@ravi/kernel';
import type { GateOutcome, PendingCall } from '../pending-call.ts';
import { stopWithError } from '../error-results.ts';
import type { GateStop } from '../error-results.ts';

/** Checks the kind of the tool: scripts may call local tools except `tool_chain`, the model also provider-defined tools. */
export function kindGate(pending: PendingCall): GateOutcome {
  const { tool, caller } = pending;
  if (isProviderDefinedTool(tool)) return providerDefined(pending, tool);
  if (isHostedTool(tool)) return refuse(pending, 'is run by the model provider and cannot be called here');
  if (caller === 'chain' && !isCallableFromChain(tool)) return refuse(pending, 'cannot be called from a script');
  return pending;
}

function providerDefined(pending: PendingCall, tool: ProviderDefinedTool): GateOutcome {
  const { caller, providerType } = pending;
  if (caller !== 'direct') return refuse(pending, 'is called by its provider only');
  if (providerType !== undefined && !tool.callTypes.includes(providerType)) {
    return refuse(pending, `takes no calls of type ${JSON.stringify(providerType.slice(0, 128))}`);
  }
  return pending;
}

function refuse(pending: PendingCall, why: string): GateStop {
  return stopWithError('E_TOOL_NOT_CALLABLE', `The tool ${pending.name} ${why}`);
}
