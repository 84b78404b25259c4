import type { ApprovalRequest, JsonObject } from '@ravi/kernel';

/** One call that waits for a decision. */
export interface SuspendedRequest {
  readonly requestId: string;
  /** Tool that waits; inside a script it is the tool that the script calls. */
  readonly tool: string;
  readonly args: JsonObject;
  /** Effect of the call, or what the tool is for. */
  readonly description: string;
  readonly risk: ApprovalRequest['risk'];
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

/** Payload of a suspended tool: the calls that wait for people. */
export interface ApprovalSuspension {
  readonly source: 'ravi';
  /** Call of Mastra that is suspended. A step of a workflow has no id of its own. */
  readonly callId: string;
  readonly requests: readonly SuspendedRequest[];
}

/**
 * JSON Schema of {@link ApprovalSuspension}. A tool that declares one makes Mastra run the calls of a response one after the other;
 * `generate` cannot resume one of several calls that are suspended at the same time.
 */
export const suspendSchema = {
  type: 'object',
  properties: {
    source: { const: 'ravi' },
    callId: { type: 'string' },
    requests: { type: 'array', items: { type: 'object' } },
  },
  required: ['source', 'callId', 'requests'],
} as const;

/** Returns the payload for these requests. */
export function suspensionOf(callId: string, requests: readonly ApprovalRequest[]): ApprovalSuspension {
  return {
    source: 'ravi',
    callId,
    requests: requests.map(({ id, tool, args, description, summary, risk, expiresAt }) => ({
      requestId: id,
      tool,
      args,
      description: summary ?? description,
      risk,
      expiresAt,
    })),
  };
}

/**
 * Finds the {@link ApprovalSuspension} in a payload of Mastra, also in those that supervisor agents and workflows wrap around it.
 * `undefined` if another tool has suspended.
 */
export function findSuspension(payload: unknown): ApprovalSuspension | undefined {
  if (isSuspension(payload)) return payload;
  if (typeof payload !== 'object' || payload === null || !('suspendPayload' in payload)) return undefined;
  return findSuspension(payload.suspendPayload);
}

function isSuspension(payload: unknown): payload is ApprovalSuspension {
  if (typeof payload !== 'object' || payload === null) return false;
  const { source, callId, requests } = payload as Partial<ApprovalSuspension>;
  return source === 'ravi' && typeof callId === 'string' && Array.isArray(requests);
}
