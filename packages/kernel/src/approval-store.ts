import type { ApprovalRequest, ApprovalResult } from './approval.ts';
import type { Listing, Page, PageRequest } from './page.ts';
import type { Principal } from './run-context.ts';

/** `pending` becomes `approved`, `denied` or `expired`, and each of these `consumed`; nothing goes back. */
export type ApprovalStatus = 'pending' | 'approved' | 'denied' | 'expired' | 'consumed';

/** An answer and when it was given. `skipped` makes the approval `denied`, `modified` makes it `approved`. */
export interface ApprovalAnswer extends ApprovalResult {
  /** Milliseconds since the Unix epoch. */
  readonly decidedAt: number;
}

/** A request and what became of it. */
export interface Approval {
  readonly request: ApprovalRequest;
  readonly status: ApprovalStatus;
  /** Absent while it is pending, and when it expired. It stays when the approval is consumed. */
  readonly answer?: ApprovalAnswer;
  /** Who consumed it, as `consume` was told. */
  readonly consumer?: string;
  /** Of its last change in the feed. */
  readonly sequence: number;
}

/** What a decision is bound to: it counts for nothing else. */
export type ApprovalBinding = Pick<ApprovalRequest, 'runId' | 'principal' | 'tool' | 'toolDigest' | 'argsDigest'>;

/** What came of an attempt to change an approval. */
export type ApprovalOutcome =
  | { readonly status: 'done'; readonly approval: Approval }
  /** Somebody was first, or its time was over; `approval` says how it stands. Nothing has changed. */
  | { readonly status: 'conflict'; readonly approval: Approval }
  /** It was given for something else. Nothing has changed. */
  | { readonly status: 'mismatch'; readonly approval: Approval; readonly field: keyof ApprovalBinding }
  | { readonly status: 'not-found' };

/** One line of the audit log: an approval came into being or changed. Lines are never changed or removed. */
export interface ApprovalChange {
  /** Rises with each line of the whole store, in the order in which readers can see them; never given twice. */
  readonly sequence: number;
  readonly approvalId: string;
  readonly runId: string;
  readonly principal: Principal;
  readonly tool: string;
  /** Absent in the first line of an approval. */
  readonly from?: ApprovalStatus;
  readonly to: ApprovalStatus;
  /** Milliseconds since the Unix epoch, as the caller of the change told them. */
  readonly at: number;
  /** Who did it: the approver, or the consumer. */
  readonly actor?: string;
  readonly reason?: string;
}

/** Which lines of the audit log are asked for; what is absent does not matter. */
export interface ApprovalChangeQuery {
  /** Only lines with a larger sequence number; 0 when absent. */
  readonly after?: number;
  /** 100 when absent, never more than 1 000. */
  readonly limit?: number;
  readonly principal?: Principal;
  readonly runId?: string;
  readonly approvalId?: string;
}

/** Which approvals are asked for; what is absent does not matter. */
export interface ApprovalFilter {
  readonly principal?: Principal;
  readonly runId?: string;
  readonly sessionId?: string;
  readonly status?: ApprovalStatus;
}

/**
 * Keeps requests for approval and their answers. Each change is a compare-and-swap: of many who answer or consume at
 * once, in however many processes, exactly one succeeds. Each change is one line of an audit log, which is also the
 * feed for those who watch.
 */
export interface ApprovalStore {
  /** Keeps a pending request; do so before anybody is asked. @throws KernelError `E_STATE_CONFLICT` when the id is taken */
  create(request: ApprovalRequest): Promise<Approval>;
  get(id: string): Promise<Approval | undefined>;
  /** Newest first. */
  list(filter: ApprovalFilter, page?: PageRequest): Promise<Page<Approval>>;
  /** Answers a pending request. A `conflict` when it is pending no more, or `decidedAt` is not before its `expiresAt`. */
  decide(id: string, answer: ApprovalAnswer): Promise<ApprovalOutcome>;
  /**
   * Takes the answer, or that there was none, once and for exactly what was asked. A `conflict` while it is pending and
   * after it was consumed; who crashed in between recognises itself by `consumer`.
   */
  consume(
    id: string,
    binding: ApprovalBinding,
    by: { readonly consumer: string; readonly now: number },
  ): Promise<ApprovalOutcome>;
  /** Ends a pending request that nobody waits for any more as `expired`. A `conflict` when it is pending no more. */
  withdraw(id: string, why: { readonly now: number; readonly reason: string }): Promise<ApprovalOutcome>;
  /** Ends every pending request whose `expiresAt` is not after `now` as `expired`, and gives those back that it ended. */
  expire(now: number): Promise<Listing<Approval>>;
  /** Lines of the audit log, oldest first; ask again after the last `sequence` for more. */
  changes(query?: ApprovalChangeQuery): Promise<Listing<ApprovalChange>>;
  /** The sequence number of the last line; 0 when there is none. */
  lastSequence(): Promise<number>;
}
