import { wholeRunOf } from '@ravi/kernel';
import type {
  Approval,
  ApprovalRequest,
  ApprovalTrace,
  AwaitedApproval,
  BlobRef,
  ChainCallRecord,
  Journal,
  ToolRisk,
} from '@ravi/kernel';

/** Approval for the whole run. */
export interface RunGrant {
  readonly tool: string;
  readonly toolDigest: string;
  readonly risk: ToolRisk;
}

/** Returns the approvals for a whole run among those that were requested in it. Those for a sub-agent count for the sub-agent. */
export function runGrantsOf(approvals: readonly Approval[], wholeRunId: string): readonly RunGrant[] {
  return approvals.flatMap(({ request, status, answer }) => {
    const isGrant = status === 'consumed' && answer?.decision === 'approved' && answer.scope === 'run';
    const { tool, toolDigest, risk } = request;
    return isGrant && wholeRunOf(request) === wholeRunId ? [{ tool, toolDigest, risk }] : [];
  });
}

/** A call that asks whether it was approved before. */
export type CallToApprove = Pick<ChainCallRecord, 'callId' | 'tool' | 'argsDigest'> & {
  readonly toolDigest: string;
  readonly risk: ToolRisk;
};

/** Calls that a person approved together, before they were made. */
export interface ApprovedCalls {
  /** Takes the approval of a call, once; `undefined` if it has none, so that the call needs one of its own. */
  take(call: CallToApprove): ApprovalTrace | undefined;
}

/** State of a durable session, whose calls outlive the process: a process that resumes the run replays them. */
export interface SessionDurability {
  /**
   * Receives the outcome of every call, refused ones and those without side effects included. Not of cancelled calls,
   * which may or may not have had their effect.
   */
  readonly journal: Journal;
  /** Owner of the pins, the same in every process that resumes the run. When the session closes, the pins stay with the run. */
  readonly pinOwner: string;
  /** Records an artifact before it is pinned, so that the process that ends the run can release the pin. */
  recordArtifact(ref: BlobRef): Promise<void>;
  /** Milliseconds that the approver has for a decision; `approvalTimeoutMs` of the policy when absent. */
  readonly approvalExpiryMs?: number;
  /** Ids of approvals that were requested before: their decisions count, even if the run has a grant by now. */
  readonly requestedApprovals: ReadonlySet<string>;
  /** Ids of those that are already decided, so that the call does not wait for a human. */
  readonly decidedApprovals: ReadonlySet<string>;
  /** Requests with which calls wait for their results from outside, by the id of the call. */
  readonly completions: ReadonlyMap<string, ApprovalRequest>;
  /** Approvals for the whole run that were given before. */
  readonly grants: readonly RunGrant[];
  /** Calls that were approved together. Those of a tool inside a call are never among them. */
  readonly approvedCalls?: ApprovedCalls;
  /** Called when a call starts to wait for the decisions of people; the returned function ends the wait. */
  onHumanWait(callId: string, approvals: readonly AwaitedApproval[]): () => void;
}
