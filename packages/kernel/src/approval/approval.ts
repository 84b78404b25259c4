import type { BlobStat } from '../blob/blob-store.ts';
import type { JsonObject } from '../base/json.ts';
import type { Principal, RunWriter } from '../base/run-context.ts';
import type { ElicitationRequest } from '../tool/elicitation.ts';
import type { ToolRisk } from '../tool/risk.ts';

/** Beginning of the ids of requests with a `completion`. */
export const completionPrefix = 'completion_';

/** Request for permission to run one call, decided by a person or a rule. Immutable and JSON-serialisable. */
export interface ApprovalRequest {
  readonly id: string;
  readonly runId: string;
  /**
   * Run that `runId` is part of, for the script of a call: the run that makes this call. Absent for any other run. An approval
   * for the whole run covers the calls of both.
   */
  readonly partOfRunId?: string;
  readonly sessionId: string;
  readonly callId: string;
  readonly principal: Principal;
  /** Name of the agent that makes the call, itself or in a script; absent without an agent. */
  readonly agent?: string;
  readonly tool: string;
  readonly description: string;
  readonly risk: ToolRisk;
  /** The effect of the call, in the tool's own words. */
  readonly summary?: string;
  /** The arguments that will run. Secrets in strings are replaced by `[redacted]`; every other value is as it is. */
  readonly args: JsonObject;
  /** JSON pointers of the strings in `args` in which a secret is hidden. */
  readonly hidden?: readonly string[];
  /** The digest of the exact arguments that the decision is bound to. */
  readonly argsDigest: string;
  /** SHA-256 of the tool's definition; a decision for another definition does not count. */
  readonly toolDigest: string;
  /** Milliseconds since the Unix epoch. */
  readonly requestedAt: number;
  /** Milliseconds since the Unix epoch; see `onExpiry`. */
  readonly expiresAt: number;
  /** Default `deny`. */
  readonly onExpiry?: ExpiryPolicy;
  /**
   * Input that the running call asks for. Such a request does not ask for permission: `approved` answers it, with the `content` of
   * the decision if it is a form, and `denied` declines it.
   */
  readonly elicitation?: ElicitationRequest;
  /**
   * Present if the running call waits for its result from outside instead of a decision. No person decides such a request: `approved`
   * delivers `{ result }` or `{ error }` as the `content` of the decision. `digest` is the SHA-256 of the token, in hexadecimal. The id of
   * the request begins with {@link completionPrefix}, and that of no other request does.
   */
  readonly completion?: { readonly digest: string };
}

/**
 * Policy for a request without a decision at its `expiresAt`. `deny`: its call ends with `E_APPROVAL_EXPIRED`, and a
 * decision made at or after that moment is refused. `park`: the request stays open and its run paused until a person decides or
 * cancels the run.
 */
export type ExpiryPolicy = 'deny' | 'park';

/** A request for approval that a paused run waits for. */
export interface AwaitedApproval extends Pick<
  ApprovalRequest,
  'id' | 'callId' | 'tool' | 'risk' | 'expiresAt' | 'onExpiry'
> {
  /** True for a call that waits for its result from outside. */
  readonly isCompletion?: boolean;
}

/** `skipped` counts as denied; `modified` approves other arguments, which are validated and assessed again. */
export type ApprovalDecision = 'approved' | 'denied' | 'skipped' | 'modified';

/** Decision on an {@link ApprovalRequest}, as a handler returns it. */
export interface ApprovalDecisionInput {
  readonly decision: ApprovalDecision;
  /** Arguments to run with instead; required for `modified`. */
  readonly modifiedArgs?: JsonObject;
  /** Answer to the form of a request with an `elicitation`. */
  readonly content?: JsonObject;
  /** Shown to the model, so that it can adapt. */
  readonly reason?: string;
  /** Name of the approver. */
  readonly approver?: string;
  /**
   * `once` (default): this call only. `run`: also other calls of the same tool, definition and principal in the same
   * run and in the scripts that are part of it, unless their risk is higher. `critical` calls need a decision every time.
   */
  readonly scope?: 'once' | 'run';
}

/** Problem of changed arguments, with the place where it is. */
export interface EditProblem {
  /** JSON pointer of the field; empty for the arguments as a whole. */
  readonly pointer: string;
  readonly message: string;
}

/** Artifact that the arguments of a request name. */
export interface RequestedArtifact extends Pick<BlobStat, 'ref' | 'mediaType' | 'bytes' | 'sha256'> {
  /** Reads the content that the call will use. @throws KernelError `E_BLOB_CORRUPT` if it has changed; those of the store */
  read(): Promise<Uint8Array>;
}

/** Options of a request to an {@link ApprovalHandler}. */
export interface ApprovalRequestOptions {
  /** Aborts when the caller no longer waits: withdraw the request. */
  readonly signal: AbortSignal;
  /**
   * Returns the problems of arguments that an approver wants to run instead; empty if they are valid. Check before you decide
   * `modified`, so that the approver can correct them: invalid arguments deny the call.
   */
  readonly checkArguments?: (args: JsonObject) => Promise<readonly EditProblem[]>;
  /** Process that executes the run of the call, if the run has an owner. A handler that stores requests passes it to the store. */
  readonly writer?: RunWriter;
  /**
   * Reports that the request is stored, so that another process can receive its decision. A run that pauses while it waits for
   * people pauses only for such requests.
   */
  readonly onStored?: () => void;
  /** Reports that the request is no longer undecided, before its decision is consumed: the run no longer waits for people. */
  readonly onDecided?: () => void;
  /** Artifacts that the arguments name, each once, so that the approver can read them. */
  readonly artifacts?: readonly RequestedArtifact[];
}

/** Obtains approval decisions. The invoker limits the wait, so a handler may simply wait for its approver. */
export interface ApprovalHandler {
  /** True if it stores requests with a `completion` and waits for their results from outside. Other handlers never get one. */
  readonly takesCompletions?: boolean;
  /** Resolves with the decision. */
  request(request: ApprovalRequest, options: ApprovalRequestOptions): Promise<ApprovalDecisionInput>;
}
