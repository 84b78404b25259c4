import type { JsonObject } from './json.ts';
import type { Principal } from './run-context.ts';
import type { ToolRisk } from './risk.ts';

/** A question to a human (or a rule): may this call run? Immutable and JSON-serialisable. */
export interface ApprovalRequest {
  readonly id: string;
  readonly runId: string;
  readonly sessionId: string;
  readonly callId: string;
  readonly principal: Principal;
  readonly tool: string;
  readonly description: string;
  readonly risk: ToolRisk;
  /** What the call would do, in the tool's own words. */
  readonly summary?: string;
  /** The arguments, redacted for display. */
  readonly args: JsonObject;
  /** The digest of the exact arguments that the decision is bound to. */
  readonly argsDigest: string;
  /** SHA-256 of the tool's definition; a decision for another definition does not count. */
  readonly toolDigest: string;
  /** Milliseconds since the Unix epoch. */
  readonly requestedAt: number;
  /** Milliseconds since the Unix epoch; an answer after it counts as none. */
  readonly expiresAt: number;
}

/** `skipped` counts as denied; `modified` approves other arguments, which are validated and judged again. */
export type ApprovalDecision = 'approved' | 'denied' | 'skipped' | 'modified';

/** The answer to an {@link ApprovalRequest}. */
export interface ApprovalResult {
  readonly decision: ApprovalDecision;
  /** The arguments to run with instead; required for `modified`. */
  readonly modifiedArgs?: JsonObject;
  /** Reaches the model, so that it can do better. */
  readonly reason?: string;
  /** Who decided. */
  readonly approver?: string;
  /**
   * `once` (default): this call alone. `run`: also later calls of the same tool, definition and principal in the
   * same run whose risk is not higher; `critical` is asked every time.
   */
  readonly scope?: 'once' | 'run';
}

/** Asks somebody. The invoker bounds the wait, so a handler may simply wait for its human. */
export interface ApprovalHandler {
  /** Resolves with the decision; when `signal` aborts nobody waits for the answer any more and the question should be withdrawn. */
  request(request: ApprovalRequest, options: { readonly signal: AbortSignal }): Promise<ApprovalResult>;
}
