import type { CanUseTool, PermissionResult } from '@anthropic-ai/claude-agent-sdk';
import type { GatewayDecision } from '@ravi/gateway-kit';
import type { ApprovalRequest, JsonObject } from '@ravi/kernel';

/** Call in whose name a person is asked. */
export interface AskingCall {
  readonly toolUseId: string;
  readonly agentId: string | undefined;
  readonly signal: AbortSignal;
}

/** Asks the person of a query for a decision. Never rejects: anything but a decision denies. */
export type Person = (request: ApprovalRequest, call: AskingCall) => Promise<GatewayDecision>;

/** Creates a {@link Person} that is asked by `canUseTool`. */
export function createPerson(canUseTool: CanUseTool | undefined, server: string): Person {
  return async (request, { toolUseId: toolUseID, agentId, signal }) => {
    const { id: requestId, tool, args, risk, summary, description } = request;
    const deny = (reason: string): GatewayDecision => ({ requestId, decision: 'denied', reason });
    if (canUseTool === undefined) return deny('There is no person to ask: the query has no canUseTool');
    const input = structuredClone(args) as Record<string, unknown>;
    try {
      const result: unknown = await canUseTool(`mcp__${server}__${tool}`, input, {
        signal,
        toolUseID,
        requestId,
        ...(agentId === undefined ? {} : { agentID: agentId }),
        title: summary ?? `${tool} needs approval`,
        displayName: tool,
        description,
        decisionReason: `Its risk is ${risk}`,
        mcpServer: { name: server, source: 'sdk' },
        defaultToNo: true,
        // An approval counts once; rules of Claude Code do not reach the gate.
        suppressAlwaysAllowRule: true,
      });
      return readResult(result, request) ?? deny('The person made no valid decision');
    } catch (error) {
      return deny(`The person could not be asked: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
}

function readResult(result: unknown, { id: requestId, args }: ApprovalRequest): GatewayDecision | undefined {
  const { behavior, ...rest } = (result ?? {}) as Partial<PermissionResult>;
  if (behavior === 'deny') {
    const { message } = rest as { readonly message?: unknown };
    return { requestId, decision: 'denied', ...(typeof message === 'string' ? { reason: message } : {}) };
  }
  if (behavior !== 'allow') return undefined;
  const { updatedInput } = rest as { readonly updatedInput?: JsonObject };
  if (updatedInput === undefined || isEqual(updatedInput, args)) return { requestId, decision: 'approved' };
  return { requestId, decision: 'modified', modifiedArgs: updatedInput };
}

// Claude Code's own examples return the input as it is.
function isEqual(left: unknown, right: JsonObject): boolean {
  return sorted(left) === sorted(right);
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
