import type { ApprovalRequest, ApprovalDecisionInput } from './approval.ts';
import type { Listing, Page, PageRequest } from '../base/page.ts';
import type { Principal, RunWriter } from '../base/run-context.ts';

/**
 * State of an approval. `pending`: without a decision. `parked`: without a decision at its `expiresAt`, and still open because
 * its policy is `park`, until it is decided or too old. `approved`, `denied`: decided, and its call has not taken the decision yet. `consumed`: its call has taken
 * the decision. `withdrawn`: its call ended first. `expired`: no decision came in time, so its call is denied.
 * `approvalTransitions` has every transition.
 */
export type ApprovalStatus = 'pending' | 'parked' | 'approved' | 'denied' | 'expired' | 'consumed' | 'withdrawn';

/** A decision with its time, as the store keeps it. `skipped` makes the approval `denied`, `modified` makes it `approved`. */
export interface RecordedDecision extends ApprovalDecisionInput {
  /** Milliseconds since the Unix epoch. */
  readonly decidedAt: number;
}

/** A request with its status and, once decided, its decision. */
export interface Approval {
  readonly request: ApprovalRequest;
  readonly status: ApprovalStatus;
  /** Absent while it is undecided and after expiry. Kept when the approval is consumed or withdrawn. */
  readonly answer?: RecordedDecision;
  /** The `consumer` passed to `consume`. */
  readonly consumer?: string;
  /** Sequence number of its last change in the audit log. */
  readonly sequence: number;
}

/** The fields that bind a decision to one call. A decision does not count for any other call. */
export type ApprovalBinding = Pick<ApprovalRequest, 'runId' | 'principal' | 'tool' | 'toolDigest' | 'argsDigest'>;

/** Result of an attempt to change the status of an approval. */
export type ApprovalTransition =
  | { readonly status: 'done'; readonly approval: Approval }
  /** Another change came first, or the request expired; `approval` is its current state. Nothing has changed. */
  | { readonly status: 'conflict'; readonly approval: Approval }
  /** The decision is bound to another call. Nothing has changed. */
  | { readonly status: 'mismatch'; readonly approval: Approval; readonly field: keyof ApprovalBinding }
  | { readonly status: 'not-found' };

/** One line of the audit log: an approval was created or changed. Lines are never changed or removed. */
export interface ApprovalChange {
  /** Increases with each line of the whole store, in the order in which lines become visible to readers. Unique. */
  readonly sequence: number;
  readonly approvalId: string;
  readonly runId: string;
  readonly principal: Principal;
  readonly tool: string;
  /** Absent in the first line of an approval. */
  readonly from?: ApprovalStatus;
  readonly to: ApprovalStatus;
  /** Milliseconds since the Unix epoch, as passed by the caller of the change. */
  readonly at: number;
  /** The approver or the consumer. */
  readonly actor?: string;
  readonly reason?: string;
}

/** Filter on lines of the audit log. Absent fields match every line. */
export interface ApprovalChangeQuery {
  /** Only lines with a larger sequence number; default 0. */
  readonly after?: number;
  /** Default 100, at most 1 000. */
  readonly limit?: number;
  readonly principal?: Principal;
  readonly runId?: string;
  readonly approvalId?: string;
}

/** Filter on approvals. Absent fields match every approval. */
export interface ApprovalFilter {
  readonly principal?: Principal;
  /** Approvals of this run and of the runs below it, such as the scripts of its calls. */
  readonly runId?: string;
  readonly sessionId?: string;
  /** False for requests that people decide, true for calls that wait for their result from outside. */
  readonly isCompletion?: boolean;
  /** `undecided`: `pending` or `parked`. */
  readonly status?: ApprovalStatus | 'undecided';
}

/**
 * Stores approval requests and their decisions. Each change is a compare-and-swap: of several concurrent decisions, or
 * of several consumers, in any number of processes, exactly one succeeds. Each change adds one line to an audit log,
 * which readers also follow for new changes.
 */
export interface ApprovalStore {
  /**
   * Stores a pending request. Call it before asking an approver.
   * @throws KernelError `E_STATE_CONFLICT` if the id is taken, or `writer` no longer executes its run
   */
  create(request: ApprovalRequest, writer?: RunWriter): Promise<Approval>;
  get(id: string): Promise<Approval | undefined>;
  /** Newest first. */
  list(filter: ApprovalFilter, page?: PageRequest): Promise<Page<Approval>>;
  /**
   * Decides a request that is open at `decidedAt`; see `isDecidable`. Returns `conflict` otherwise. A request of a run that has
   * ended is withdrawn instead. An approval with the scope `run` also approves, in the same step, the run's other open requests
   * that it covers: see `isCoveredBy`.
   */
  decide(id: string, decision: RecordedDecision): Promise<ApprovalTransition>;
  /**
   * Takes the decision, or the absence of one, exactly once and only for the call in `binding`. Returns `conflict` while
   * the approval is undecided and after it was consumed; a process that crashed in between recognises its own `consumer`.
   * @throws KernelError `E_STATE_CONFLICT` if `writer` no longer executes its run
   */
  consume(
    id: string,
    binding: ApprovalBinding,
    by: { readonly consumer: string; readonly now: number; readonly writer?: RunWriter },
  ): Promise<ApprovalTransition>;
  /**
   * Settles a request whose call has ended: undecided, or decided and not consumed. Returns `conflict` in every other state.
   * A run that ends withdraws its requests itself; see `RunStore.transition`.
   * @throws KernelError `E_STATE_CONFLICT` if `writer` no longer executes its run
   */
  withdraw(
    id: string,
    why: { readonly now: number; readonly reason: string; readonly writer?: RunWriter },
  ): Promise<ApprovalTransition>;
  /**
   * Marks every pending request whose `expiresAt` is not after `now` as `expired`, or as `parked` if its policy is `park`, and
   * every parked request whose `expiresAt` is not after `parkedBefore` as `expired`. Without `parkedBefore` parked requests stay
   * open. Returns those it marked.
   */
  expire(now: number, parkedBefore?: number): Promise<Listing<Approval>>;
  /** Returns lines of the audit log, oldest first. Pass the last `sequence` as `after` to read on. */
  changes(query?: ApprovalChangeQuery): Promise<Listing<ApprovalChange>>;
  /** Returns the sequence number of the last line; 0 if the log is empty. */
  lastSequence(): Promise<number>;
}

/** Notifies listeners of changes of approvals, whichever process made them. */
export interface ApprovalFeed {
  /** Calls `listener` for each change that is made after `ready` resolves, in order, until `unsubscribe`. */
  subscribe(listener: (change: ApprovalChange) => void): ApprovalSubscription;
  /** Looks for changes now. Call it after this process has made one. */
  checkNow(): void;
}

/** A listener of an {@link ApprovalFeed}. */
export interface ApprovalSubscription {
  /** Resolves when every later change reaches the listener. Never rejects: it waits while the store is unavailable. */
  readonly ready: Promise<void>;
  /** Idempotent; also resolves `ready`. */
  unsubscribe(): void;
}
