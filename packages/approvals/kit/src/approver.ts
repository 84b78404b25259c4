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

/**
 * Checks that the approver may decide this request. A request for input does not ask for permission: the principal whom it asks
 * answers it with any roles, and four eyes do not apply. Another approver may decline it, and may fill in a form, but may not visit a
 * page: what the page does, such as a sign-in, it does for its visitor.
 * @throws KernelError `E_FORBIDDEN`, `E_APPROVAL_FOUR_EYES`
 */
export function checkMayDecide(
  approver: Approver,
  { principal, elicitation }: Pick<ApprovalRequest, 'principal' | 'elicitation'>,
  { decision, rules }: { readonly decision: unknown; readonly rules: DecisionRules },
): void {
  const isOwn = approver.principal === principal;
  if (elicitation === undefined) {
    checkRole(approver);
    if (isOwnRequest(approver.principal, principal, rules)) throw ownRequest(principal);
  } else if (!isOwn) {
    checkRole(approver);
    if (elicitation.mode === 'form' || decision !== 'approved') return;
    throw new KernelError(
      'E_FORBIDDEN',
      `Only ${principal} can visit this page: it acts for its visitor. You may decline`,
    );
  }
}

/** Returns the error for an approver that decides a request of its own principal. */
function ownRequest(principal: Principal): KernelError {
  return new KernelError(
    'E_APPROVAL_FOUR_EYES',
    `Four eyes are required: ${principal} requested this call and may not decide it. Ask another approver`,
  );
}
