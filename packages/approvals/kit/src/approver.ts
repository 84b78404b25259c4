import type { ApprovalFilter, Principal } from '@ravi/kernel';

/** A person or program that sees and decides approvals. */
export interface Approver {
  /** Recorded as the approver of a decision. */
  readonly principal: Principal;
  /** True if the approver sees and decides the requests of every principal, false for its own only. */
  readonly decidesForAll: boolean;
}

/** Returns true if the approver sees and decides requests of `principal`. */
export function mayDecideFor(approver: Approver, principal: Principal): boolean {
  return approver.decidesForAll || approver.principal === principal;
}

/** Returns the filter on approvals and changes that the approver may see. */
export function visibleTo({ principal, decidesForAll }: Approver): Pick<ApprovalFilter, 'principal'> {
  return decidesForAll ? {} : { principal };
}
