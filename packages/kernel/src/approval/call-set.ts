import { isToolRisk } from '../tool/risk.ts';
import type { ToolRisk } from '../tool/risk.ts';
import type { ApprovalRequest } from './approval.ts';

/** Name of the tool with which a script asks for the approval of several calls at once. */
export const approveCallsTool = 'approve_calls';

/** A call that an approval lets run. */
export interface RequestedCall {
  readonly tool: string;
  readonly risk: ToolRisk;
}

/**
 * Returns the calls that an approval of this request lets run: its own, and those that it names if it is one for several calls. A handler that
 * decides by the name of the tool must agree with each of them. `undefined` if the request does not say which calls they are.
 */
export function requestedCalls({
  tool,
  risk,
  args,
}: Pick<ApprovalRequest, 'tool' | 'risk' | 'args'>): readonly RequestedCall[] | undefined {
  if (tool !== approveCallsTool) return [{ tool, risk }];
  const { calls } = args;
  return Array.isArray(calls) && calls.every(isRequestedCall) ? [{ tool, risk }, ...calls] : undefined;
}

function isRequestedCall(value: unknown): value is RequestedCall {
  if (typeof value !== 'object' || value === null) return false;
  const { tool, risk } = value as Partial<RequestedCall>;
  return typeof tool === 'string' && isToolRisk(risk);
}
