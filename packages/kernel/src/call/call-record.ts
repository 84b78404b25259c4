import type { ToolCaller } from '../tool/tool.ts';

/** Trace entry for the approval step of one call. */
export interface ApprovalTrace {
  readonly requestId: string;
  readonly decision: 'approved' | 'denied' | 'skipped' | 'modified' | 'timeout' | 'no-handler' | 'run-scope';
  readonly approver?: string;
  readonly reason?: string;
  /** Milliseconds until the decision. */
  readonly waitedMs: number;
  /** Present if the approver changed the arguments. */
  readonly edit?: ApprovalEdit;
}

/** Change of arguments by an approver. The values are not kept, because they may be secrets. */
export interface ApprovalEdit {
  /** Keyed digest of the requested arguments; the one of the executed arguments is `argsDigest` of the call. */
  readonly before: string;
  readonly after: string;
  /** JSON pointers of the fields that differ, at most 50. */
  readonly changed: readonly string[];
}

/** Status of a call that has ended. */
export type CallStatus = 'ok' | 'error' | 'denied' | 'timeout' | 'cancelled';

/** One attempt of a call whose tool was executed more than once. */
export interface CallAttempt {
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** Absent if the attempt succeeded. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** One call in the trace of a session. Each call has exactly one finished record, however it ended. */
export interface ChainCallRecord {
  readonly callId: string;
  readonly tool: string;
  readonly caller: ToolCaller;
  /** Keyed digest of the canonical arguments that were executed, `hmac-sha256:<hex>`. Refs are replaced by their content. */
  readonly argsDigest: string;
  /** The arguments for display, redacted and shortened. */
  readonly argsPreview: string;
  readonly status: 'started' | 'unknown' | CallStatus;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly errorCode?: string;
  readonly approval?: ApprovalTrace;
  readonly artifactRef?: string;
  /** Size of the result in bytes. */
  readonly bytes?: number;
  /** True if the tool returned after its time-out or cancellation. Its result was dropped. */
  readonly late?: boolean;
  /** Present if the call was repeated: every attempt, the last one included. They count as one call. */
  readonly attempts?: readonly CallAttempt[];
}

/** True for a call itself and for each call inside it, whose ids begin with its id and a dot. */
export function isCallWithin(callId: string, { id }: { readonly id: string }): boolean {
  return callId === id || callId.startsWith(`${id}.`);
}
