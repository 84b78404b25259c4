import type { ToolExecutionContext } from '@mastra/core/tools';
import type { FrameworkRun } from '@ravi/gateway-kit';
import { findSuspension } from './suspension.ts';
import type { ApprovalSuspension } from './suspension.ts';

/** Context of a call, as Mastra passes it to a tool. */
export type CallContext = ToolExecutionContext & { readonly runId?: string };

/** Agent, workflow or script of Mastra that makes a call, as far as the call needs it. */
export interface CallPlace {
  readonly callId: string;
  /** True if a model reads the result. */
  readonly isOfAgent: boolean;
  readonly resumeData: unknown;
  readonly signal: AbortSignal | undefined;
  /** Absent where Mastra cannot suspend, such as in its code mode. */
  readonly suspend: ((payload: ApprovalSuspension) => Promise<unknown>) | undefined;
}

/** Reads the place of a call. */
export function placeOf({ agent, workflow, suspend, resumeData, suspendPayload, abortSignal }: CallContext): CallPlace {
  const own = agent ?? workflow ?? { suspend, resumeData, suspendPayload };
  return {
    callId: agent?.toolCallId ?? findSuspension(own.suspendPayload)?.callId ?? crypto.randomUUID(),
    isOfAgent: agent !== undefined,
    resumeData: own.resumeData,
    signal: abortSignal,
    suspend: own.suspend,
  };
}

/** Returns the run of a call: that of the agent or the workflow. A call without one is a run of its own. */
export function runOf({ runId, agent, workflow }: CallContext): FrameworkRun {
  const id = runId ?? workflow?.runId ?? crypto.randomUUID();
  return { runId: id, ...(agent?.threadId === undefined ? {} : { sessionId: agent.threadId }) };
}
