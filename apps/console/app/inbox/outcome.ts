import type { ApprovalView } from '@ravi/approval-web';
import type { ApprovalDecision } from '@ravi/kernel';

const outcomes: Readonly<Record<ApprovalDecision, string>> = {
  approved: 'approved',
  modified: 'approved with changes',
  denied: 'denied',
  skipped: 'skipped',
};

/** What became of a request, in one or two words. */
export function outcomeOf({ status, answer }: ApprovalView): string {
  if (answer !== undefined) return outcomes[answer.decision];
  return status === 'pending' ? 'waiting' : 'expired';
}
