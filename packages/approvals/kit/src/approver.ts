import { KernelError } from '@ravi/kernel';
import type { ApprovalFilter, ApprovalRequest, EditProblem, JsonObject, Principal } from '@ravi/kernel';

/** A person or program that sees approvals, and decides them if it may. */
export interface Approver {
  /** Recorded as the approver of a decision. */
  readonly principal: Principal;
  /** True if it sees and decides the requests of every principal. Otherwise it only sees those of its own. */
  readonly mayDecide: boolean;
}

/** Rules that a decision has to follow, in addition to the rights of the approver. */
export interface DecisionRules {
  /** True if an approver may not decide the requests of its own principal. Default false. */
  readonly fourEyes?: boolean;
  /** Checks changed arguments against the tool of the request. Without it no decision may change arguments. */
  readonly checkArguments?: (request: ApprovalRequest, args: JsonObject) => Promise<readonly EditProblem[]>;
}

/** Returns true if the approver sees requests of `principal`. */
export function maySee(approver: Approver, principal: Principal): boolean {
  return approver.mayDecide || approver.principal === principal;
}

/** Returns the filter on approvals and changes that the approver may see. */
export function visibleTo({ principal, mayDecide }: Approver): Pick<ApprovalFilter, 'principal'> {
  return mayDecide ? {} : { principal };
}

/** Checks that the approver may decide at all. @throws KernelError `E_FORBIDDEN` */
export function checkRole({ mayDecide }: Approver): void {
  if (!mayDecide) throw new KernelError('E_FORBIDDEN', 'Only an approver with the role "approve" may decide requests');
}

/** True if four eyes are required, and the approver of a decision is the principal of the request. */
export function isOwnRequest(approver: string | undefined, principal: Principal, { fourEyes }: DecisionRules): boolean {
  return fourEyes === true && approver === principal;
}

/** Returns the error for an approver that decides a request of its own principal. */
export function ownRequest(principal: Principal): KernelError {
  return new KernelError(
    'E_APPROVAL_FOUR_EYES',
    `Four eyes are required: ${principal} requested this call and may not decide it. Ask another approver`,
  );
}
