import type {
  AwaitedApproval,
  ChainFile,
  ChainPolicy,
  ExpiryPolicy,
  Journal,
  Principal,
  ProgressSink,
  Skill,
} from '@ravi/kernel';
import type { SessionDurability } from './session-durability.ts';
import type { InvokerSession } from './session.ts';

/** Field of the policy that limits the number of calls of a session. */
export type CallLimit = 'maxToolCalls' | 'maxScriptCalls';

/** Receives a call that starts to wait for people, and the requests for approval that it waits for. Returns the end of the wait. */
export type HumanWaitListener = (callId: string, approvals: readonly AwaitedApproval[]) => () => void;

/** Options of `invoker.openSession`. */
export interface SessionOptions {
  /** A new random id when absent. */
  readonly runId?: string;
  /** Owner of the artifacts; a new random id when absent. */
  readonly sessionId?: string;
  /** `local` when absent. */
  readonly principal?: Principal;
  /** Cancels every call of the session. */
  readonly signal?: AbortSignal;
  /** Limit of the policy on the number of calls: `maxScriptCalls` for a script; `maxToolCalls` when absent. */
  readonly callLimit?: CallLimit;
  /**
   * Milliseconds after which the artifacts of the session expire. They outlive the session, so that a later session with the
   * same `sessionId` and principal can use them. Absent: they are released when the session closes.
   */
  readonly artifactTtlMs?: number;
  /** Replaces single fields of the invoker's policy. */
  readonly policy?: Partial<ChainPolicy>;
  /** The only tools that may be called; absent means all. */
  readonly allowedTools?: readonly string[];
  /** Active skills; each one that names tools narrows further. */
  readonly skills?: readonly Skill[];
  /** Files of earlier calls of the same session; its scripts find them at their paths. */
  readonly files?: readonly ChainFile[];
  /** `false` denies every call. */
  readonly toolsEnabled?: boolean;
  /**
   * Session inside which this one runs. Its ids, principal and policy are the defaults; if ids and principal are the same,
   * grants, scratchpad and files are shared. Only tools that it allows at the time of a call are allowed here, and its
   * cancellation cancels this session.
   */
  readonly parent?: InvokerSession;
  /**
   * True for an agent whose tools the operator granted: restrictions that belong to the agent of the parent, or to its skills, do
   * not hold here. Those of the run do.
   */
  readonly hasOwnTools?: boolean;
  /**
   * True for a run with an id and a journal of its own that does the work of one call of the parent's run. It shares grants,
   * scratchpad and files with the parent; tools and observers see the parent's run id.
   */
  readonly isPartOfParentRun?: boolean;
  /** Name of the agent whose run this is, for approvers. The value of the parent when absent. */
  readonly agent?: string;
  /** Absolute path of the folder in which the run works, for its tools. The value of the parent when absent. */
  readonly cwd?: string;
  /** Call inside which this session runs; its id prefixes the ids of calls here. */
  readonly parentCallId?: string;
  readonly onProgress?: ProgressSink;
  /**
   * Milliseconds that the approver has for a decision. When absent, the value of the parent, else `approvalTimeoutMs` of the
   * policy.
   */
  readonly approvalExpiryMs?: number;
  /**
   * Policy for a request for approval that is not decided in time. `park` is for runs that another process can continue; the
   * request then waits without a limit. `deny` when absent, also if the parent has `park`.
   */
  readonly onApprovalExpiry?: ExpiryPolicy;
  /** Records the calls of this session and of the sessions inside it, instead of the journal of the invoker. */
  readonly journal?: Journal;
  /** Present in a run that outlives the process. */
  readonly durability?: SessionDurability;
  /**
   * True if a repeated call requests its approval under the same id, so that a decision is valid in the process that
   * resumes the run. The value of the parent when absent.
   */
  readonly hasStableApprovalIds?: boolean;
  /**
   * True if the session belongs to a run with this id in the state store. Pins of this session, and of the sessions inside it,
   * then name the run, so that they can be released after the run if the process is killed.
   */
  readonly isOfStoredRun?: boolean;
}
