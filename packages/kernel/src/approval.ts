export type { ApprovalFeed, ApprovalSubscription } from './approval/approval-store.ts';
export { approveCallsTool, requestedCalls } from './approval/call-set.ts';
export type { RequestedCall } from './approval/call-set.ts';
export { completionPrefix } from './approval/approval.ts';
export {
  answeredApprovalStatuses,
  approvalTransitions,
  differingField,
  isCoveredBy,
  isDecidable,
  isUndecided,
  nextApproval,
  openApprovalStatuses,
  undecidedStatuses,
  wholeRunOf,
} from './approval/approval-transition.ts';
export type { ApprovalAction, ApprovalStep, CoveredRequest } from './approval/approval-transition.ts';
export type {
  Approval,
  ApprovalBinding,
  ApprovalChange,
  ApprovalChangeQuery,
  ApprovalFilter,
  ApprovalStatus,
  ApprovalStore,
  ApprovalTransition,
  RecordedDecision,
} from './approval/approval-store.ts';
export type {
  ApprovalDecision,
  ApprovalDecisionInput,
  ApprovalHandler,
  ApprovalRequest,
  ApprovalRequestOptions,
  AwaitedApproval,
  EditProblem,
  ExpiryPolicy,
  RequestedArtifact,
} from './approval/approval.ts';
