import { compareRisk } from '../tool/risk.ts';
import type { ApprovalRequest } from './approval.ts';
import type {
  Approval,
  ApprovalBinding,
  ApprovalChange,
  ApprovalStatus,
  ApprovalTransition,
  RecordedDecision,
} from './approval-store.ts';

/** Event that changes the state of an approval. Times are milliseconds since the Unix epoch. */
export type ApprovalAction =
  | { readonly type: 'decide'; readonly decision: RecordedDecision }
  /** A parked request expires if its time had passed at `parkedBefore`. */
  | { readonly type: 'expire'; readonly now: number; readonly parkedBefore?: number }
  | { readonly type: 'withdraw'; readonly now: number; readonly reason: string }
  | {
      readonly type: 'consume';
      readonly binding: ApprovalBinding;
      readonly consumer: string;
      readonly now: number;
    };

/** State of an approval after an action with the fields of its line in the audit log, or the reason why it stays. */
export type ApprovalStep =
  | {
      readonly next: Omit<Approval, 'sequence' | 'request'>;
      readonly details: Pick<ApprovalChange, 'at' | 'actor' | 'reason'>;
    }
  | Exclude<ApprovalTransition, { readonly status: 'done' | 'not-found' }>;

/** Every transition between the states of an approval. `consumed` and `withdrawn` are final. */
export const approvalTransitions: Readonly<Record<ApprovalStatus, readonly ApprovalStatus[]>> = {
  pending: ['approved', 'denied', 'expired', 'parked', 'withdrawn'],
  approved: ['consumed', 'withdrawn'],
  denied: ['consumed', 'withdrawn'],
  expired: ['consumed'],
  parked: ['approved', 'denied', 'expired', 'withdrawn'],
  consumed: [],
  withdrawn: [],
};

/** The states of an approval whose call may still take a decision. */
export const openApprovalStatuses: readonly ApprovalStatus[] = ['pending', 'parked', 'approved', 'denied'];

/** The states of an approval without a decision whose call still waits for it. */
export const undecidedStatuses: readonly ApprovalStatus[] = ['pending', 'parked'];

/** True if a request without a decision still waits for it; its time may have passed. */
export function isUndecided({ status }: { readonly status: ApprovalStatus }): boolean {
  return undecidedStatuses.includes(status);
}

/** True if a request can be decided at `now`: before its `expiresAt`, or at any time if its policy is `park`. */
export function isDecidable({ status, request }: Pick<Approval, 'status' | 'request'>, now: number): boolean {
  return undecidedStatuses.includes(status) && (request.onExpiry === 'park' || now < request.expiresAt);
}

/** The states of an approval whose decision, or the absence of one, a call has not taken yet. */
export const answeredApprovalStatuses: readonly ApprovalStatus[] = ['approved', 'denied', 'expired'];

const boundFields: readonly (keyof ApprovalBinding)[] = ['runId', 'principal', 'tool', 'toolDigest', 'argsDigest'];

/** Returns the first field in which two calls differ; `undefined` if a decision on one counts for the other. */
export function differingField(left: ApprovalBinding, right: ApprovalBinding): keyof ApprovalBinding | undefined {
  return boundFields.find((field) => left[field] !== right[field]);
}

/** Returns the state of an approval after an action. The only place that decides which changes exist. */
export function nextApproval(approval: Approval, action: ApprovalAction): ApprovalStep {
  const { request, status, answer } = approval;
  const to = statusAfter(action, approval);
  const isLate =
    (action.type === 'decide' && !isDecidable(approval, action.decision.decidedAt)) ||
    (action.type === 'expire' && action.now < request.expiresAt);
  if (isLate || !approvalTransitions[status].includes(to)) return { status: 'conflict', approval };
  const kept = answer === undefined ? {} : { answer };
  switch (action.type) {
    case 'decide': {
      const { approver: actor, reason, decidedAt: at } = action.decision;
      const why = reason === undefined ? {} : { reason };
      return {
        next: { status: to, answer: action.decision },
        details: { at, ...(actor === undefined ? {} : { actor }), ...why },
      };
    }
    case 'expire':
      return { next: { status: to }, details: { at: action.now } };
    case 'withdraw':
      return { next: { status: to, ...kept }, details: { at: action.now, reason: action.reason } };
    case 'consume': {
      const field = differingField(action.binding, request);
      if (field !== undefined) return { status: 'mismatch', approval, field };
      const { consumer, now } = action;
      return { next: { status: to, ...kept, consumer }, details: { at: now, actor: consumer } };
    }
  }
}

function statusAfter(action: ApprovalAction, { status, request }: Approval): ApprovalStatus {
  if (action.type === 'expire') {
    const isTooOld = status === 'parked' && request.expiresAt <= (action.parkedBefore ?? -Infinity);
    return request.onExpiry === 'park' && !isTooOld ? 'parked' : 'expired';
  }
  if (action.type === 'withdraw') return 'withdrawn';
  if (action.type === 'consume') return 'consumed';
  const { decision } = action.decision;
  return decision === 'approved' || decision === 'modified' ? 'approved' : 'denied';
}

/**
 * True if an approval of `granted` for the whole run also approves `request`: the same tool, definition and principal in the
 * same run or in the scripts that are part of it, and a risk that is neither higher nor `critical`. No approval covers a request for
 * input, and none is covered by its answer.
 */
export function isCoveredBy(request: CoveredRequest, granted: CoveredRequest): boolean {
  const fields = ['principal', 'tool', 'toolDigest'] as const;
  const isSame =
    wholeRunOf(request) === wholeRunOf(granted) && fields.every((field) => request[field] === granted[field]);
  const isPermission = [request, granted].every(
    (each) => each.elicitation === undefined && each.completion === undefined,
  );
  return isSame && isPermission && request.risk !== 'critical' && compareRisk(request.risk, granted.risk) <= 0;
}

/** The fields of a request that decide which approvals for a run cover it. */
export type CoveredRequest = Pick<
  ApprovalRequest,
  'runId' | 'partOfRunId' | 'principal' | 'tool' | 'toolDigest' | 'risk' | 'elicitation' | 'completion'
>;

/** Returns the id of the run whose approvals for the whole run cover the call of a request. */
export function wholeRunOf({ runId, partOfRunId }: Pick<ApprovalRequest, 'runId' | 'partOfRunId'>): string {
  return partOfRunId ?? runId;
}
